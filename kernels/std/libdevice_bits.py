# SPDX-License-Identifier: Apache-2.0
# libdevice's functions on bits and exponents.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _bits32(x):
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype.is_int() and x.dtype.primitive_bitwidth == 32, "this needs 32-bit integers")
    return x.to(tl.uint32, bitcast=True)


@triton.jit
def brev(x):
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype.is_int() and x.dtype.primitive_bitwidth >= 32, "brev needs 32-bit or 64-bit integers")
    if x.dtype.primitive_bitwidth == 64:
        low = brev((x & 0xffffffff).to(tl.uint32)).to(tl.uint64)
        high = brev((x.to(tl.uint64, bitcast=True) >> 32).to(tl.uint32)).to(tl.uint64)
        return ((low << 32) | high).to(x.dtype, bitcast=True)
    v = x.to(tl.uint32, bitcast=True)
    v = ((v >> 1) & 0x55555555) | ((v & 0x55555555) << 1)
    v = ((v >> 2) & 0x33333333) | ((v & 0x33333333) << 2)
    v = ((v >> 4) & 0x0f0f0f0f) | ((v & 0x0f0f0f0f) << 4)
    v = ((v >> 8) & 0x00ff00ff) | ((v & 0x00ff00ff) << 8)
    return ((v >> 16) | (v << 16)).to(x.dtype, bitcast=True)


@triton.jit
def _byte(x, y, s, at: tl.constexpr):
    which = (s >> (4 * at)) & 7
    byte = tl.where(which < 4, x >> ((which & 3) * 8), y >> ((which & 3) * 8))
    return (byte & 0xff) << (8 * at)


@triton.jit
def byte_perm(x, y, s):
    a = _bits32(x)
    b = _bits32(y)
    c = _bits32(s)
    v = _byte(a, b, c, 0) | _byte(a, b, c, 1) | _byte(a, b, c, 2) | _byte(a, b, c, 3)
    return v.to(tl.int32, bitcast=True)


@triton.jit
def hadd(x, y):
    # (x + y) // 2, rounded down, without the carry that would be lost
    return (x & y) + ((x ^ y) >> 1)


@triton.jit
def rhadd(x, y):
    return (x | y) - ((x ^ y) >> 1)


@triton.jit
def mul24(x, y):
    x = tl.to_tensor(x)
    y = tl.to_tensor(y)
    tl.static_assert(x.dtype.is_int() and x.dtype.primitive_bitwidth == 32, "mul24 needs 32-bit integers")
    return ((x << 8) >> 8) * ((y << 8) >> 8)


@triton.jit
def sad(x, y, z):
    x = tl.to_tensor(x)
    y = tl.to_tensor(y)
    tl.static_assert(x.dtype.is_int() and x.dtype.primitive_bitwidth == 32, "sad needs 32-bit integers")
    return tl.where(x > y, x - y, y - x).to(tl.uint32, bitcast=True) + tl.to_tensor(z).to(tl.uint32)


@triton.jit
def _bits64(x):
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype == tl.float64, "this needs fp64")
    return x.to(tl.int64, bitcast=True)


@triton.jit
def double2hiint(x):
    return (_bits64(x) >> 32).to(tl.int32)


@triton.jit
def double2loint(x):
    return _bits64(x).to(tl.int32)


@triton.jit
def hiloint2double(high, low):
    word = (tl.to_tensor(high).to(tl.int64) << 32) | (tl.to_tensor(low).to(tl.int64) & 0xffffffff)
    return word.to(tl.float64, bitcast=True)


# ---- exponents ----


@triton.jit
def _exponent(x):
    # Of a finite number other than 0. fp32 has no small numbers in fp64; those of fp64 are scaled.
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype == tl.float32 or x.dtype == tl.float64, "this needs fp32 or fp64")
    wide = x.to(tl.float64)
    small = tl.abs(wide) < 2.2250738585072014e-308
    wide = tl.where(small, wide * 18014398509481984.0, wide)
    exponent = ((wide.to(tl.int64, bitcast=True) >> 52) & 0x7ff).to(tl.int32) - 1023
    return tl.where(small, exponent - 54, exponent)


@triton.jit
def ilogb(x):
    x = tl.to_tensor(x)
    exponent = tl.where(tl.abs(x) == float("inf"), 2147483647, _exponent(x))
    return tl.where((x == 0) | (x != x), -2147483648, exponent)


@triton.jit
def logb(x):
    x = tl.to_tensor(x)
    exponent = _exponent(x).to(x.dtype)
    exponent = tl.where(tl.abs(x) == float("inf"), float("inf"), exponent)
    exponent = tl.where(x == 0, float("-inf"), exponent)
    return tl.where(x != x, x, exponent)


@triton.jit
def ldexp(x, n):
    # Of fp64, 2^n is more than a number holds: the mantissa and the whole exponent, rounded once.
    x = tl.to_tensor(x)
    n = tl.to_tensor(n)
    if x.dtype == tl.float32:
        n = tl.minimum(tl.maximum(n, -400), 400)
        power = ((n.to(tl.int64) + 1023) << 52).to(tl.float64, bitcast=True)
        return (x.to(tl.float64) * power).to(tl.float32)
    small = tl.abs(x) < 2.2250738585072014e-308
    word = tl.where(small, x * 18014398509481984.0, x).to(tl.int64, bitcast=True)
    exponent = ((word >> 52) & 0x7ff).to(tl.int32) - 1023
    exponent = tl.where(small, exponent - 54, exponent) + tl.minimum(tl.maximum(n, -3000), 3000)
    mantissa = ((word & -0x7ff0000000000001) | 0x3ff0000000000000).to(tl.float64, bitcast=True)
    shift = tl.where(exponent < -1000, 200, tl.where(exponent > 1000, -200, 0))
    shift = tl.where(exponent < -1150, 400, shift)
    place = tl.minimum(tl.maximum(exponent, -1250), 1220) + shift
    back = ((1023 - shift).to(tl.int64) << 52).to(tl.float64, bitcast=True)
    scaled = (mantissa * ((place.to(tl.int64) + 1023) << 52).to(tl.float64, bitcast=True)) * back
    return tl.where((x == 0) | (tl.abs(x) == float("inf")) | (x != x), x, scaled)


@triton.jit
def scalbn(x, n):
    return ldexp(x, n)


@triton.jit
def nextafter(x, y):
    x = tl.to_tensor(x)
    y = tl.to_tensor(y)
    tl.static_assert(x.dtype == y.dtype and (x.dtype == tl.float32 or x.dtype == tl.float64),
                     "this function of libdevice needs fp32 or fp64")
    if x.dtype == tl.float64:
        bits = x.to(tl.int64, bitcast=True)
        least = tl.where(y > 0, 1, -0x7fffffffffffffff)
    else:
        bits = x.to(tl.int32, bitcast=True)
        least = tl.where(y > 0, 1, -2147483647)
    up = tl.where((y > x) == (x > 0), bits + 1, bits - 1)
    result = tl.where(x == 0, least.to(bits.dtype), up).to(x.dtype, bitcast=True)
    result = tl.where(x == y, y, result)
    return tl.where((x != x) | (y != y), x + y, result)
