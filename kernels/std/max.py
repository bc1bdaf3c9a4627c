# SPDX-License-Identifier: Apache-2.0
# Largest and smallest, and where they are. A NaN loses against any number, in whatever order the
# lanes are combined; of equal values the smaller index wins.
import triton
import triton.language as tl


@triton.jit
def _elementwise_max(a, b):
    return tl.maximum(a, b)


@triton.jit
def _elementwise_min(a, b):
    return tl.minimum(a, b)


@triton.jit
def _choose(first, a, i, b, j):
    # first: a comes before b. Not so if a is NaN, then b does, unless b is NaN too.
    keep = first | ((a == b) & (i < j))
    if a.dtype.is_floating():
        b_nan = b != b
        keep = keep | (b_nan & ((a == a) | (i < j)))
    return tl.where(keep, a, b), tl.where(keep, i, j)


@triton.jit
def _max_with_index(a, i, b, j):
    return _choose(a > b, a, i, b, j)


@triton.jit
def _min_with_index(a, i, b, j):
    return _choose(a < b, a, i, b, j)


@triton.jit
def _index_along(input, axis: tl.constexpr):
    rank: tl.constexpr = len(input.shape)
    at: tl.constexpr = axis if axis >= 0 else axis + rank
    row = tl.arange(0, input.shape[at])
    row = tl.reshape(row, [1] * at + [input.shape[at]] + [1] * (rank - at - 1))
    return tl.broadcast_to(row, input.shape)


@triton.jit
def _widen(input):
    # Floats below 32 bits go to f32, ints below 32 bits to i32.
    if input.dtype.primitive_bitwidth < 32:
        if input.dtype.is_floating():
            return input.to(tl.float32)
        else:
            return input.to(tl.int32)
    else:
        return input


@triton.jit
def max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    if return_indices:
        tl.static_assert(axis is not None, "max with return_indices needs an axis")
        if input.dtype.is_bf16():
            input = input.to(tl.float32)
        return tl.reduce((input, _index_along(input, axis)), axis, _max_with_index, keep_dims=keep_dims)
    else:
        return tl.reduce(_widen(input), axis, _elementwise_max, keep_dims=keep_dims)


@triton.jit
def min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    if return_indices:
        tl.static_assert(axis is not None, "min with return_indices needs an axis")
        if input.dtype.is_bf16():
            input = input.to(tl.float32)
        return tl.reduce((input, _index_along(input, axis)), axis, _min_with_index, keep_dims=keep_dims)
    else:
        return tl.reduce(_widen(input), axis, _elementwise_min, keep_dims=keep_dims)


@triton.jit
def argmax(input, axis, tie_break_left=True, keep_dims=False):
    return tl.max(input, axis, return_indices=True, keep_dims=keep_dims)[1]


@triton.jit
def argmin(input, axis, tie_break_left=True, keep_dims=False):
    return tl.min(input, axis, return_indices=True, keep_dims=keep_dims)[1]
