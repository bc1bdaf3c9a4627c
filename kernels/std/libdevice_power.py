# SPDX-License-Identifier: Apache-2.0
# What libdevice makes of powers, for fp32 and fp64: log and exp to some 68 bits, as sums of two
# numbers (a high part and what it leaves out), and what needs them: pow, exp10, gamma.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _wide(x):
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype == tl.float32 or x.dtype == tl.float64, "this function of libdevice needs fp32 or fp64")
    return x.to(tl.float64)


@triton.jit
def _like(value, x):
    return value.to(tl.to_tensor(x).dtype)


@triton.jit
def _fma(x, c: tl.constexpr, y):
    # c in fp64: a number that stands alone is fp32
    return tl.fma(x, tl.full(x.shape, c, tl.float64), y)


# ---- pairs: high + low ----


@triton.jit
def _mul(a, b):
    # a * b that is not fused with a sum: its rounding counts
    return tl.fma(a, b, tl.full(a.shape, -0.0, tl.float64))


@triton.jit
def _add(a, b):
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@triton.jit
def _times(ah, al, bh, bl):
    p = _mul(ah, bh)
    return _add(p, tl.fma(ah, bh, -p) + (tl.fma(ah, bl, al * bh)))


@triton.jit
def _log(x):
    # For 0 < x < inf: k log(2) + 2 (s + s^3 / 3 + ..), s = (m - 1) / (m + 1), x = 2^k m.
    k = libdevice.ilogb(x)
    m = libdevice.ldexp(x, -k)
    k = tl.where(m > 1.4142135623730951, k + 1, k)
    m = tl.where(m > 1.4142135623730951, m * 0.5, m)
    a = m - 1.0
    b, bl = _add(m, tl.full(m.shape, 1.0, tl.float64))
    sh = a / b
    sl = (tl.fma(-sh, b, a) - sh * bl) / b
    qh, ql = _times(sh, sl, sh, sl)
    ch, cl = _times(qh, ql, sh, sl)
    ch, cl = _times(ch, cl, tl.full(m.shape, 0.6666666666666666, tl.float64), tl.full(m.shape, 3.700743415417188e-17, tl.float64))
    p = 0.06451612903225806 * qh + 0.06896551724137931
    p = p * qh + 0.07407407407407407
    p = p * qh + 0.08
    p = p * qh + 0.08695652173913043
    p = p * qh + 0.09523809523809523
    p = p * qh + 0.10526315789473684
    p = p * qh + 0.11764705882352941
    p = p * qh + 0.13333333333333333
    p = p * qh + 0.15384615384615385
    p = p * qh + 0.18181818181818182
    p = p * qh + 0.2222222222222222
    p = p * qh + 0.2857142857142857
    p = p * qh + 0.4
    tail = p * qh * qh * sh
    n = k.to(tl.float64)
    # The first constant has 33 bits, so that n times it is exact.
    h, l = _add(_mul(n, tl.full(n.shape, 0.6931471803691238, tl.float64)), _mul(sh, tl.full(n.shape, 2.0, tl.float64)))
    g, e = _add(h, ch)
    return _add(g, l + e + cl + 2.0 * sl + tail + n * 1.9082149292705877e-10)


@triton.jit
def _small_exp(r):
    # exp(r) - 1 for |r| < 0.36
    p = 7.647163731819816e-13 * r + 1.1470745597729725e-11
    p = p * r + 1.6059043836821613e-10
    p = p * r + 2.08767569878681e-09
    p = p * r + 2.505210838544172e-08
    p = p * r + 2.755731922398589e-07
    p = p * r + 2.7557319223985893e-06
    p = p * r + 2.48015873015873e-05
    p = p * r + 0.0001984126984126984
    p = p * r + 0.001388888888888889
    p = p * r + 0.008333333333333333
    p = p * r + 0.041666666666666664
    p = p * r + 0.16666666666666666
    p = p * r + 0.5
    return r + r * r * p


@triton.jit
def _exp(h, l):
    # exp(h + l), rounded once or twice; l is far below h, and anything where h is out of range.
    out = tl.abs(h) > 800.0
    h = tl.where(out, tl.where(h > 0, 800.0, -800.0), h)
    l = tl.where(out, 0.0, l + tl.zeros_like(h))
    n = libdevice.rint(h * 1.4426950408889634)
    r, t = _add(_fma(-n, 0.6931471803691238, h), _fma(-n, 1.9082149292705877e-10, l))
    p = _small_exp(r)
    return libdevice.ldexp(1.0 + (p + (t + t * p)), n.to(tl.int32))


# ---- logarithms ----


@triton.jit
def log10(x):
    w = _wide(x)
    if tl.to_tensor(x).dtype == tl.float32:
        return (tl.log(w) * 0.4342944819032518).to(tl.float32)
    plain = (w > 0) & (w < float("inf"))
    h, l = _log(tl.where(plain, w, 1.0))
    return tl.where(plain, _fma(h, 0.4342944819032518, h * 1.098319650216765e-17 + l * 0.4342944819032518), tl.log(w))


@triton.jit
def fast_log10f(x):
    return log10(x)


@triton.jit
def log1p(x):
    # log(u), and what rounding u = 1 + x lost, over u; for fp32 less exact.
    w = _wide(x)
    if tl.to_tensor(x).dtype == tl.float32:
        u = 1.0 + w
        d = u - 1.0
        fine = tl.log(u) * (w / tl.where(d == 0, 1.0, d))
        return tl.where(d == 0, w, tl.where(u == float("inf"), u, fine)).to(tl.float32)
    u, lost = _add(w, tl.full(w.shape, 1.0, tl.float64))
    plain = (u > 0) & (u < float("inf"))
    u = tl.where(plain, u, 1.0)
    h, l = _log(u)
    value = tl.where(plain, h + (l + lost / u), tl.log(1.0 + w))
    return tl.where(w == 0, w, value)


# ---- powers ----


@triton.jit
def _odd(x):
    # Is the fp64 number an odd integer?
    return (tl.abs(x) < 9007199254740992.0) & (tl.floor(x) == x) & (tl.floor(x * 0.5) * 2.0 != x)


@triton.jit
def _power(b, e):
    # |b| to the e, fp64
    size = tl.abs(b)
    plain = (size > 0) & (size < float("inf")) & (tl.abs(e) < float("inf"))
    h, l = _log(tl.where(plain, size, 1.0))
    f = tl.where(plain, e, 1.0)
    z = f * h
    value = _exp(z, tl.fma(f, h, -z) + f * l)
    # Of 0 and infinite ones exp2 and log2 know the answer.
    return tl.where(plain, value, tl.exp2(e * tl.log2(size)))


@triton.jit
def _signed(b, e, size):
    # The cases of C's pow, of the magnitude.
    whole = tl.floor(e) == e
    nan = (b - b) * 0.0 + float("nan")
    result = tl.where(_odd(e) & ((b < 0) | (1.0 / b == float("-inf"))), -size, size)
    result = tl.where((b < 0) & (b > float("-inf")) & (whole == 0) & (tl.abs(e) < float("inf")), nan, result)
    result = tl.where((tl.abs(b) == 1) & (tl.abs(e) == float("inf")), 1.0, result)
    return tl.where((e == 0) | (b == 1), 1.0, result)


@triton.jit
def _is_plain(x):
    return x.dtype == tl.float64 or x.dtype == tl.float32 or x.dtype == tl.float16 or x.dtype == tl.bfloat16


@triton.jit
def _known(x, n: tl.constexpr):
    # x to a small whole number: in fp64, whose roundings fp32 does not see, but for x * x, which is rounded once.
    if n == 2:
        return x * x
    w = x.to(tl.float64)
    product = w
    for _ in tl.static_range(abs(n) - 1):
        product *= w
    if n < 0:
        product = 1.0 / product
    return product.to(tl.float32)


@triton.jit
def pow(x, y):
    x = tl.to_tensor(x)
    if isinstance(y, tl.constexpr):
        if x.dtype != tl.float64 and _is_plain(x) and tl.to_tensor(y).dtype == tl.int32:
            if y != 0 and abs(y) <= 4:
                return _known(x.to(tl.float32), y)
    y = tl.to_tensor(y)
    is_wide: tl.constexpr = x.dtype == tl.float64 or y.dtype == tl.float64
    tl.static_assert(_is_plain(x) and (y.dtype.is_int() or _is_plain(y)), "pow needs fp16 to fp64 (or an integer exponent)")
    if is_wide:
        b, e = tl.broadcast(x.to(tl.float64), y.to(tl.float64))  # adding zeros would take the sign of -0
        return _signed(b, e, _power(b, e))
    if y.dtype == tl.int32:
        e = y.to(tl.float64)
    else:  # what is no int32 is promoted to the type of x
        e = y.to(tl.float32).to(tl.float64)
    b = x.to(tl.float32).to(tl.float64)
    return _signed(b, e, tl.exp2(e * tl.log2(tl.abs(b)))).to(tl.float32)


@triton.jit
def fast_powf(x, y):
    return pow(x, y)


@triton.jit
def exp10(x):
    x = tl.to_tensor(x)
    w = _wide(x)
    if x.dtype == tl.float32:
        return tl.exp2(w * 3.321928094887362).to(tl.float32)
    h = w * 2.302585092994046
    value = _exp(h, _fma(w, 2.302585092994046, -h) + w * -2.1707562233822494e-16)
    return tl.where(w != w, w, value)


@triton.jit
def fast_exp10f(x):
    return exp10(x)


@triton.jit
def _expm1(x):
    # 2^n (exp(r) - 1) + (2^n - 1), x = n log(2) + r; beyond 50 the 1 is nothing.
    near = tl.abs(x) < 50.0
    w = tl.where(near, x, 0.0)
    n = libdevice.rint(w * 1.4426950408889634)
    r, t = _add(_fma(-n, 0.6931471803691238, w), -n * 1.9082149292705877e-10)
    p = _small_exp(r)
    p = p + (t + t * p)
    power = ((n.to(tl.int64) + 1023) << 52).to(tl.float64, bitcast=True)
    value = tl.fma(p, power, power - 1.0)
    value = tl.where(near, value, tl.where(x > 0, _exp(x, 0.0), -1.0))
    return tl.where(x == 0, x, tl.where(x != x, x, value))


@triton.jit
def _short_expm1(x):
    # For fp32. Near 0 the Taylor series; its last term here is below 1e-15 of the first.
    term = x
    sum = x
    for i in tl.static_range(2, 14):
        term = term * x * (1.0 / i)
        sum = sum + term
    return tl.where(x == 0, x, tl.where(tl.abs(x) < 0.5, sum, tl.exp(x) - 1.0))


@triton.jit
def expm1(x):
    if tl.to_tensor(x).dtype == tl.float32:
        return _short_expm1(_wide(x)).to(tl.float32)
    return _expm1(_wide(x))


@triton.jit
def _half_exp(a):
    h, l = _add(a, tl.full(a.shape, -0.6931471805599453, tl.float64))
    return _exp(h, l - 2.3190468138462996e-17)


@triton.jit
def sinh(x):
    w = _wide(x)
    a = tl.abs(w)
    if tl.to_tensor(x).dtype == tl.float32:
        m = _short_expm1(a)
        r = tl.where(m == float("inf"), m, 0.5 * (m + m / (m + 1.0)))
        return tl.where(w < 0, -r, tl.where(w == 0, w, r)).to(tl.float32)
    m = _expm1(tl.minimum(a, 40.0))
    r = 0.5 * (m + m / (m + 1.0))
    r = tl.where(a > 40.0, _half_exp(a), r)
    r = tl.where(w < 0, -r, r)
    return tl.where((w == 0) | (w != w), w, r)


@triton.jit
def cosh(x):
    w = _wide(x)
    a = tl.abs(w)
    if tl.to_tensor(x).dtype == tl.float32:
        e = tl.exp(a)
        return (0.5 * (e + 1.0 / e)).to(tl.float32)
    e = _exp(tl.minimum(a, 40.0), 0.0)
    r = tl.where(a > 40.0, _half_exp(a), 0.5 * (e + 1.0 / e))
    return tl.where(w != w, w, r)


# ---- gamma ----


@triton.jit
def _stirling(x):
    # log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi) / 2 for x >= 13
    r = 1.0 / x
    q = r * r
    p = 0.17964437236883057 * q + -0.029550653594771242
    p = p * q + 0.00641025641025641
    p = p * q + -0.0019175269175269176
    p = p * q + 0.0008417508417508417
    p = p * q + -0.0005952380952380953
    p = p * q + 0.0007936507936507937
    p = p * q + -0.002777777777777778
    p = p * q + 0.08333333333333333
    return p * r


@triton.jit
def _reduced(x):
    # Of 0 < x < 13: log(gamma(2 + z)), |z| <= 1/2, by its series, what gamma is to be multiplied by,
    # and to be divided by.
    small = x < 0.5
    y = tl.minimum(x, 13.0)
    product = tl.full(x.shape, 1.0, tl.float64)
    for i in tl.static_range(11):
        large = y >= 2.5
        y = tl.where(large, y - 1.0, y)
        product = tl.where(large, product * y, product)
    low = y < 1.5
    z = tl.where(small, x, tl.where(low, y - 1.0, y - 2.0))
    p = -6.4229645638381e-11 * z + 1.330476437424449e-10
    p = p * z + -2.7595228851242334e-10
    p = p * z + 5.731367241678862e-10
    p = p * z + -1.1921401405860912e-09
    p = p * z + 2.4836745438024785e-09
    p = p * z + -5.183475041970047e-09
    p = p * z + 1.0838659214896955e-08
    p = p * z + -2.2711094608943164e-08
    p = p * z + 4.7698101693639804e-08
    p = p * z + -1.0043224823968099e-07
    p = p * z + 2.1207184805554665e-07
    p = p * z + -4.492469198764566e-07
    p = p * z + 9.55141213040742e-07
    p = p * z + -2.039215753801366e-06
    p = p * z + 4.374866789907488e-06
    p = p * z + -9.439488275268397e-06
    p = p * z + 2.050721277567069e-05
    p = p * z + -4.492623673813314e-05
    p = p * z + 9.945751278180853e-05
    p = p * z + -0.00022315475845357939
    p = p * z + 0.0005096695247430425
    p = p * z + -0.001192753911703261
    p = p * z + 0.0028905103307415234
    p = p * z + -0.007385551028673986
    p = p * z + 0.020580808427784546
    p = p * z + -0.0673523010531981
    p = p * z + 0.3224670334241132
    p = p * z + 0.42278433509846713
    return z * p, product, tl.where(low, z, 0.0), tl.where(small, x, 1.0)


@triton.jit
def _log_gamma(x):
    value, product, z, divisor = _reduced(x)
    value = tl.log(product) + value - libdevice.log1p(z) - tl.log(divisor)
    far = tl.maximum(x, 13.0)
    tail = (far - 0.5) * (tl.log(far) - 1.0) + (0.4189385332046727 + _stirling(far))
    return tl.where(x < 13.0, value, tail)


@triton.jit
def tgamma(x):
    a = _wide(x)
    size = tl.maximum(tl.minimum(tl.abs(a), 200.0), 1e-300)
    value, product, z, divisor = _reduced(size)
    near = product * (1.0 + _small_exp(value)) / ((1.0 + z) * divisor)
    far = tl.maximum(size, 13.0)
    h, l = _log(far)
    h, l = _times(h, l, far - 0.5, tl.zeros_like(far))
    h, e = _add(h, -far)
    h, f = _add(h, _stirling(far) + 0.9189385332046727)
    l = l + e + f
    is_near = size < 13.0
    # gamma(x) gamma(-x) = -pi / (x sin(pi x)); 1 / gamma has no overflow
    sine = a * libdevice.sinpi(a)
    below = tl.where(is_near, 1.0 / near, _exp(-h, -l)) * (-3.141592653589793 / tl.where(sine == 0, 1.0, sine))
    value = tl.where(a < 0, below, tl.where(is_near, near, _exp(h, l)))
    value = tl.where(a > 172.0, float("inf"), tl.where(a < -190.0, 0.0, value))
    value = tl.where((a < 0) & (tl.floor(a) == a), float("nan"), value)
    value = tl.where(tl.abs(a) < 1e-300, 1.0 / a, value)
    return _like(tl.where(a != a, a, value), x)


@triton.jit
def lgamma(x):
    a = _wide(x)
    size = tl.maximum(tl.abs(a), 1e-308)
    value = _log_gamma(size)
    sine = tl.abs(libdevice.sinpi(a)) * size
    value = tl.where(a < 0, tl.log(3.141592653589793 / tl.where(sine == 0, 1.0, sine)) - value, value)
    value = tl.where(tl.abs(a) < 1e-300, -tl.log(tl.abs(a)), value)
    value = tl.where((a == 1) | (a == 2), 0.0, value)
    pole = (a <= 0) & (tl.floor(a) == a)
    value = tl.where(pole | (tl.abs(a) == float("inf")), float("inf"), value)
    return _like(tl.where(a != a, a, value), x)
