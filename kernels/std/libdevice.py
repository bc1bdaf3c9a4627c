# SPDX-License-Identifier: Apache-2.0
# Functions of libdevice that are no op of the IR, for fp32 and fp64. They work in fp64: of fp32 the
# result, rounded once at the end, is within 1 ulp.
import triton
import triton.language as tl


@triton.jit
def _wide(x):
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype == tl.float32 or x.dtype == tl.float64, "this function of libdevice needs fp32 or fp64")
    return x.to(tl.float64)


@triton.jit
def _like(value, x):
    return value.to(tl.to_tensor(x).dtype)


@triton.jit
def _log1p(x):
    # log(u), and what rounding u = 1 + x lost, over u.
    u = 1.0 + x
    t = u - 1.0
    lost = (1.0 - (u - t)) + (x - t)
    plain = (u > 0) & (u < float("inf"))
    value = tl.log(u) + tl.where(plain, lost / tl.where(plain, u, 1.0), 0.0)
    return tl.where(x == 0, x, value)


@triton.jit
def tan(x):
    w = _wide(x)
    return _like(tl.sin(w) / tl.cos(w), x)


@triton.jit
def fast_tanf(x):
    return tan(x)


@triton.jit
def _atan(x):
    # atan(a) = atan(c) + atan((a - c) / (1 + c a)) with c of 0, 1/2, 1, 3/2 and infinity, so that a
    # series in |t| <= 7/16 is left.
    a = tl.abs(x)
    above = tl.where(a < 0.4375, a, tl.where(a < 0.6875, 2.0 * a - 1.0, tl.where(a < 1.1875, a - 1.0, tl.where(a < 2.4375, a - 1.5, -1.0))))
    below = tl.where(a < 0.4375, 1.0, tl.where(a < 0.6875, 2.0 + a, tl.where(a < 1.1875, a + 1.0, tl.where(a < 2.4375, 1.0 + 1.5 * a, a))))
    zero = tl.zeros_like(a)
    high = tl.where(a < 0.4375, 0.0, tl.where(a < 0.6875, 0.4636476090008061, tl.where(a < 1.1875, 0.7853981633974483, tl.where(a < 2.4375, 0.982793723247329, zero + 1.5707963267948966))))
    low = tl.where(a < 0.4375, 0.0, tl.where(a < 0.6875, 2.2698777452961687e-17, tl.where(a < 1.1875, 3.061616997868383e-17, tl.where(a < 2.4375, 1.3903311031230998e-17, zero + 6.123233995736766e-17))))
    t = above / below
    s = t * t
    p = -0.012516453095688529 * s + 0.029171962357654856
    p = p * s + -0.04037615888958563
    p = p * s + 0.04701887666736345
    p = p * s + -0.05255135806213889
    p = p * s + 0.05881607126271881
    p = p * s + -0.06666618822057546
    p = p * s + 0.07692305624498978
    p = p * s + -0.09090909033322568
    p = p * s + 0.11111111110153861
    p = p * s + -0.14285714285705997
    p = p * s + 0.1999999999999997
    p = p * s + -0.3333333333333333
    r = high + (t + (low + t * s * p))
    return tl.where(x < 0, -r, tl.where((x == 0) | (x != x), x, r))


@triton.jit
def atan(x):
    return _like(_atan(_wide(x)), x)


@triton.jit
def atan2(y, x):
    v = _wide(y)
    u = _wide(x)
    both = (tl.abs(u) == float("inf")) & (tl.abs(v) == float("inf"))
    none = (u == 0) & (v == 0)
    ratio = tl.where(both, 1.0, tl.where(none, 0.0, tl.abs(v) / tl.abs(u)))
    r = _atan(ratio)
    left = (u < 0) | ((u == 0) & (1.0 / u < 0))
    r = tl.where(left, 3.141592653589793 - r, r)
    down = (v < 0) | ((v == 0) & (1.0 / v < 0))
    return tl.where((u != u) | (v != v), u + v, tl.where(down, -r, r)).to(tl.to_tensor(x).dtype)


@triton.jit
def asin(x):
    w = _wide(x)
    return _like(_atan(w / tl.sqrt((1.0 - w) * (1.0 + w))), x)


@triton.jit
def acos(x):
    w = _wide(x)
    return _like(2.0 * _atan(tl.sqrt((1.0 - w) / (1.0 + w))), x)


@triton.jit
def asinh(x):
    w = _wide(x)
    a = tl.abs(w)
    b = tl.minimum(a, 1e9)
    r = _log1p(b + b * (b / (1.0 + tl.sqrt(1.0 + b * b))))
    r = tl.where(a > 1e9, tl.log(a) + 0.6931471805599453, r)
    return _like(tl.where(w < 0, -r, tl.where((w == 0) | (w != w), w, r)), x)


@triton.jit
def acosh(x):
    w = _wide(x)
    t = tl.minimum(w, 1e9) - 1.0
    r = _log1p(t + tl.sqrt(2.0 * t + t * t))
    r = tl.where(w > 1e9, tl.log(w) + 0.6931471805599453, r)
    r = tl.where(w < 1, float("nan"), r)
    return _like(tl.where(w != w, w, r), x)


@triton.jit
def atanh(x):
    w = _wide(x)
    a = tl.abs(w)
    r = 0.5 * _log1p(2.0 * a / (1.0 - a))
    return _like(tl.where(w < 0, -r, tl.where(w == 0, w, r)), x)


@triton.jit
def round(x):
    # To the nearest integer, halves away from zero; the sign of a zero stays.
    a = tl.abs(_wide(x))
    r = tl.floor(a)
    return copysign(_like(tl.where(a - r >= 0.5, r + 1.0, r), x), x)


@triton.jit
def copysign(x, y):
    x = tl.to_tensor(x)
    y = tl.to_tensor(y)
    tl.static_assert(x.dtype == y.dtype and (x.dtype == tl.float32 or x.dtype == tl.float64), "copysign needs fp32 or fp64")
    if x.dtype == tl.float64:
        c = x.to(tl.int64, bitcast=True) & 0x7fffffffffffffff
        d = y.to(tl.int64, bitcast=True) & -0x8000000000000000
        return (c | d).to(tl.float64, bitcast=True)
    a = x.to(tl.int32, bitcast=True) & 0x7fffffff
    b = y.to(tl.int32, bitcast=True) & -2147483648
    return (a | b).to(tl.float32, bitcast=True)


@triton.jit
def fdim(x, y):
    x = tl.to_tensor(x)
    y = tl.to_tensor(y)
    return tl.where(x <= y, 0.0, x - y)


@triton.jit
def saturatef(x):
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype == tl.float32, "saturatef needs fp32")
    return tl.minimum(tl.maximum(x, 0.0), 1.0)


@triton.jit
def ffs(x):
    # The place of the lowest bit set, from 1; 0 when there is none.
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype == tl.int32 or x.dtype == tl.int64, "ffs needs int32 or int64")
    low = x & -x  # a power of two, or 0: as fp64 it is exact, and its sign does not matter
    log = ((low.to(tl.float64).to(tl.int64, bitcast=True) >> 52) & 0x7ff) - 1023
    return tl.where(x == 0, 0, log.to(tl.int32) + 1)
