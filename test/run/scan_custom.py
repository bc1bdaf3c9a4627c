# SPDX-License-Identifier: Apache-2.0
# An associative scan of pairs: the linear recurrence h = a * h + b.
# tolerance: 1e-4 1e-4
# case: a = fp32[64] uniform, b = fp32[64] normal, y = fp32[64]
# want: p = cumprod(a, 0); y == p * cumsum(b / p, 0)
import triton
import triton.language as tl


@triton.jit
def step(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def recurrence(a, b, y):
    i = tl.arange(0, 64)
    _, h = tl.associative_scan((tl.load(a + i), tl.load(b + i)), 0, step)
    tl.store(y + i, h)
