# SPDX-License-Identifier: Apache-2.0
# Sums: ints narrower than 32 bits are added in 32 bits, all else in its own type.
import triton
import triton.language as tl


@triton.jit
def _sum_combine(a, b):
    return a + b


@triton.jit
def sum(input, axis=None, keep_dims=False, dtype: tl.constexpr = None):
    wide: tl.constexpr = tl._sum_dtype(input.dtype, dtype)
    return tl.reduce(input.to(wide), axis, _sum_combine, keep_dims=keep_dims)


@triton.jit
def _xor_combine(a, b):
    return a ^ b


@triton.jit
def xor_sum(input, axis=None, keep_dims=False):
    tl.static_assert(input.dtype.is_int(), "xor_sum needs integers")
    return tl.reduce(input, axis, _xor_combine, keep_dims=keep_dims)


@triton.jit
def _or_combine(a, b):
    return a | b


@triton.jit
def reduce_or(input, axis, keep_dims=False):
    tl.static_assert(input.dtype.is_int(), "reduce_or needs integers")
    return tl.reduce(input, axis, _or_combine, keep_dims=keep_dims)
