# SPDX-License-Identifier: Apache-2.0
# A function of the file takes a kernel's value out of its box, as helpers of libraries do.
# case: x = f32[8] any, o = i32[8], B = 8
# want: o == i32(float_bits(x))
import triton
import triton.language as tl


def plain(value):
    return value.value if isinstance(value, tl.constexpr) else value


@tl.constexpr
def signed_type(bits):
    return tl.core.get_int_dtype(plain(bits), True)


@triton.jit
def bits_of(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    value = tl.load(x + i)
    bits: tl.constexpr = value.dtype.primitive_bitwidth
    tl.store(o + i, value.to(signed_type(bits), bitcast=True))
