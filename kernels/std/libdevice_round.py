# SPDX-License-Identifier: Apache-2.0
# libdevice's arithmetic with a direction of rounding, and its conversions. Of fp32, fp64 carries what
# is rounded away; of fp64 the sign of what rounding to nearest lost says which number comes next. An
# exact result is value + error, where error is far below value.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _directed(value, error, way: tl.constexpr):
    if way == "rn":
        return value.to(tl.float32)
    cut = value.to(tl.float32, fp_downcast_rounding="rtz")
    back = cut.to(tl.float64)
    finite = (tl.abs(value) < float("inf")) & (error == error)
    # An fp32 number with an error toward 0: one step back.
    past = finite & (back == value) & (((value > 0) & (error < 0)) | ((value < 0) & (error > 0)))
    bits = cut.to(tl.int32, bitcast=True) - past.to(tl.int32)
    inexact = finite & ((back != value) | (error != 0))
    if way == "ru":
        bits += (inexact & (value > 0)).to(tl.int32)
    if way == "rd":
        bits += (inexact & (value < 0)).to(tl.int32)
    return bits.to(tl.float32, bitcast=True)


@triton.jit
def _step(value, error, way: tl.constexpr):
    # An fp64 number, rounded to nearest, and the sign of what was lost.
    if way == "rn":
        return value
    bits = value.to(tl.int64, bitcast=True)
    if way == "ru":
        up = error > 0
        down = error > float("inf")
    elif way == "rd":
        up = error > float("inf")
        down = error < 0
    else:
        up = (error > 0) & (value < 0)
        down = (error < 0) & (value > 0)
    away = (up & (value > 0)) | (down & (value < 0))
    bits = tl.where(away, bits + 1, tl.where((up | down) & (value != 0), bits - 1, bits))
    bits = tl.where(up & (value == 0), 1, tl.where(down & (value == 0), -0x7fffffffffffffff, bits))
    return bits.to(tl.float64, bitcast=True)


@triton.jit
def _is_wide(x, y):
    x = tl.to_tensor(x)
    y = tl.to_tensor(y)
    tl.static_assert((x.dtype == tl.float32 or x.dtype == tl.float64) and (y.dtype == tl.float32 or y.dtype == tl.float64),
                     "directed rounding is for fp32 and fp64")
    return x.dtype == tl.float64 or y.dtype == tl.float64


@triton.jit
def _mul(a, b):
    # a * b that is not fused with a sum: its rounding counts
    return tl.fma(a, b, tl.full(a.shape, -0.0, tl.float64))


@triton.jit
def _fp64(x):
    # Of fp64 x, as what no product is fused with, were it one.
    x = tl.to_tensor(x)
    if x.dtype == tl.float64:
        return _mul(x, tl.full(x.shape, 1.0, tl.float64))
    return x.to(tl.float64)


@triton.jit
def _finite(x):
    return tl.abs(x) < float("inf")


@triton.jit
def _parts(x):
    # x = m * 2^e, 1 <= |m| < 2; of what is no such number, 0 and 0
    plain = _finite(x) & (x != 0)
    y = tl.where(plain, x, 1.0)
    e = libdevice.ilogb(y)
    return tl.where(plain, libdevice.ldexp(y, -e), 0.0), tl.where(plain, e, 0)


@triton.jit
def _overflow(value, error, finite):
    # An infinite result of finite numbers is too large.
    over = finite & (tl.abs(value) == float("inf"))
    error = tl.where(over, tl.where(value > 0, -1.0, 1.0), error)
    return tl.where(finite, error, 0.0)


@triton.jit
def _sum(x, y, way: tl.constexpr):
    a = _fp64(x)
    b = _fp64(y)
    s = a + b
    t = s - a
    error = (a - (s - t)) + (b - t)
    if _is_wide(x, y):
        if way == "rd":
            s = tl.where((s == 0) & (a != 0), -0.0, s)
            s = tl.where((a == 0) & (b == 0) & ((a.to(tl.int64, bitcast=True) | b.to(tl.int64, bitcast=True)) < 0), -0.0, s)
        return _step(s, _overflow(s, error, _finite(a) & _finite(b)), way)
    return _directed(s, error, way)


@triton.jit
def _product(x, y, way: tl.constexpr):
    a = _fp64(x)
    b = _fp64(y)
    if _is_wide(x, y):
        s = _mul(a, b)
        m, e = _parts(a)
        n, f = _parts(b)
        error = tl.fma(m, n, -libdevice.ldexp(tl.where(_finite(s), s, 0.0), -(e + f)))
        return _step(s, _overflow(s, error, _finite(a) & _finite(b)), way)
    return _directed(a * b, 0.0, way)


@triton.jit
def _moved(x, e):
    # x * 2^e, of which the sign is left when it is too small
    y = libdevice.ldexp(x, e)
    least = tl.full(y.shape, 4.94065645841246544e-324, tl.float64)
    return tl.where((y == 0) & (x != 0), tl.where(x > 0, least, -least), y)


@triton.jit
def _fused(x, y, z, way: tl.constexpr):
    a = _fp64(x)
    b = _fp64(y)
    c = _fp64(z)
    if _is_wide(x, y) or _is_wide(z, z):
        # Boldo and Muller's error of fma, near 1
        m, e = _parts(a)
        n, f = _parts(b)
        k, g = _parts(c)
        s = tl.fma(a, b, c)
        zero = m * n == 0
        most = tl.where(zero, g, tl.where(k == 0, e + f, tl.maximum(e + f, g)))
        m = _moved(m, e + f - most)
        k = _moved(k, g - most)
        r = libdevice.ldexp(tl.where(_finite(s), s, 0.0), -most)
        p = _mul(m, n)
        low = tl.fma(m, n, -p)
        q = k + low
        t = q - k
        z1 = (k - (q - t)) + (low - t)
        h = p + q
        t = h - p
        z2 = (p - (h - t)) + (q - t)
        error = ((h - r) + z2) + z1
        error = tl.where(zero | (c == 0) & (m * n == 0), 0.0, error)
        if way == "rd":
            cancels = (s == 0) & ((m * n != 0) | ((a * b).to(tl.int64, bitcast=True) < 0) | (c.to(tl.int64, bitcast=True) < 0))
            s = tl.where(cancels & (error == 0), -0.0, s)
        return _step(s, _overflow(s, error, _finite(a) & _finite(b) & _finite(c)), way)
    p = a * b
    s = p + c
    t = s - p
    return _directed(s, (p - (s - t)) + (c - t), way)


@triton.jit
def _quotient(x, y, way: tl.constexpr):
    a = _fp64(x)
    b = _fp64(y)
    s = tl.div_rn(a, b)
    if _is_wide(x, y):
        m, e = _parts(a)
        n, f = _parts(b)
        error = tl.fma(-libdevice.ldexp(tl.where(_finite(s), s, 0.0), f - e), n, m)
        error = tl.where(b < 0, -error, error)
        return _step(s, _overflow(s, error, _finite(a) & _finite(b) & (b != 0)), way)
    rest = tl.fma(-s, b, a)
    rest = tl.where(b < 0, -rest, rest)
    return _directed(s, tl.where(rest == rest, rest, 0.0), way)


@triton.jit
def _root(x, way: tl.constexpr):
    a = _fp64(x)
    if _is_wide(x, x):
        s = tl.sqrt(a)
        plain = (a > 0) & _finite(a)
        scale = tl.where(a < 1e-200, 1.6069380442589903e+60, tl.full(a.shape, 1.0, tl.float64))
        r = tl.where(plain, s, 0.0) * scale
        rest = tl.fma(-r, r, (tl.where(plain, a, 0.0) * scale) * scale)
        return _step(s, rest, way)
    s = tl.sqrt(a)
    rest = tl.fma(-s, s, a)
    return _directed(s, tl.where(rest == rest, rest, 0.0), way)


@triton.jit
def add_rn(x, y):
    return _sum(x, y, "rn")


@triton.jit
def sub_rn(x, y):
    return _sum(x, -tl.to_tensor(y), "rn")


@triton.jit
def mul_rn(x, y):
    return _product(x, y, "rn")


@triton.jit
def rcp_rn(x):
    x = tl.to_tensor(x)
    return _quotient(tl.full(x.shape, 1.0, x.dtype), x, "rn")


@triton.jit
def rsqrt_rn(x):
    tl.static_assert(tl.to_tensor(x).dtype == tl.float32, "rsqrt_rn is for fp32")
    return (1.0 / tl.sqrt(_fp64(x))).to(tl.float32)


@triton.jit
def add_rz(x, y):
    return _sum(x, y, "rz")


@triton.jit
def sub_rz(x, y):
    return _sum(x, -tl.to_tensor(y), "rz")


@triton.jit
def mul_rz(x, y):
    return _product(x, y, "rz")


@triton.jit
def fma_rz(x, y, z):
    return _fused(x, y, z, "rz")


@triton.jit
def div_rz(x, y):
    return _quotient(x, y, "rz")


@triton.jit
def sqrt_rz(x):
    return _root(x, "rz")


@triton.jit
def rcp_rz(x):
    x = tl.to_tensor(x)
    return _quotient(tl.full(x.shape, 1.0, x.dtype), x, "rz")


@triton.jit
def add_rd(x, y):
    return _sum(x, y, "rd")


@triton.jit
def sub_rd(x, y):
    return _sum(x, -tl.to_tensor(y), "rd")


@triton.jit
def mul_rd(x, y):
    return _product(x, y, "rd")


@triton.jit
def fma_rd(x, y, z):
    return _fused(x, y, z, "rd")


@triton.jit
def div_rd(x, y):
    return _quotient(x, y, "rd")


@triton.jit
def sqrt_rd(x):
    return _root(x, "rd")


@triton.jit
def rcp_rd(x):
    x = tl.to_tensor(x)
    return _quotient(tl.full(x.shape, 1.0, x.dtype), x, "rd")


@triton.jit
def add_ru(x, y):
    return _sum(x, y, "ru")


@triton.jit
def sub_ru(x, y):
    return _sum(x, -tl.to_tensor(y), "ru")


@triton.jit
def mul_ru(x, y):
    return _product(x, y, "ru")


@triton.jit
def fma_ru(x, y, z):
    return _fused(x, y, z, "ru")


@triton.jit
def div_ru(x, y):
    return _quotient(x, y, "ru")


@triton.jit
def sqrt_ru(x):
    return _root(x, "ru")


@triton.jit
def rcp_ru(x):
    x = tl.to_tensor(x)
    return _quotient(tl.full(x.shape, 1.0, x.dtype), x, "ru")


# ---- conversions: a float too large gives the nearest int, NaN what PTX says ----


@triton.jit
def _whole(x, way: tl.constexpr):
    if way == "rn":
        return libdevice.rint(x)
    if way == "rz":
        return libdevice.trunc(x)
    if way == "rd":
        return libdevice.floor(x)
    return libdevice.ceil(x)


@triton.jit
def _int_of(x, source: tl.constexpr, type: tl.constexpr, way: tl.constexpr):
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype == source, "this conversion is from another dtype")
    y = _whole(x.to(tl.float64), way)
    low: tl.constexpr = type.get_int_min_value()
    high: tl.constexpr = type.get_int_max_value()
    above: tl.constexpr = high + 1.0
    inside = (y >= low) & (y < above)
    result = tl.where(inside, y, 0.0).to(type)
    result = tl.where(y >= above, tl.full(result.shape, high, type), result)
    result = tl.where(y < low, tl.full(result.shape, low, type), result)
    if source == tl.float64 or type.primitive_bitwidth == 64:
        if type.is_int_signed():
            nan: tl.constexpr = low
        else:
            nan: tl.constexpr = (high + 1) // 2
        result = tl.where(y == y, result, tl.full(result.shape, nan, type))
    return result


@triton.jit
def _fp32_of(x, type: tl.constexpr, way: tl.constexpr):
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype == type, "this conversion is from another dtype")
    if type.primitive_bitwidth == 32:
        return _directed(x.to(tl.float64), 0.0, way)
    if way == "rn":
        return x.to(tl.float32)
    high = (x >> 32).to(tl.float64) * 4294967296.0
    low = (x & 0xffffffff).to(tl.float64)
    s = high + low
    return _directed(s, low - (s - high), way)


@triton.jit
def _fp64_of(x, type: tl.constexpr):
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype == type, "this conversion is from another dtype")
    return x.to(tl.float64)


@triton.jit
def _fp64_directed(x, type: tl.constexpr, way: tl.constexpr):
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype == type, "this conversion is from another dtype")
    high = (x >> 32).to(tl.float64) * 4294967296.0
    low = (x & 0xffffffff).to(tl.float64)
    s = high + low
    return _step(s, low - (s - high), way)


@triton.jit
def float2int_rn(x):
    return _int_of(x, tl.float32, tl.int32, "rn")


@triton.jit
def float2int_rz(x):
    return _int_of(x, tl.float32, tl.int32, "rz")


@triton.jit
def float2int_rd(x):
    return _int_of(x, tl.float32, tl.int32, "rd")


@triton.jit
def float2int_ru(x):
    return _int_of(x, tl.float32, tl.int32, "ru")


@triton.jit
def float2uint_rn(x):
    return _int_of(x, tl.float32, tl.uint32, "rn")


@triton.jit
def float2uint_rz(x):
    return _int_of(x, tl.float32, tl.uint32, "rz")


@triton.jit
def float2uint_rd(x):
    return _int_of(x, tl.float32, tl.uint32, "rd")


@triton.jit
def float2uint_ru(x):
    return _int_of(x, tl.float32, tl.uint32, "ru")


@triton.jit
def float2ll_rn(x):
    return _int_of(x, tl.float32, tl.int64, "rn")


@triton.jit
def float2ll_rz(x):
    return _int_of(x, tl.float32, tl.int64, "rz")


@triton.jit
def float2ll_rd(x):
    return _int_of(x, tl.float32, tl.int64, "rd")


@triton.jit
def float2ll_ru(x):
    return _int_of(x, tl.float32, tl.int64, "ru")


@triton.jit
def float2ull_rn(x):
    return _int_of(x, tl.float32, tl.uint64, "rn")


@triton.jit
def float2ull_rz(x):
    return _int_of(x, tl.float32, tl.uint64, "rz")


@triton.jit
def float2ull_rd(x):
    return _int_of(x, tl.float32, tl.uint64, "rd")


@triton.jit
def float2ull_ru(x):
    return _int_of(x, tl.float32, tl.uint64, "ru")


@triton.jit
def double2int_rn(x):
    return _int_of(x, tl.float64, tl.int32, "rn")


@triton.jit
def double2int_rz(x):
    return _int_of(x, tl.float64, tl.int32, "rz")


@triton.jit
def double2int_rd(x):
    return _int_of(x, tl.float64, tl.int32, "rd")


@triton.jit
def double2int_ru(x):
    return _int_of(x, tl.float64, tl.int32, "ru")


@triton.jit
def double2uint_rn(x):
    return _int_of(x, tl.float64, tl.uint32, "rn")


@triton.jit
def double2uint_rz(x):
    return _int_of(x, tl.float64, tl.uint32, "rz")


@triton.jit
def double2uint_rd(x):
    return _int_of(x, tl.float64, tl.uint32, "rd")


@triton.jit
def double2uint_ru(x):
    return _int_of(x, tl.float64, tl.uint32, "ru")


@triton.jit
def double2ll_rn(x):
    return _int_of(x, tl.float64, tl.int64, "rn")


@triton.jit
def double2ll_rz(x):
    return _int_of(x, tl.float64, tl.int64, "rz")


@triton.jit
def double2ll_rd(x):
    return _int_of(x, tl.float64, tl.int64, "rd")


@triton.jit
def double2ll_ru(x):
    return _int_of(x, tl.float64, tl.int64, "ru")


@triton.jit
def double2ull_rn(x):
    return _int_of(x, tl.float64, tl.uint64, "rn")


@triton.jit
def double2ull_rz(x):
    return _int_of(x, tl.float64, tl.uint64, "rz")


@triton.jit
def double2ull_rd(x):
    return _int_of(x, tl.float64, tl.uint64, "rd")


@triton.jit
def double2ull_ru(x):
    return _int_of(x, tl.float64, tl.uint64, "ru")


@triton.jit
def double2float_rn(x):
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype == tl.float64, "this conversion is from another dtype")
    return _directed(x, 0.0, "rn")


@triton.jit
def int2float_rn(x):
    return _fp32_of(x, tl.int32, "rn")


@triton.jit
def uint2float_rn(x):
    return _fp32_of(x, tl.uint32, "rn")


@triton.jit
def ll2float_rn(x):
    return _fp32_of(x, tl.int64, "rn")


@triton.jit
def ull2float_rn(x):
    return _fp32_of(x, tl.uint64, "rn")


@triton.jit
def double2float_rz(x):
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype == tl.float64, "this conversion is from another dtype")
    return _directed(x, 0.0, "rz")


@triton.jit
def int2float_rz(x):
    return _fp32_of(x, tl.int32, "rz")


@triton.jit
def uint2float_rz(x):
    return _fp32_of(x, tl.uint32, "rz")


@triton.jit
def ll2float_rz(x):
    return _fp32_of(x, tl.int64, "rz")


@triton.jit
def ull2float_rz(x):
    return _fp32_of(x, tl.uint64, "rz")


@triton.jit
def double2float_rd(x):
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype == tl.float64, "this conversion is from another dtype")
    return _directed(x, 0.0, "rd")


@triton.jit
def int2float_rd(x):
    return _fp32_of(x, tl.int32, "rd")


@triton.jit
def uint2float_rd(x):
    return _fp32_of(x, tl.uint32, "rd")


@triton.jit
def ll2float_rd(x):
    return _fp32_of(x, tl.int64, "rd")


@triton.jit
def ull2float_rd(x):
    return _fp32_of(x, tl.uint64, "rd")


@triton.jit
def double2float_ru(x):
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype == tl.float64, "this conversion is from another dtype")
    return _directed(x, 0.0, "ru")


@triton.jit
def int2float_ru(x):
    return _fp32_of(x, tl.int32, "ru")


@triton.jit
def uint2float_ru(x):
    return _fp32_of(x, tl.uint32, "ru")


@triton.jit
def ll2float_ru(x):
    return _fp32_of(x, tl.int64, "ru")


@triton.jit
def ull2float_ru(x):
    return _fp32_of(x, tl.uint64, "ru")


@triton.jit
def int2double_rn(x):
    return _fp64_of(x, tl.int32)


@triton.jit
def uint2double_rn(x):
    return _fp64_of(x, tl.uint32)


@triton.jit
def ll2double_rn(x):
    return _fp64_of(x, tl.int64)


@triton.jit
def ull2double_rn(x):
    return _fp64_of(x, tl.uint64)


@triton.jit
def llrint(x):
    return libdevice.rint(x).to(tl.int64)


@triton.jit
def llround(x):
    x = tl.to_tensor(x)
    whole = libdevice.trunc(x)
    return (whole + libdevice.trunc((x - whole) * 2)).to(tl.int64)


@triton.jit
def ll2double_rz(x):
    return _fp64_directed(x, tl.int64, "rz")


@triton.jit
def ll2double_rd(x):
    return _fp64_directed(x, tl.int64, "rd")


@triton.jit
def ll2double_ru(x):
    return _fp64_directed(x, tl.int64, "ru")


@triton.jit
def ull2double_rz(x):
    return _fp64_directed(x, tl.uint64, "rz")


@triton.jit
def ull2double_rd(x):
    return _fp64_directed(x, tl.uint64, "rd")


@triton.jit
def ull2double_ru(x):
    return _fp64_directed(x, tl.uint64, "ru")
