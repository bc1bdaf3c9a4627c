# SPDX-License-Identifier: Apache-2.0
# Bitonic sort along the last dimension, of ints: a lane and lane ^ distance keep the smaller and the
# larger, so no value is lost. Floats are sorted as ints of the same order, in which NaN comes last
# (of a negative sign: first) and -0 before 0.
import triton
import triton.language as tl


# In which lanes the bit `distance` of the lane's number is set: of few dimensions, so that a thread
# that holds many lanes knows it of few.
@triton.jit
def _has_bit(like, distance: tl.constexpr):
    side = tl.reshape(tl.arange(0, 2), [1, 2, 1]) != 0
    sides = tl.broadcast_to(side, [like.numel // (2 * distance), 2, distance])
    return tl.reshape(sides, like.shape)


@triton.jit
def _step(x, distance: tl.constexpr, descending):
    other = tl._exchange(x, distance)
    keeps_larger = _has_bit(x, distance) != descending
    return tl.where(keeps_larger, tl.maximum(x, other), tl.minimum(x, other))


@triton.jit
def _merge(x, log_length: tl.constexpr, descending):
    for i in tl.static_range(log_length):
        x = _step(x, 1 << (log_length - 1 - i), descending)
    return x


# The int of the same bits and order, and back.
@triton.jit
def _ordered(bits):
    return bits ^ ((bits >> (bits.dtype.primitive_bitwidth - 1)) & (1 << (bits.dtype.primitive_bitwidth - 1)) - 1)


@triton.jit
def _to_ordered(x):
    if x.dtype.is_floating():
        return _ordered(x.to(tl.core.get_int_dtype(x.dtype.primitive_bitwidth, True), bitcast=True))
    else:
        return x


@triton.jit
def _from_ordered(x, dtype: tl.constexpr):
    if dtype.is_floating():
        return _ordered(x).to(dtype, bitcast=True)
    else:
        return x


@triton.jit
def _check_last(x, dim: tl.constexpr):
    last: tl.constexpr = len(x.shape) - 1
    tl.static_assert(dim is None or dim == last or dim == -1, "only the last dimension can be sorted")


@triton.jit
def _sort_at_once(y, log_length: tl.constexpr, descending):
    for i in tl.static_range(1, log_length):
        y = _merge(y, i, _has_bit(y, 1 << i))
    return _merge(y, log_length, tl.full([], descending, tl.int1))


# -1 in lanes whose place in the last dimension has this bit, else 0: what is sorted the other way is negated.
@triton.jit
def _turned(y, places, bit):
    return ((places << (31 - bit)) >> 31).to(y.dtype)


# Where the text of all steps would be longer than the instruction cache is large, or ptxas takes half a second.
@triton.jit
def _sort_in_turns(y, log_length: tl.constexpr, descending: tl.constexpr):
    rank: tl.constexpr = len(y.shape)
    row = tl.reshape(tl.arange(0, y.shape[-1]), [1] * (rank - 1) + [y.shape[-1]])
    places = tl.broadcast_to(row, y.shape)
    y = y ^ _turned(y, places, 1)
    if descending:
        y = ~y
    for i in range(1, log_length + 1):
        for j in tl.static_range(log_length):
            if log_length - j <= i:
                y = _step(y, 1 << (log_length - 1 - j), tl.full([], False, tl.int1))
        y = y ^ _turned(y, places ^ (places >> 1), i)
    if descending:
        y = ~y
    return y


# From length 1 << first on: runs of half of that, in turns up and down, are sorted before.
@triton.jit
def _sort_from(y, first, log_length: tl.constexpr):
    places = tl.arange(0, 1 << log_length)
    y = y ^ _turned(y, places, first)
    for i in range(first, log_length + 1):
        for j in tl.static_range(log_length):
            if log_length - j <= i:
                y = _step(y, 1 << (log_length - 1 - j), tl.full([], False, tl.int1))
        y = y ^ _turned(y, places ^ (places >> 1), i)
    return y


@triton.jit
def _halves(y):
    return tl.split(tl.trans(tl.reshape(y, [2, y.shape[0] // 2])))


@triton.jit
def _whole(a, b):
    return tl.reshape(tl.trans(tl.join(a, b)), [2 * a.shape[0]])


@triton.jit
def _ascend(a, b):
    return tl.minimum(a, b), tl.maximum(a, b)


@triton.jit
def _order(a, b, down):
    low, high = _ascend(a, b)
    return tl.where(down, high, low), tl.where(down, low, high)


# Where registers have no room for all: one text for eighths, of which the first is at work in each turn. They are sorted up
# and down, then two of them, then four, then all.
@triton.jit
def _sort_in_eighths(y, log_length: tl.constexpr, descending: tl.constexpr):
    if descending:
        y = ~y
    left, right = _halves(y)
    first, second = _halves(left)
    third, fourth = _halves(right)
    a, b = _halves(first)
    c, d = _halves(second)
    e, f = _halves(third)
    g, h = _halves(fourth)
    for turn in range(32):
        if turn == 24:
            a, e = _ascend(a, e)
            b, f = _ascend(b, f)
            c, g = _ascend(c, g)
            d, h = _ascend(d, h)
        if turn == 16 or turn == 24:
            down = turn == 16
            a, c = _ascend(a, c)
            b, d = _ascend(b, d)
            e, g = _order(e, g, down)
            f, h = _order(f, h, down)
        if turn == 8 or turn == 16 or turn == 24:
            a, b = _ascend(a, b)
            c, d = _order(c, d, turn == 8)
            e, f = _order(e, f, turn == 16)
            g, h = _order(g, h, turn < 24)
        start = tl.where(turn < 8, 1, log_length - 3)
        goes_down = tl.where(turn < 24, (turn & 7) >> (turn >> 3), 0) & 1
        sign = (-goes_down).to(y.dtype)
        sorted = _sort_from(a ^ sign, start, log_length - 3) ^ sign
        a, b, c, d, e, f, g, h = b, c, d, e, f, g, h, sorted
    y = _whole(_whole(_whole(a, b), _whole(c, d)), _whole(_whole(e, f), _whole(g, h)))
    if descending:
        y = ~y
    return y


@triton.jit
def _sort(y, log_length: tl.constexpr, descending: tl.constexpr):
    if tl.target_info.is_cuda():
        z = y.to(tl.int32) if y.dtype.primitive_bitwidth < 32 else y  # a register each anyway
        registers: tl.constexpr = y.numel * z.dtype.primitive_bitwidth // (1024 * tl.extra.cuda.num_warps())
        text: tl.constexpr = registers * log_length * (log_length + 1) * (3 if z.dtype.primitive_bitwidth == 32 else 5)
        if registers >= 256 and len(y.shape) == 1:
            return _sort_in_eighths(z, log_length, descending).to(y.dtype)
        elif registers >= 64 or text > 18000:
            return _sort_in_turns(z, log_length, descending).to(y.dtype)
        else:
            return _sort_at_once(z, log_length, descending).to(y.dtype)
    else:
        return _sort_at_once(y, log_length, descending)


@triton.jit
def sort(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    _check_last(x, dim)
    log_length: tl.constexpr = tl._log2(x.shape[-1])
    return _from_ordered(_sort(_to_ordered(x), log_length, descending), x.dtype)


@triton.jit
def bitonic_merge(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    _check_last(x, dim)
    y = _merge(_to_ordered(x), tl._log2(x.shape[-1]), tl.full([], descending, tl.int1))
    return _from_ordered(y, x.dtype)


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
