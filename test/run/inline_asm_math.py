# SPDX-License-Identifier: Apache-2.0
# Inline PTX as kernels use it: bits, halves and bytes in pairs; two roundings where rn asks for
# two. Pairs of halves and of bytes by one instruction are there from Hopper's PTX on.
# only: interp placed cpu sim cuda
# tolerance: 0 0
# case: x = f32[512] small, y = f32[512] normal, i = i32[512] any, h = f16[512] any, f = f32[6, 512], o = i32[8, 512], b = fp8e4nv[512], k = f16[512]
# want: f[0] == f32(f32(x * y) + 1)
# want: f[1] == 2 * x
# want: f[2] == bf16(bf16(y) * x + bf16(y))
# want: f[3] == abs(x)
# want: f[4] == exp2(-x)
# want: f[5] == i32((i & 255) ^ 128) - 128
# want: o[0] == i32((u32(i) << 7) | (u32(i) >> 25))
# want: o[1] == (i & 255)
# want: o[2] == ((i >> 4) & 15)
# want: o[3] == i
# want: o[4] == i8(i) + i8(i >> 8) + i8(i >> 16) + i8(i >> 24)
# want: o[5] == (i & 255) * 256 + 85
# want: o[6] == i32(((i & 255) << 8) | ((i >> 8) & 255))
# want: o[7] == 10
# want: b == e4m3(y)
# want: k == abs(h)
import triton
import triton.language as tl


@triton.jit
def inline_asm_math(x, y, i, h, f, o, b, k):
    n = tl.arange(0, 512)
    a, c, j = tl.load(x + n), tl.load(y + n), tl.load(i + n)
    tl.store(f + n, tl.inline_asm_elementwise("{ .reg .f32 t; mul.rn.f32 t, $1, $2; add.rn.f32 $0, t, 0f3F800000; }", "=f,f,f", [a, c], dtype=tl.float32, is_pure=True, pack=1))
    pair = tl.inline_asm_elementwise("cvt.rn.f16x2.f32 $0, $2, $1; add.f16x2 $0, $0, $0;", "=r,r,r", [a, a + 1], dtype=tl.int32, is_pure=True, pack=1)
    low, high = tl.inline_asm_elementwise("{ .reg .b16 l, h; mov.b32 {l, h}, $2; cvt.f32.f16 $0, l; cvt.f32.f16 $1, h; }", "=f,=f,r", [pair], dtype=(tl.float32, tl.float32), is_pure=True, pack=1)
    tl.store(f + 512 + n, low + (high - 2 * a - 2))
    tl.store(f + 1024 + n, tl.inline_asm_elementwise("""{
        .reg .b32 p, q;
        .reg .b16 l, h;
        cvt.rn.bf16x2.f32 p, $1, $1;
        cvt.rn.bf16x2.f32 q, $2, $2;
        fma.rn.bf16x2 p, p, q, q;
        mov.b32 {l, h}, p;
        cvt.f32.bf16 $0, h;
    }""", "=f,f,f", [a, c], dtype=tl.float32, is_pure=True, pack=1))
    tl.store(f + 1536 + n, tl.inline_asm_elementwise("{ .reg .b32 m; and.b32 m, $1, 0x7fffffff; mov.b32 $0, m; }", "=r,r", [a], dtype=tl.float32, is_pure=True, pack=1))
    tl.store(f + 2048 + n, tl.inline_asm_elementwise("{ .reg .f32 t; ex2.approx.ftz.f32 t, $1; rcp.approx.ftz.f32 $0, t; }", "=r,f", [a], dtype=tl.float32, is_pure=True, pack=1))
    tl.store(f + 2560 + n, tl.inline_asm_elementwise("{ .reg .b8 t<4>; mov.b32 {t0, t1, t2, t3}, $1; cvt.rn.f32.s8 $0, t0; }", "=f,r", [j], dtype=tl.float32, is_pure=True, pack=1))
    tl.store(o + n, tl.inline_asm_elementwise("shf.l.wrap.b32 $0, $1, $1, 7;", "=r,r", [j], dtype=tl.int32, is_pure=True, pack=1))
    tl.store(o + 512 + n, tl.inline_asm_elementwise("{ .reg .b8 t<4>; mov.b32 {t0, t1, t2, t3}, $1; cvt.u32.u8 $0, t0; }", "=r,r", [j], dtype=tl.int32, is_pure=True, pack=1))
    tl.store(o + 1024 + n, tl.inline_asm_elementwise("bfe.u32 $0, $1, 4, 4;", "=r,r", [j], dtype=tl.int32, is_pure=True, pack=1))
    tl.store(o + 1536 + n, tl.inline_asm_elementwise("lop3.b32 $0, $1, $2, $3, 0xca;", "=r,r,r,r", [j * 0 - 1, j, j * 0], dtype=tl.int32, is_pure=True, pack=1))
    tl.store(o + 2048 + n, tl.inline_asm_elementwise("dp4a.s32.s32 $0, $1, 0x01010101, 0;", "=r,r", [j], dtype=tl.int32, is_pure=True, pack=1))
    tl.store(o + 2560 + n, tl.inline_asm_elementwise("bfi.b32 $0, $1, $2, 8, 8;", "=r,r,n", [j, 85], dtype=tl.int32, is_pure=True, pack=1))
    tl.store(o + 3072 + n, tl.inline_asm_elementwise("prmt.b32 $0, $1, 0, 0x4401;", "=r,r", [j], dtype=tl.int32, is_pure=True, pack=1))
    tl.store(o + 3584 + n, tl.inline_asm_elementwise("{ mov.u32 $0, %ctaid.x; add.s32 $0, $0, $1; }", "=r,n", [10], dtype=tl.int32, is_pure=True, pack=1))
    # four bytes in a register, from four registers of f32
    tl.store(b + n, tl.inline_asm_elementwise("""{
        .reg .b16 lo, hi;
        cvt.rn.satfinite.e4m3x2.f32 lo, $2, $1;
        cvt.rn.satfinite.e4m3x2.f32 hi, $4, $3;
        mov.b32 $0, {lo, hi};
    }""", "=r,r,r,r,r", [c], dtype=tl.float8e4nv, is_pure=True, pack=4))
    tl.store(k + n, tl.inline_asm_elementwise("abs.f16x2 $0, $1;", "=r,r", [tl.load(h + n)], dtype=tl.float16, is_pure=True, pack=2))
