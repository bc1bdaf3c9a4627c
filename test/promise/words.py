# SPDX-License-Identifier: Apache-2.0
# What is refused says why, with the user's own words, numbers and names.
# only: interp
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
# refuses: the values of 'multiple_of' must be compile-time ints from 1 up, got int
# case: y = i32[16]
# kernel: hint_tuple
# refuses: 'max_contiguous' needs a tensor, got tuple
# case: y = i32[16]
# kernel: rank
# refuses: a tensor of 33 dimensions, tern supports 32
# case: y = i32[16]
# kernel: order
# refuses: axis 2 is out of range for 2 dimensions
# case: y = i32[16]
# kernel: far_power
# refuses: next_power_of_2 of a number this large is not supported
# case: y = i32[16]
# kernel: undefined
# refuses: 'undefined_name' is not defined
# case: y = i32[16]
# kernel: argument
# refuses: missing argument 'value' in the call of 'store'
# case: y = i32[16]
# kernel: unknown_argument
# refuses: unknown parameter 'colour' in the call of 'store'
# case: y = i32[16]
# kernel: range_step
# refuses: the step of a loop must not be 0
# case: y = i32[16]
# kernel: shape
# refuses: shapes do not broadcast: [4] and [8]
# case: y = i32[16]
# kernel: power
# refuses: the range of 'arange' must be a power of 2, got 6
# case: y = i32[16]
# kernel: axis
# refuses: axis 1 is out of range for 1 dimension, in tl.sum
# case: y = i32[16]
# kernel: dot_shape
# refuses: the shapes of tl.dot do not fit: [16, 16] and [32, 16] (columns of the first, rows of the second)
# case: y = i32[16]
# kernel: arms
# refuses: the arms of a run-time conditional expression differ: int32 and int32[2]
# case: y = i32[16]
# kernel: loop_type
# refuses: 'v' is int32 before the loop but becomes fp32 in it
# case: y = i32[16]
# kernel: pointer_sum
# refuses: cannot add two pointers
# case: y = i32[16]
# kernel: cast
# refuses: cannot cast pointer<int32> to fp32
# case: y = i32[16]
# kernel: near_swapped
# refuses: did you mean 'arange'?
# case: y = i32[16]
# kernel: near_inserted
# refuses: did you mean 'arange'?
# case: y = i32[16]
# kernel: near_dropped
# refuses: did you mean 'arange'?
# case: y = i32[16]
# kernel: near_first
# refuses: did you mean 'arange'?
# case: y = i32[16]
# kernel: near_last
# refuses: did you mean 'arange'?
# case: y = i32[16]
# kernel: missing_parameter
# refuses: the argument 'b' of 'two' is missing
# case: y = i32[16]
# kernel: too_many
# refuses: 'two' takes
# case: y = i32[16]
# kernel: twice
# refuses: 'a'
# case: y = i32[16]
# kernel: star_of
# refuses: '*' needs a tuple, got int
# case: y = i32[16]
# kernel: double_star
# refuses: '**' in a call in a kernel is not supported
import triton
import triton.language as tl


@triton.jit
def two(a, b):
    return a + b


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


@triton.jit
def rank(y):
    i = tl.arange(0, 2)
    for _ in tl.static_range(32):
        i = i[:, None]
    tl.store(y + i, 1)


@triton.jit
def order(y):
    i = tl.arange(0, 4)[:, None]
    tl.store(y + tl.permute(i, (0, 2)), 1)


@triton.jit
def far_power(y):
    tl.store(y, triton.next_power_of_2((1 << 61) + 1))


@triton.jit
def undefined(y):
    tl.store(y, undefined_name)


@triton.jit
def argument(y):
    tl.store(y)


@triton.jit
def unknown_argument(y):
    tl.store(y, 1, colour=3)


@triton.jit
def range_step(y):
    for i in range(0, 4, 0):
        tl.store(y, i)


@triton.jit
def shape(y):
    tl.store(y + tl.arange(0, 4), tl.arange(0, 4) + tl.arange(0, 8))


@triton.jit
def power(y):
    tl.store(y + tl.arange(0, 6), 1)


@triton.jit
def axis(y):
    tl.store(y, tl.sum(tl.arange(0, 4), 1))


@triton.jit
def dot_shape(y):
    a = tl.zeros((16, 16), tl.float32)
    b = tl.zeros((32, 16), tl.float32)
    c = tl.dot(a, b)
    tl.store(y, 1)


@triton.jit
def arms(y):
    c = tl.load(y)
    tl.store(y, (c, 1)[1] if c > 0 else tl.arange(0, 2))


@triton.jit
def loop_type(y):
    v = tl.load(y)
    for i in range(4):
        v = v.to(tl.float32) + 0.5
    tl.store(y, v)


@triton.jit
def pointer_sum(y):
    tl.store(y + y, 1)


@triton.jit
def cast(y):
    tl.store(y, y.to(tl.float32))


@triton.jit
def near_swapped(y):
    tl.store(y, tl.aragne(0, 1))


@triton.jit
def near_inserted(y):
    tl.store(y, tl.arrange(0, 1))


@triton.jit
def near_dropped(y):
    tl.store(y, tl.arnge(0, 1))


@triton.jit
def near_first(y):
    tl.store(y, tl.brange(0, 1))


@triton.jit
def near_last(y):
    tl.store(y, tl.arangs(0, 1))


@triton.jit
def missing_parameter(y):
    tl.store(y, two(1))


@triton.jit
def too_many(y):
    tl.store(y, two(1, 2, 3))


@triton.jit
def twice(y):
    tl.store(y, two(1, a=2))


@triton.jit
def star_of(y):
    tl.store(y, two(*5))


@triton.jit
def double_star(y):
    tl.store(y, two(**{'a': 1}))
