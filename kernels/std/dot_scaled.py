# SPDX-License-Identifier: Apache-2.0
# Products of blocks in the formats of the OCP microscaling specification: each run of 32 (or 16)
# elements along K has one scale. Elements are scaled first, in bf16, which holds every fp4 and fp8
# value times a power of two; with an fp16 operand in fp32. The sum is in fp32.
import triton
import triton.language as tl


@triton.jit
def _swap_last(x):
    if len(x.shape) == 3:
        return tl.permute(x, (0, 2, 1))
    else:
        return tl.trans(x)


# Two e2m1 numbers a byte along the last dimension, the first in the low bits: sign, 2 bits of
# exponent with bias 1, 1 of mantissa; 0.5 is the only subnormal.
@triton.jit
def _unpack_fp4(x):
    code = tl.reshape(tl.join(x & 15, x >> 4), x.shape[:-1] + (2 * x.shape[-1],)).to(tl.int16)
    size = code & 7
    normal = ((size >> 1) + 126 << 7) | ((size & 1) << 6)
    bits = tl.where(size >= 2, normal, tl.where(size == 1, 0x3F00, 0))
    value = bits.to(tl.int16).to(tl.bfloat16, bitcast=True).to(tl.float32)
    return tl.where(code >= 8, -value, value)


@triton.jit
def _scale_value(scale):
    if scale.dtype == tl.uint8:
        # e8m0: a power of two; 255 is NaN, and 0 is 2^-127, a subnormal of fp32.
        bits = tl.where(scale == 0, 0x00400000, tl.where(scale == 255, 0x7FC00000, scale.to(tl.int32) << 23))
        return bits.to(tl.float32, bitcast=True)
    else:
        tl.static_assert(scale.dtype == tl.float8e4nv, "the scales must be uint8 (e8m0) or fp8e4nv")
        return scale.to(tl.float32)


# x is [.., rows, K]: the scale is [.., rows, K / group].
@triton.jit
def _scaled(x, scale):
    if scale is None:
        return x
    else:
        groups: tl.constexpr = scale.shape[-1]
        group: tl.constexpr = x.shape[-1] // groups
        tl.static_assert(group == 32 or group == 16, "a scale must be for 32 or 16 elements along K")
        tl.static_assert(scale.shape[:-1] == x.shape[:-1], "the scales must have the rows of their operand")
        each = tl.broadcast_to(tl.expand_dims(_scale_value(scale), -1), scale.shape + (group,))
        return x * tl.reshape(each, x.shape)


@triton.jit
def _values(x, format: tl.constexpr):
    if format == "e2m1":
        tl.static_assert(x.dtype == tl.uint8, "an e2m1 operand must be uint8, two numbers each")
        return _unpack_fp4(x)
    elif format == "e4m3" or format == "e5m2":
        kind: tl.constexpr = tl.float8e4nv if format == "e4m3" else tl.float8e5
        tl.static_assert(x.dtype == kind or x.dtype == tl.uint8, "the operand does not have its format's dtype")
        return x.to(kind, bitcast=True).to(tl.float32)
    else:
        tl.static_assert(format == "bf16" or format == "fp16", "the format must be e2m1, e4m3, e5m2, bf16 or fp16")
        kind: tl.constexpr = tl.bfloat16 if format == "bf16" else tl.float16
        tl.static_assert(x.dtype == kind, "the operand does not have its format's dtype")
        return x.to(tl.float32)


@triton.jit
def _product(lhs, lhs_scale, lhs_format: tl.constexpr, rhs, rhs_scale, rhs_format: tl.constexpr, acc,
             lhs_k_pack: tl.constexpr, rhs_k_pack: tl.constexpr):
    a = _values(lhs, lhs_format) if lhs_k_pack else _swap_last(_values(_swap_last(lhs), lhs_format))
    b = _values(_swap_last(rhs), rhs_format) if rhs_k_pack else _swap_last(_values(rhs, rhs_format))
    narrow: tl.constexpr = tl.float32 if lhs_format == "fp16" or rhs_format == "fp16" else tl.bfloat16
    if lhs_scale is not None and rhs_scale is not None:
        tl.static_assert(a.shape[-1] // lhs_scale.shape[-1] == b.shape[-1] // rhs_scale.shape[-1],
                         "the scales of both operands must be for the same number of elements along K")
    left = _scaled(a, lhs_scale).to(narrow)
    right = _swap_last(_scaled(b, rhs_scale).to(narrow))
    return tl.dot(left, right, acc, input_precision="ieee")


@triton.jit
def dot_scaled(lhs, lhs_scale, lhs_format: tl.constexpr, rhs, rhs_scale, rhs_format: tl.constexpr, acc=None,
               fast_math: tl.constexpr = False, lhs_k_pack: tl.constexpr = True, rhs_k_pack: tl.constexpr = True,
               out_dtype: tl.constexpr = tl.float32):
    tl.static_assert(out_dtype == tl.float32, "out_dtype must be fp32")
    tl.static_assert(lhs_k_pack or lhs_format == "e2m1", "only e2m1 can be packed along another dimension than K")
    tl.static_assert(rhs_k_pack or rhs_format == "e2m1", "only e2m1 can be packed along another dimension than K")
    if isinstance(lhs, tl.tensor) and isinstance(rhs, tl.tensor):
        return _product(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc, lhs_k_pack, rhs_k_pack)
    else:
        tl.static_assert(False, "the operands must be tensors")
