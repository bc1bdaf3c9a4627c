# SPDX-License-Identifier: Apache-2.0
# Bitonic sort along the last dimension. Each step compares lane i with lane i ^ distance; both
# decide from the same comparison, so values are only ever exchanged: none is lost, NaN or not.
import triton
import triton.language as tl


@triton.jit
def _step(x, lane, distance: tl.constexpr, descending):
    other = tl._exchange(x, distance)
    is_right = (lane & distance) != 0
    out_of_order = tl.where(is_right, other > x, x > other)
    return tl.where(out_of_order != descending, other, x)


@triton.jit
def _lanes(x):
    rank: tl.constexpr = len(x.shape)
    lane = tl.arange(0, x.shape[-1])
    return tl.broadcast_to(tl.reshape(lane, [1] * (rank - 1) + [x.shape[-1]]), x.shape)


@triton.jit
def _merge(x, lane, log_length: tl.constexpr, descending):
    for i in tl.static_range(log_length):
        x = _step(x, lane, 1 << (log_length - 1 - i), descending)
    return x


@triton.jit
def _check_last(x, dim: tl.constexpr):
    last: tl.constexpr = len(x.shape) - 1
    tl.static_assert(dim is None or dim == last or dim == -1, "only the last dimension can be sorted")


@triton.jit
def sort(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    _check_last(x, dim)
    log_length: tl.constexpr = tl._log2(x.shape[-1])
    lane = _lanes(x)
    for i in tl.static_range(1, log_length):
        x = _merge(x, lane, i, (lane & (1 << i)) != 0)
    return _merge(x, lane, log_length, tl.full([], descending, tl.int1))


@triton.jit
def bitonic_merge(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    _check_last(x, dim)
    return _merge(x, _lanes(x), tl._log2(x.shape[-1]), tl.full([], descending, tl.int1))


@triton.jit
def topk(x, k: tl.constexpr, dim: tl.constexpr = None, descending: tl.constexpr = True):
    tl.static_assert(tl._is_power_of_two(k), "k of topk must be a power of 2")
    tl.static_assert(k <= x.shape[-1], "k of topk is larger than the dimension")
    x = sort(x, dim, descending)
    rank: tl.constexpr = len(x.shape)
    first = tl.reshape(tl.arange(0, k), [1] * (rank - 1) + [k])
    return tl.gather(x, tl.broadcast_to(first, x.shape[:-1] + [k]), rank - 1)


@triton.jit
def flip(x, dim=None):
    rank: tl.constexpr = len(x.shape)
    tl.static_assert(dim is None or (-rank <= dim and dim < rank), "the dimension of flip is out of range")
    at: tl.constexpr = rank - 1 if dim is None else (dim if dim >= 0 else dim + rank)
    length: tl.constexpr = x.shape[at]
    stride: tl.constexpr = _inner(x.shape[at + 1:])
    return tl._exchange(x, (length - 1) * stride)


@triton.jit
def _inner(shape: tl.constexpr):
    if len(shape) == 0:
        return 1
    else:
        return shape[0] * _inner(shape[1:])
