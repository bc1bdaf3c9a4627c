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
    other = tl._exchange(x, distance, True)
    keeps_larger = _has_bit(x, distance) != descending
    return tl.where(keeps_larger, tl.maximum(other, x), tl.minimum(other, x))


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


# ---- on a GPU: the numbers of lanes have so many bits, of which a thread holds the lowest `held` ----

@triton.jit
def _log_held(y):
    lanes: tl.constexpr = y.numel // (32 * tl.extra.cuda.num_warps())
    return tl._log2(lanes) if lanes > 1 else 0


# -1 in lanes whose number has one of bits `at` and at - 1, not both, else 0: what is sorted downwards is
# negated. Those of a thread are of one kind, as `at` is above the bits that it holds.
@triton.jit
def _turned(y, at, held: tl.constexpr):
    length: tl.constexpr = y.shape[-1]
    runs: tl.constexpr = length >> held
    rank: tl.constexpr = len(y.shape)
    run = tl.arange(0, runs)
    signs = ((run ^ (run << 1)) << (31 - (at - held))) >> 31
    row = tl.reshape(tl.broadcast_to(tl.reshape(signs, [runs, 1]), [runs, 1 << held]), [1] * (rank - 1) + [length])
    return tl.broadcast_to(row, y.shape).to(y.dtype)


@triton.jit
def _steps(y, first: tl.constexpr, last: tl.constexpr):
    up = tl.full([], False, tl.int1)
    for i in tl.static_range(last - first):
        y = _step(y, 1 << (last - 1 - i), up)
    return y


# Those of a merge of 1 << log_length.
@triton.jit
def _steps_below(y, first: tl.constexpr, last: tl.constexpr, log_length):
    up = tl.full([], False, tl.int1)
    for i in tl.static_range(last - first):
        if last - i <= log_length:
            y = _step(y, 1 << (last - 1 - i), up)
    return y


# What a merge of 1 << log_length does with bits from `first` on; a thread holds so many at a time. At least one of them is
# below log_length. Turned behind the branch: what is laid out anew before it would be so for both.
@triton.jit
def _merge_above(y, first: tl.constexpr, held: tl.constexpr, last: tl.constexpr, log_length):
    if first + held >= last:
        return _steps_below(y ^ _turned(y, log_length, held), first, last, log_length)
    else:
        if log_length > first + held:
            y = _steps(_merge_above(y, first + held, held, last, log_length), first, first + held)
        else:
            y = _steps_below(y ^ _turned(y, log_length, held), first, first + held, log_length)
        return y


@triton.jit
def _sort_held(y, held: tl.constexpr):
    y = _step(y, 1 << (held - 1), tl.full([], False, tl.int1))  # a thread holds the bits below from here on
    for i in tl.static_range(1, held):
        y = _merge(y, i, _has_bit(y, 1 << i))
    return _steps(y ^ _turned(y, held, held), 0, held)


@triton.jit
def _sort_in_turns(y, log_length: tl.constexpr, held: tl.constexpr):
    y = _sort_held(y, held)
    for i in range(held + 1, log_length + 1):
        y = _merge_above(y, held, held, log_length, i)
        y = _steps(y, 0, held)
    return y


# Sorts, or merges what is sorted up and down.
@triton.jit
def _sort_or_merge(y, sorts, log_length: tl.constexpr, held: tl.constexpr):
    if sorts:
        y = _sort_held(y, held)
    else:
        y = y ^ _turned(y, log_length, held)
    for i in range(tl.where(sorts, held + 1, log_length), log_length + 1):
        y = _merge_above(y, held, held, log_length, i)
        y = _steps(y, 0, held)
    return y


@triton.jit
def _sort_in_a_row(y, log_length: tl.constexpr, held: tl.constexpr):
    y = _sort_held(y, held)
    for i in tl.static_range(held + 1, log_length + 1):
        y = _steps(y ^ _turned(y, i, held), 0, i)
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
def _sort_in_eighths(y, log_length: tl.constexpr):
    held: tl.constexpr = _log_held(y) - 3
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
        goes_down = tl.where(turn < 24, (turn & 7) >> (turn >> 3), 0) & 1
        sign = (-goes_down).to(y.dtype)
        sorted = _sort_or_merge(a ^ sign, turn < 8, log_length - 3, held) ^ sign
        a, b, c, d, e, f, g, h = b, c, d, e, f, g, h, sorted
    return _whole(_whole(_whole(a, b), _whole(c, d)), _whole(_whole(e, f), _whole(g, h)))


# Upwards.
@triton.jit
def _sort_by_moves(y, log_length: tl.constexpr, held: tl.constexpr):
    registers: tl.constexpr = (y.dtype.primitive_bitwidth // 32) << held
    warps: tl.constexpr = tl.extra.cuda.num_warps()
    is_few: tl.constexpr = warps < 8 or warps == 32 if y.dtype.primitive_bitwidth == 64 else warps < 2
    if registers >= 256 and len(y.shape) == 1:
        return _sort_in_eighths(y, log_length)
    elif registers >= 64 or (registers == 32 and is_few):
        return _sort_in_turns(y, log_length, held)  # else ptxas takes half a second, or few warps wait for long texts
    else:
        return _sort_in_a_row(y, log_length, held)


@triton.jit
def _sort_in_registers(y, log_length: tl.constexpr, descending: tl.constexpr):
    held: tl.constexpr = _log_held(y)
    if held < 3 or held > log_length:
        return _sort_at_once(y, log_length, descending)
    elif descending:
        return ~_sort_by_moves(~y, log_length, held)
    else:
        return _sort_by_moves(y, log_length, held)


@triton.jit
def _sort(y, log_length: tl.constexpr, descending: tl.constexpr):
    if tl.target_info.is_cuda():
        z = y.to(tl.int32) if y.dtype.primitive_bitwidth < 32 else y  # a register each anyway
        z = tl._exchange(_sort_in_registers(z, log_length, descending), 0, True)  # lanes lie as usual again
        return z.to(y.dtype)
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
    if tl.target_info.is_cuda():
        y = tl._exchange(y, 0, True)
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
