# SPDX-License-Identifier: Apache-2.0
# What is refused says why, with the user's own words, numbers and names.
# case: y = i32[1], N = 4
# kernel: formatted
# refuses: static assertion failed: n is 4!
# case: y = i32[16]
# kernel: int_mask
# refuses: the mask must be boolean, got int32
# case: y = f32[16]
# kernel: first_operand
# refuses: 'fma' needs floats, got int32
# case: y = i32[16]
# kernel: hint
# refuses: 'multiple_of' needs 1 value, one for each dimension, got 2
# case: y = i32[16]
# kernel: hint_value
# refuses: the values of 'multiple_of' must be compile-time ints, got
# case: y = i32[16]
# kernel: hint_tuple
# refuses: 'max_contiguous' needs a tensor, got
import triton
import triton.language as tl


@triton.jit
def formatted(y, N: tl.constexpr):
    tl.static_assert(N == 3, f"n is {N}!")
    tl.store(y, N)


@triton.jit
def int_mask(y):
    i = tl.arange(0, 16)
    tl.store(y + i, i, mask=i)


@triton.jit
def first_operand(y):
    i = tl.arange(0, 16)
    tl.store(y + i, tl.fma(i, i, i))


@triton.jit
def hint(y):
    i = tl.arange(0, 16)
    tl.store(y + tl.multiple_of(i, (2, 2)), i)


@triton.jit
def hint_value(y):
    i = tl.arange(0, 16)
    tl.store(y + tl.multiple_of(i, 0), i)


@triton.jit
def hint_tuple(y):
    tl.max_contiguous((1, 2), 2)
