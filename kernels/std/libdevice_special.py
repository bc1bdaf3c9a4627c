# SPDX-License-Identifier: Apache-2.0
# Special functions of libdevice, for fp32 and fp64: around erf, lengths, roots. They work in fp64.
# The coefficients are fitted.
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


# ---- around erf ----


@triton.jit
def _erfcx(x):
    # exp(x x) erfc(x) for x >= 0: a polynomial in (x - 4) / (x + 4), over 1 + 2 x
    a = tl.minimum(x, 1e30)
    q = (a - 4.0) / (a + 4.0)
    p = -2.772965123850919e-10 * q + 9.289622469378748e-10
    p = p * q + 3.23720131502678e-09
    p = p * q + -1.2334384802492613e-08
    p = p * q + -2.073707187391144e-08
    p = p * q + 1.0630797946556337e-07
    p = p * q + 7.773439196724136e-08
    p = p * q + -8.21051258006023e-07
    p = p * q + 2.917218852684195e-07
    p = p * q + 5.706567106509811e-06
    p = p * q + -1.1221129053427407e-05
    p = p * q + -2.4397725160030077e-05
    p = p * q + 0.00015062142379084606
    p = p * q + -0.00019925715454976678
    p = p * q + -0.0007577732430874849
    p = p * q + 0.005031970069560782
    p = p * q + -0.01619773406300239
    p = p * q + 0.03716751552627682
    p = p * q + -0.06633036581185563
    p = p * q + 0.09373283499911712
    p = p * q + -0.10103906603631828
    p = p * q + 0.06809705425466824
    p = p * q + 0.015379652102619976
    p = p * q + -0.13962111684056228
    p = p * q + 1.2329951186255526
    return tl.where(x > 1e30, 0.5641895835477563 / x, p / (1.0 + 2.0 * a))


@triton.jit
def _erfc(x, low):
    # of x + low: exp of the square in two parts
    size = tl.minimum(tl.abs(x), 40.0)
    low = tl.where(x < 0, -low, low)
    square = size * size
    rest = tl.fma(size, size, -square) + 2.0 * size * low
    value = tl.exp(-square) * _erfcx(size)
    value = value - value * rest
    value = tl.where(tl.abs(x) > 40.0, 0.0, value)
    return tl.where(x != x, x, tl.where(x < 0, 2.0 - value, value))


@triton.jit
def erfc(x):
    return _like(_erfc(_wide(x), 0.0), x)


@triton.jit
def erfcx(x):
    a = _wide(x)
    size = tl.abs(a)
    value = _erfcx(size)
    square = tl.minimum(size * size, 1000.0)
    rest = tl.where(size < 30.0, tl.fma(size, size, -square), 0.0)
    power = 2.0 * tl.exp(square)
    value = tl.where(a < 0, power + tl.where(power < float("inf"), power * rest, 0.0) - value, value)
    return _like(tl.where(a != a, a, value), x)


@triton.jit
def normcdf(x):
    a = _wide(x)
    h = a * -0.7071067811865476
    plain = tl.abs(a) < 60.0
    low = tl.where(plain, _fma(tl.where(plain, a, 0.0), -0.7071067811865476, -tl.where(plain, h, 0.0)), 0.0)
    return _like(0.5 * _erfc(h, low - tl.where(plain, a, 0.0) * -4.833646656726457e-17), x)


@triton.jit
def _inverse_erfc(y):
    # For 0 < y < 0.3: Newton's steps on log(erfc(x)), from a start that is never too far off.
    goal = tl.log(y)
    x = tl.sqrt(tl.maximum(-goal - 0.5 * tl.log(1.0 - goal * 2.0), 0.0)) * (1.0 - y)
    for i in tl.static_range(7):
        scaled = _erfcx(x)
        x += (tl.log(scaled) - x * x - goal) * 0.886226925452758 * scaled
        x = tl.maximum(x, 0.0)
    return x


@triton.jit
def _inverse_erf(a):
    # For |a| <= 0.76: Newton's steps on erf's series.
    x = a * (0.886226925452758 + a * a * 0.35)
    for i in tl.static_range(5):
        s = x * x
        p = -8.847223918560384e-10 * s + 1.41933794487106e-08
        p = p * s + -1.6301115555811785e-07
        p = p * s + 1.6457733512818286e-06
        p = p * s + -1.4925453340176486e-05
        p = p * s + 0.000120553270506432
        p = p * s + -0.0008548326905656577
        p = p * s + 0.005223977623956974
        p = p * s + -0.026866170645020646
        p = p * s + 0.112837916709547
        p = p * s + -0.3761263890318375
        p = p * s + 1.1283791670955126
        x = x - tl.fma(x, p, -a) * 0.886226925452758 * tl.exp(s)
    return x


@triton.jit
def _erfcinv(y, rest):
    # rest: 1 - y
    tail = tl.minimum(y, 2.0 - y)
    value = _inverse_erfc(tl.where((tail > 0) & (tail < 0.3), tail, 0.3))
    value = tl.where(y > 1, -value, value)
    near = _inverse_erf(tl.where(tl.abs(rest) <= 0.75, rest, 0.0))
    value = tl.where(tl.abs(rest) <= 0.75, near, value)
    value = tl.where(y == 0, float("inf"), tl.where(y == 2, float("-inf"), value))
    return tl.where((y >= 0) & (y <= 2), value, float("nan"))


@triton.jit
def erfcinv(y):
    a = _wide(y)
    return _like(_erfcinv(a, 1.0 - a), y)


@triton.jit
def normcdfinv(p):
    a = _wide(p) * 2.0
    return _like(_erfcinv(a, 1.0 - a) * -1.4142135623730951, p)


@triton.jit
def erfinv(x):
    a = _wide(x)
    return _like(tl.where(a == 0, a, _erfcinv(1.0 - a, a)), x)


# ---- sinpi, cospi, roots, lengths, remainder ----


@triton.jit
def _sine(r):
    # sin(pi r) for |r| <= 1/2, with what pi r is rounded by
    h = r * 3.141592653589793
    low = _fma(r, 3.141592653589793, -h) + r * 1.2246467991473532e-16
    return tl.sin(h) + low * tl.cos(h)


@triton.jit
def _short_sine(r):
    return tl.sin(r * 3.141592653589793)


@triton.jit
def _short_cosine(r):
    return tl.where(tl.abs(r) == 0.5, 0.0, tl.cos(r * 3.141592653589793))


@triton.jit
def _cosine(r):
    size = tl.abs(r)
    return tl.where(size > 0.25, _sine(0.5 - size), tl.cos(tl.minimum(size, 0.25) * 3.141592653589793))


@triton.jit
def _is_odd(n):
    return n * 0.5 != tl.floor(n * 0.5)


@triton.jit
def sinpi(x):
    a = _wide(x)
    n = libdevice.rint(a)
    if tl.to_tensor(x).dtype == tl.float32:
        value = _short_sine(a - n)
    else:
        value = _sine(a - n)
    value = tl.where(_is_odd(n), -value, value)
    value = tl.where(tl.floor(a) == a, a * 0.0, value)
    return _like(tl.where(tl.abs(a) < float("inf"), value, a - a), x)


@triton.jit
def cospi(x):
    a = _wide(x)
    n = libdevice.rint(a)
    if tl.to_tensor(x).dtype == tl.float32:
        value = _short_cosine(a - n)
    else:
        value = _cosine(a - n)
    value = tl.where(_is_odd(n), -value, value)
    return _like(tl.where(tl.abs(a) < float("inf"), value, a - a), x)


@triton.jit
def _root(w):
    # The cube root of |w|, a first one and what it is too large by: one step of Newton's with the
    # rest computed exactly. Small ones are scaled. Of 0 and infinite ones that of 1.
    size = tl.abs(w)
    plain = (size > 0) & (size < float("inf"))
    scale = tl.where(size < 1e-290, 18014398509481984.0, tl.full(w.shape, 1.0, tl.float64))
    a = tl.where(plain, size, 1.0) * scale
    r = tl.exp2(tl.log2(a) * 0.3333333333333333)
    square = r * r
    rest = tl.fma(square, r, -a) + tl.fma(r, r, -square) * r
    back = tl.where(scale > 1.0, 3.814697265625e-06, tl.full(w.shape, 1.0, tl.float64))
    return r * back, rest / (3.0 * square) * back, plain


@triton.jit
def cbrt(x):
    w = _wide(x)
    if tl.to_tensor(x).dtype == tl.float32:
        r = tl.exp2(tl.log2(tl.abs(w)) * 0.3333333333333333)
        return tl.where(w == 0, w, tl.where(w < 0, -r, r)).to(tl.float32)
    r, more, plain = _root(w)
    r = r - more
    return tl.where(plain, tl.where(w < 0, -r, r), w)


@triton.jit
def rcbrt(x):
    w = _wide(x)
    if tl.to_tensor(x).dtype == tl.float32:
        return (1.0 / cbrt(x).to(tl.float64)).to(tl.float32)
    r, more, plain = _root(w)
    y = 1.0 / r
    y = y + y * (tl.fma(-y, r, tl.full(w.shape, 1.0, tl.float64)) + y * more)
    return tl.where(plain, tl.where(w < 0, -y, y), 1.0 / w)


@triton.jit
def _mul(a, b):
    # a * b that is not fused with a sum: its rounding counts
    return tl.fma(a, b, tl.full(a.shape, -0.0, tl.float64))


@triton.jit
def _plus_square(h, l, x):
    p = _mul(x, x)
    s = h + p
    t = s - h
    return s, l + tl.fma(x, x, -p) + ((h - (s - t)) + (p - t))


@triton.jit
def _length(a, b, c, d):
    # Squares are summed with what rounding loses, and numbers near the ends of fp64 scaled: the
    # root, what it is too small by, the scale.
    zero = tl.zeros_like(a + b + c + d)
    most = tl.maximum(tl.maximum(tl.abs(a), tl.abs(b)), tl.maximum(tl.abs(c), tl.abs(d))) + zero
    scale = tl.where(most > 1e150, 2.778448436856347e-163, tl.where(most < 1e-140, 4.149515568880993e+180, 1.0 + zero))
    h, l = _plus_square(zero, zero, a * scale)
    h, l = _plus_square(h, l, b * scale)
    h, l = _plus_square(h, l, c * scale)
    h, l = _plus_square(h, l, d * scale)
    r = tl.sqrt(h)
    plain = (h > 0) & (h < float("inf"))
    s = tl.where(plain, r, 1.0)
    return r, tl.where(plain, (tl.fma(-s, s, h) + l) / (2.0 * s), 0.0), scale


@triton.jit
def _infinite(a, b, c, d):
    return (tl.abs(a) == float("inf")) | (tl.abs(b) == float("inf")) | (tl.abs(c) == float("inf")) | (tl.abs(d) == float("inf"))


@triton.jit
def _norm(a, b, c, d, type: tl.constexpr):
    if type == tl.float32:
        return tl.where(_infinite(a, b, c, d), float("inf"), tl.sqrt(a * a + b * b + c * c + d * d))
    r, more, scale = _length(a, b, c, d)
    return tl.where(_infinite(a, b, c, d), float("inf"), (r + more) / scale)


@triton.jit
def _over_norm(a, b, c, d, type: tl.constexpr):
    if type == tl.float32:
        return 1.0 / _norm(a, b, c, d, type)
    r, more, scale = _length(a, b, c, d)
    y = 1.0 / r
    plain = (r > 0) & (r < float("inf"))
    y = tl.where(plain, y + y * (tl.fma(-y, r, tl.full(r.shape, 1.0, tl.float64)) - y * more), y)
    return tl.where(_infinite(a, b, c, d), 0.0, scale * y)


@triton.jit
def hypot(x, y):
    return _like(_norm(_wide(x), _wide(y), 0.0, 0.0, tl.to_tensor(x).dtype), x)


@triton.jit
def norm3d(x, y, z):
    return _like(_norm(_wide(x), _wide(y), _wide(z), 0.0, tl.to_tensor(x).dtype), x)


@triton.jit
def norm4d(x, y, z, w):
    return _like(_norm(_wide(x), _wide(y), _wide(z), _wide(w), tl.to_tensor(x).dtype), x)


@triton.jit
def rhypot(x, y):
    return _like(_over_norm(_wide(x), _wide(y), 0.0, 0.0, tl.to_tensor(x).dtype), x)


@triton.jit
def rnorm3d(x, y, z):
    return _like(_over_norm(_wide(x), _wide(y), _wide(z), 0.0, tl.to_tensor(x).dtype), x)


@triton.jit
def rnorm4d(x, y, z, w):
    return _like(_over_norm(_wide(x), _wide(y), _wide(z), _wide(w), tl.to_tensor(x).dtype), x)


@triton.jit
def remainder(x, y):
    # x - n y with n the whole number nearest to x / y, even at a tie. All differences are exact.
    a = _wide(x)
    b = tl.abs(_wide(y))
    rest = libdevice.fmod(tl.abs(a), 2.0 * b)
    first = rest > b - rest
    once = rest - b
    rest = tl.where(first, tl.where(once >= b - once, once - b, once), rest)
    rest = tl.where((b == float("inf")) & (tl.abs(a) < float("inf")), tl.abs(a), rest)
    return _like(tl.where((a < 0) | ((a == 0) & (1.0 / a < 0)), -rest, rest), x)
