# SPDX-License-Identifier: Apache-2.0
import functools
import torch
import triton
import triton.language as tl


def contiguous(fn):
    @functools.wraps(fn)
    def wrapper(ctx, *args):
        return fn(ctx, *[a.contiguous() if isinstance(a, torch.Tensor) else a for a in args])
    return wrapper


@triton.jit
def _scale(x_ptr, y_ptr, by, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n) * by, mask=at < n)


def run(x, by):
    y = torch.empty_like(x)
    n = x.numel()
    _scale[(triton.cdiv(n, 64),)](x, y, by, n, BLOCK=64)
    return y


class Scale(torch.autograd.Function):
    @staticmethod
    @contiguous
    def forward(ctx, x, by):
        ctx.by = by
        return run(x, by)

    @staticmethod
    @contiguous
    def backward(ctx, dy):
        return run(dy, ctx.by), None


def scale(x, by):
    return Scale.apply(x, by)
