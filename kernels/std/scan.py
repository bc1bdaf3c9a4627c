# SPDX-License-Identifier: Apache-2.0
# Running sums and products: bf16 runs in f32; sums of narrow ints run in 32 bits.
import triton
import triton.language as tl


@triton.jit
def _add(a, b):
    return a + b


@triton.jit
def _multiply(a, b):
    return a * b


@triton.jit
def cumsum(input, axis=0, reverse=False, dtype: tl.constexpr = None):
    if input.dtype.is_bf16():
        input = input.to(tl.float32)
    wide: tl.constexpr = tl._sum_dtype(input.dtype, dtype)
    return tl.associative_scan(input.to(wide), axis, _add, reverse)


@triton.jit
def cumprod(input, axis=0, reverse=False):
    if input.dtype.is_bf16():
        input = input.to(tl.float32)
    return tl.associative_scan(input, axis, _multiply, reverse)
