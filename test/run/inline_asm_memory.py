# SPDX-License-Identifier: Apache-2.0
# Inline PTX that reads and writes memory, loops, and takes numbers: guards, atomics.
# case: x = i32[256] small, n = i32[4] zero, y = i32[8, 256] zero
# want: y[0] == x
# want: y[1] == x + 1
# want: y[2] == where(x > 0, x, -7)
# want: y[3] == x * x
# want: y[4] == 40
# want: y[5] == 256
# want: y[6] == x & 255
# want: n[0] == 256
# want: n[1] == 255
# want: n[2] == 1
# want: n[3] == 0
import triton
import triton.language as tl


@triton.jit
def inline_asm_memory(x, n, y):
    i = tl.arange(0, 256)
    v = tl.load(x + i)
    tl.inline_asm_elementwise("st.global.b32 [$1], $2; mov.b32 $0, 0;", "=r,l,r", [y + i, v], dtype=tl.int32, is_pure=False, pack=1)
    a, b = tl.inline_asm_elementwise("ld.global.b32 $0, [$2]; ld.relaxed.gpu.global.s32 $1, [$2];", "=r,=r,l", [x + i], dtype=(tl.int32, tl.int32), is_pure=False, pack=1)
    tl.store(y + 256 + i, a + b - v + 1)
    c = tl.inline_asm_elementwise("""{
        .reg .pred %p<2>;
        setp.gt.s32 %p0, $1, 0;
        mov.b32 $0, -7;
        @!%p0 bra done;
        mov.b32 $0, $1;
        done:
    }""", "=r,r", [v], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(y + 512 + i, c)
    d = tl.inline_asm_elementwise("mul.lo.s32 $0, $1, $1;", "=r,r", [v], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(y + 768 + i, d)
    e = tl.inline_asm_elementwise("""{
        .reg .pred more;
        mov.b32 $0, 0;
        again:
        add.s32 $0, $0, $2;
        setp.lt.s32 more, $0, $1;
        @more bra again;
    }""", "=r,r,n", [i * 0 + 36, 8], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(y + 1024 + i, e)
    f = tl.inline_asm_elementwise("atom.global.add.u32 $0, [$1], 1;", "=r,l", [n + i * 0], dtype=tl.int32, is_pure=False, pack=1)
    g = tl.inline_asm_elementwise("red.relaxed.gpu.global.max.s32 [$1], $2; atom.global.cas.b32 $0, [$1+4], 0, 1;", "=r,l,r", [n + 1 + i * 0, f], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(y + 1280 + i, i * 0 + tl.sum(g) + 1)
    h = tl.inline_asm_elementwise("ld.global.u8 $0, [$1];", "=r,l", [(x + i).to(tl.pointer_type(tl.int8))], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(y + 1536 + i, h)
