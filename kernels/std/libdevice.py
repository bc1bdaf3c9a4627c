# SPDX-License-Identifier: Apache-2.0
# Functions of libdevice that are no op of the IR, for fp32. They work in fp64 and round once at the
# end, so the result is within 1 ulp. Most refuse fp64 arguments by name.
import triton
import triton.language as tl


@triton.jit
def _wide(x):
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype == tl.float32, "this function of libdevice needs fp32 (cast with .to(tl.float32))")
    return x.to(tl.float64)


@triton.jit
def _odd(x):
    # Is the fp64 number an odd integer?
    return (tl.abs(x) < 9007199254740992.0) & (tl.floor(x) == x) & (tl.floor(x * 0.5) * 2.0 != x)


@triton.jit
def pow(x, y):
    x = tl.to_tensor(x)
    y = tl.to_tensor(y)
    if y.dtype == tl.int32:
        e = y.to(tl.float64)
    else:  # what is no int32 is promoted to the type of x
        tl.static_assert(y.dtype.is_int() or y.dtype == tl.float32 or y.dtype == tl.float16 or y.dtype == tl.bfloat16,
                         "pow needs fp32 (or an integer exponent)")
        e = y.to(tl.float32).to(tl.float64)
    b = x.to(tl.float32).to(tl.float64)
    tl.static_assert(x.dtype == tl.float32 or x.dtype == tl.float16 or x.dtype == tl.bfloat16, "pow needs fp32")
    size = tl.exp2(e * tl.log2(tl.abs(b)))
    whole = tl.floor(e) == e
    nan = (b - b) * 0.0 + float("nan")
    result = tl.where(_odd(e) & ((b < 0) | (1.0 / b == float("-inf"))), -size, size)
    result = tl.where((b < 0) & (b > float("-inf")) & (whole == 0) & (tl.abs(e) < float("inf")), nan, result)
    result = tl.where((tl.abs(b) == 1) & (tl.abs(e) == float("inf")), 1.0, result)
    return tl.where((e == 0) | (b == 1), 1.0, result).to(tl.float32)


@triton.jit
def fast_powf(x, y):
    return pow(x, y)


@triton.jit
def exp10(x):
    return tl.exp2(_wide(x) * 3.321928094887362).to(tl.float32)


@triton.jit
def fast_exp10f(x):
    return exp10(x)


@triton.jit
def log10(x):
    return (tl.log(_wide(x)) * 0.4342944819032518).to(tl.float32)


@triton.jit
def fast_log10f(x):
    return log10(x)


@triton.jit
def _log1p(x):
    # log(1 + x) * (x / ((1 + x) - 1)) takes back what rounding 1 + x lost.
    u = 1.0 + x
    d = u - 1.0
    fine = tl.log(u) * (x / tl.where(d == 0, 1.0, d))
    return tl.where(d == 0, x, tl.where(u == float("inf"), u, fine))


@triton.jit
def log1p(x):
    return _log1p(_wide(x)).to(tl.float32)


@triton.jit
def _expm1(x):
    # Near 0 the Taylor series; its last term here is below 1e-15 of the first.
    term = x
    sum = x
    for i in tl.static_range(2, 14):
        term = term * x * (1.0 / i)
        sum = sum + term
    return tl.where(x == 0, x, tl.where(tl.abs(x) < 0.5, sum, tl.exp(x) - 1.0))


@triton.jit
def expm1(x):
    return _expm1(_wide(x)).to(tl.float32)


@triton.jit
def sinh(x):
    w = _wide(x)
    a = tl.abs(w)
    m = _expm1(a)
    r = tl.where(m == float("inf"), m, 0.5 * (m + m / (m + 1.0)))
    return tl.where(w < 0, -r, tl.where(w == 0, w, r)).to(tl.float32)


@triton.jit
def cosh(x):
    e = tl.exp(tl.abs(_wide(x)))
    return (0.5 * (e + 1.0 / e)).to(tl.float32)


@triton.jit
def tan(x):
    w = _wide(x)
    return (tl.sin(w) / tl.cos(w)).to(tl.float32)


@triton.jit
def fast_tanf(x):
    return tan(x)


@triton.jit
def _atan(x):
    # To [0, 1] by the reciprocal, to below 0.2 by atan(x) = 2 atan(x / (1 + sqrt(1 + x x))) twice,
    # then the series: its next term is below 1e-16.
    a = tl.abs(x)
    flip = a > 1.0
    t = tl.where(flip, 1.0 / tl.where(flip, a, 1.0), a)
    t = t / (1.0 + tl.sqrt(1.0 + t * t))
    t = t / (1.0 + tl.sqrt(1.0 + t * t))
    s = t * t
    p = 1.0 / 21.0
    for i in tl.static_range(10):
        p = 1.0 / (19 - 2 * i) - s * p
    r = 4.0 * t * p
    r = tl.where(flip, 1.5707963267948966 - r, r)
    return tl.where(x < 0, -r, tl.where(x == 0, x, r))


@triton.jit
def atan(x):
    return _atan(_wide(x)).to(tl.float32)


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
    return tl.where((u != u) | (v != v), u + v, tl.where(down, -r, r)).to(tl.float32)


@triton.jit
def asin(x):
    w = _wide(x)
    return _atan(w / tl.sqrt((1.0 - w) * (1.0 + w))).to(tl.float32)


@triton.jit
def acos(x):
    w = _wide(x)
    return (2.0 * _atan(tl.sqrt((1.0 - w) / (1.0 + w)))).to(tl.float32)


@triton.jit
def asinh(x):
    w = _wide(x)
    a = tl.abs(w)
    r = _log1p(a + a * (a / (1.0 + tl.sqrt(1.0 + a * a))))
    r = tl.where(a == float("inf"), a, r)
    return tl.where(w < 0, -r, tl.where(w == 0, w, r)).to(tl.float32)


@triton.jit
def acosh(x):
    t = _wide(x) - 1.0
    r = _log1p(t + tl.sqrt(2.0 * t + t * t))
    return tl.where(t < 0, float("nan"), r).to(tl.float32)


@triton.jit
def atanh(x):
    w = _wide(x)
    a = tl.abs(w)
    r = 0.5 * _log1p(2.0 * a / (1.0 - a))
    return tl.where(w < 0, -r, tl.where(w == 0, w, r)).to(tl.float32)


@triton.jit
def cbrt(x):
    w = _wide(x)
    r = tl.exp2(tl.log2(tl.abs(w)) * 0.3333333333333333)
    return tl.where(w == 0, w, tl.where(w < 0, -r, r)).to(tl.float32)


@triton.jit
def hypot(x, y):
    a = _wide(x)
    b = _wide(y)
    r = tl.sqrt(a * a + b * b)
    return tl.where((tl.abs(a) == float("inf")) | (tl.abs(b) == float("inf")), float("inf"), r).to(tl.float32)


@triton.jit
def round(x):
    # To the nearest integer, halves away from zero; the sign of a zero stays.
    w = _wide(x)
    r = tl.floor(tl.abs(w) + 0.5)
    return copysign(r.to(tl.float32), x)


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
