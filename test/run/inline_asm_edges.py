# SPDX-License-Identifier: Apache-2.0
# What an H200 gives: rests of divisions by 0, products of f64 that are rounded one way among
# subnormal numbers, products that are flushed because they are below the least normal number
# before they are rounded.
# only: interp cpu sim cuda
# case: w = i64[6], o = i32[5], f = i32[4], zero = 0, one = 1, number = i64(4751297606874824704), small = i64(4503599627370496), below = 16777215, half = 1056964608, near = 1065353215, least = 8388608
# want: w[0] == 4294967295; w[1] == 1; w[2] == 0; w[3] == 2; w[4] == -1; w[5] == -1
# want: o[0] == -1; o[1] == -1; o[2] == 65535; o[3] == 65535; o[4] == 1
# want: f[0] == 0; f[1] == 0; f[2] == 8388608; f[3] == 8388608
import triton
import triton.language as tl


@triton.jit
def two(text: tl.constexpr, a, b, constraints: tl.constexpr, dtype: tl.constexpr):
    return tl.inline_asm_elementwise(text, constraints, [a, b], dtype=dtype, is_pure=True, pack=1)


@triton.jit
def inline_asm_edges(w, o, f, zero, one, number, small, below, half, near, least):
    tiny = (zero + 1).to(tl.int64)
    tl.store(w, two("{ .reg .f64 a, b; mov.b64 a, $1; mov.b64 b, $2; mul.rz.f64 a, a, b; mov.b64 $0, a; }", tiny, number, "=l,l,l", tl.int64))
    tl.store(w + 1, two("{ .reg .f64 a, b; mov.b64 a, $1; mov.b64 b, $2; mul.rp.f64 a, a, b; mov.b64 $0, a; }", tiny, tiny, "=l,l,l", tl.int64))
    tl.store(w + 2, two("{ .reg .f64 a, b; mov.b64 a, $1; mov.b64 b, $2; mul.rm.f64 a, a, b; mov.b64 $0, a; }", tiny, small, "=l,l,l", tl.int64))
    tl.store(w + 3, two("{ .reg .f64 a, b; mov.b64 a, $1; mov.b64 b, $2; neg.f64 a, a; mul.rm.f64 a, a, b; mov.b64 $0, a; }", tiny, small, "=l,l,l", tl.int64) << 1)
    tl.store(w + 4, two("rem.s64 $0, $1, $2;", small, zero.to(tl.int64), "=l,l,l", tl.int64))
    tl.store(w + 5, two("rem.u64 $0, $1, $2;", small, zero.to(tl.int64), "=l,l,l", tl.int64))
    tl.store(o, two("rem.s32 $0, $1, $2;", below, zero, "=r,r,r", tl.int32))
    tl.store(o + 1, two("rem.u32 $0, $1, $2;", below, zero, "=r,r,r", tl.int32))
    tl.store(o + 2, two("{ .reg .b16 a, b; cvt.u16.u32 a, $1; cvt.u16.u32 b, $2; rem.u16 a, a, b; cvt.u32.u16 $0, a; }", below, zero, "=r,r,r", tl.int32))
    tl.store(o + 3, two("{ .reg .b16 a, b; cvt.u16.u32 a, $1; cvt.u16.u32 b, $2; rem.s16 a, a, b; cvt.u32.u16 $0, a; }", below, zero, "=r,r,r", tl.int32))
    tl.store(o + 4, two("rem.s32 $0, $1, $2;", below, one + 1, "=r,r,r", tl.int32))
    tl.store(f, two("{ .reg .f32 a, b; mov.b32 a, $1; mov.b32 b, $2; mul.rn.ftz.f32 a, a, b; mov.b32 $0, a; }", below, half, "=r,r,r", tl.int32))
    tl.store(f + 1, two("{ .reg .f32 a, b; mov.b32 a, $1; mov.b32 b, $2; fma.rn.ftz.f32 a, a, b, 0f80000000; mov.b32 $0, a; }", near, least, "=r,r,r", tl.int32))
    tl.store(f + 2, two("{ .reg .f32 a, b; mov.b32 a, $1; mov.b32 b, $2; mul.rn.ftz.f32 a, a, b; mov.b32 $0, a; }", least, near + 1, "=r,r,r", tl.int32))
    tl.store(f + 3, two("{ .reg .f32 a, b; mov.b32 a, $1; mov.b32 b, $2; mul.rn.f32 a, a, b; mov.b32 $0, a; }", below, half, "=r,r,r", tl.int32))
