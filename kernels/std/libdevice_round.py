# SPDX-License-Identifier: Apache-2.0
# libdevice's arithmetic with a direction of rounding (fp32 only: fp64 carries what fp32 rounds away),
# and its conversions. An exact result is value + error, where error is far below value.
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
def _fp64(x):
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype == tl.float32, "directed rounding is for fp32 (cast with .to(tl.float32))")
    return x.to(tl.float64)


@triton.jit
def _sum(a, b, way: tl.constexpr):
    s = a + b
    t = s - a
    return _directed(s, (a - (s - t)) + (b - t), way)


@triton.jit
def _quotient(a, b, way: tl.constexpr):
    s = tl.div_rn(a, b)
    rest = tl.fma(-s, b, a)
    rest = tl.where(b < 0, -rest, rest)
    return _directed(s, tl.where(rest == rest, rest, 0.0), way)


@triton.jit
def _root(a, way: tl.constexpr):
    s = tl.sqrt(a)
    rest = tl.fma(-s, s, a)
    return _directed(s, tl.where(rest == rest, rest, 0.0), way)


@triton.jit
def add_rn(x, y):
    return _sum(_fp64(x), _fp64(y), "rn")


@triton.jit
def sub_rn(x, y):
    return _sum(_fp64(x), -_fp64(y), "rn")


@triton.jit
def mul_rn(x, y):
    return _directed(_fp64(x) * _fp64(y), 0.0, "rn")


@triton.jit
def rcp_rn(x):
    a = _fp64(x)
    return _quotient(tl.full(a.shape, 1.0, tl.float64), a, "rn")


@triton.jit
def rsqrt_rn(x):
    return (1.0 / tl.sqrt(_fp64(x))).to(tl.float32)


@triton.jit
def add_rz(x, y):
    return _sum(_fp64(x), _fp64(y), "rz")


@triton.jit
def sub_rz(x, y):
    return _sum(_fp64(x), -_fp64(y), "rz")


@triton.jit
def mul_rz(x, y):
    return _directed(_fp64(x) * _fp64(y), 0.0, "rz")


@triton.jit
def fma_rz(x, y, z):
    return _sum(_fp64(x) * _fp64(y), _fp64(z), "rz")


@triton.jit
def div_rz(x, y):
    return _quotient(_fp64(x), _fp64(y), "rz")


@triton.jit
def sqrt_rz(x):
    return _root(_fp64(x), "rz")


@triton.jit
def rcp_rz(x):
    a = _fp64(x)
    return _quotient(tl.full(a.shape, 1.0, tl.float64), a, "rz")


@triton.jit
def add_rd(x, y):
    return _sum(_fp64(x), _fp64(y), "rd")


@triton.jit
def sub_rd(x, y):
    return _sum(_fp64(x), -_fp64(y), "rd")


@triton.jit
def mul_rd(x, y):
    return _directed(_fp64(x) * _fp64(y), 0.0, "rd")


@triton.jit
def fma_rd(x, y, z):
    return _sum(_fp64(x) * _fp64(y), _fp64(z), "rd")


@triton.jit
def div_rd(x, y):
    return _quotient(_fp64(x), _fp64(y), "rd")


@triton.jit
def sqrt_rd(x):
    return _root(_fp64(x), "rd")


@triton.jit
def rcp_rd(x):
    a = _fp64(x)
    return _quotient(tl.full(a.shape, 1.0, tl.float64), a, "rd")


@triton.jit
def add_ru(x, y):
    return _sum(_fp64(x), _fp64(y), "ru")


@triton.jit
def sub_ru(x, y):
    return _sum(_fp64(x), -_fp64(y), "ru")


@triton.jit
def mul_ru(x, y):
    return _directed(_fp64(x) * _fp64(y), 0.0, "ru")


@triton.jit
def fma_ru(x, y, z):
    return _sum(_fp64(x) * _fp64(y), _fp64(z), "ru")


@triton.jit
def div_ru(x, y):
    return _quotient(_fp64(x), _fp64(y), "ru")


@triton.jit
def sqrt_ru(x):
    return _root(_fp64(x), "ru")


@triton.jit
def rcp_ru(x):
    a = _fp64(x)
    return _quotient(tl.full(a.shape, 1.0, tl.float64), a, "ru")


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
