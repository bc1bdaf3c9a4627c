# SPDX-License-Identifier: Apache-2.0
# What kernels made by PyTorch's Inductor call: torch._inductor.runtime.triton_helpers.
import triton
import triton.language as tl


@triton.jit
def promote_to_tensor(x):
    return x + tl.zeros((1, ), tl.int1)


@triton.jit
def div_floor_integer(a, b):
    # Python's: rounded down, where // of the language rounds to 0
    quotient = a // b
    down = tl.where(a % b != 0, quotient - 1, quotient)
    return tl.where((a < 0) != (b < 0), down, quotient)


@triton.jit
def remainder_integer(a, b):
    rest = a % b
    return tl.where((rest != 0) & ((a < 0) != (b < 0)), rest + b, rest)


@triton.jit
def is_floating(x):
    return tl.to_tensor(x).dtype.is_floating()


@triton.jit
def _multiply(a, b):
    return a * b


@triton.jit
def prod(input, axis):
    return tl.reduce(input, axis, _multiply)


# A NaN wins, as in PyTorch.
@triton.jit
def minimum(a, b):
    mask = a < b
    if is_floating(a):
        mask |= a != a
    return tl.where(mask, a, b)


@triton.jit
def maximum(a, b):
    mask = a > b
    if is_floating(a):
        mask |= a != a
    return tl.where(mask, a, b)


@triton.jit
def min2(a, dim):
    return tl.reduce(a, dim, minimum)


@triton.jit
def max2(a, dim):
    return tl.reduce(a, dim, maximum)


@triton.jit
def minimum_with_index(a_value, a_index, b_value, b_index):
    mask = a_value < b_value
    equal = a_value == b_value
    if is_floating(a_value):
        a_is_nan = a_value != a_value
        b_is_nan = b_value != b_value
        mask |= a_is_nan & (b_is_nan == 0)
        equal |= a_is_nan & b_is_nan
    mask |= equal & (a_index < b_index)
    return tl.where(mask, a_value, b_value), tl.where(mask, a_index, b_index)


@triton.jit
def maximum_with_index(a_value, a_index, b_value, b_index):
    mask = a_value > b_value
    equal = a_value == b_value
    if is_floating(a_value):
        a_is_nan = a_value != a_value
        b_is_nan = b_value != b_value
        mask |= a_is_nan & (b_is_nan == 0)
        equal |= a_is_nan & b_is_nan
    mask |= equal & (a_index < b_index)
    return tl.where(mask, a_value, b_value), tl.where(mask, a_index, b_index)


@triton.jit
def min_with_index(value, index, dim):
    return tl.reduce((value, index), dim, minimum_with_index)


@triton.jit
def max_with_index(value, index, dim):
    return tl.reduce((value, index), dim, maximum_with_index)


@triton.jit
def exp(x, use_fast_math: tl.constexpr):
    return tl.exp(x)


@triton.jit
def welford_reduce(value, mean, m2, weight, first_iteration):
    if first_iteration:
        new_weight = tl.full(weight.shape, 1, weight.dtype)
        new_mean = value
        new_m2 = tl.zeros_like(m2)
    else:
        delta = value - mean
        new_weight = weight + 1
        new_mean = mean + delta / new_weight
        new_m2 = m2 + delta * (value - new_mean)
    return new_mean, new_m2, new_weight


@triton.jit
def welford_combine(mean_1, m2_1, weight_1, mean_2, m2_2, weight_2):
    delta = mean_2 - mean_1
    weight = weight_1 + weight_2
    part = tl.where(weight == 0.0, 0.0, weight_2 / weight)
    return mean_1 + delta * part, m2_1 + m2_2 + delta * delta * weight_1 * part, weight


@triton.jit
def welford(mean, m2, weight, dim):
    return tl.reduce((mean, m2, weight), dim, welford_combine)


@triton.jit
def device_assert_then(cond, msg, r):
    tl.device_assert(cond, msg)
    return r


@triton.jit
def randint64(seed, offset, low, high):
    r0, r1, _2, _3 = tl.randint4x(seed, offset)
    result = r0.to(tl.uint32, bitcast=True).to(tl.uint64) | (r1.to(tl.uint32, bitcast=True).to(tl.uint64) << 32)
    size = high - low
    return (result % size.to(tl.uint64)).to(tl.int64) + low


@triton.jit
def _or(a, b):
    return a | b


@triton.jit
def any(a, dim):
    return tl.reduce(a, dim, _or)


@triton.jit
def select_one(x, mask, dim, keep_dims: tl.constexpr = False):
    bits = x.to(tl.core.get_int_dtype(x.dtype.primitive_bitwidth, signed=False), bitcast=True)
    return tl.sum(bits * mask, dim, keep_dims=keep_dims).to(bits.dtype).to(x.dtype, bitcast=True)
