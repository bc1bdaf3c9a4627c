# SPDX-License-Identifier: Apache-2.0
# Inline PTX: pointers, several results, and packs, which take one constraint for each register.
# case: x = i32[512] any, b = u8[512] any, y = i32[4, 512]
# want: y[0] == x
# want: y[1] == x + 5
# want: y[2] == (x & 255) * 2
# want: y[3] == b
import triton
import triton.language as tl


@triton.jit
def inline_asm(x, b, y):
    i = tl.arange(0, 512)
    v = tl.inline_asm_elementwise("ld.global.b32 $0, [$1];", "=r,l", [x + i], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(y + i, v)
    c, d = tl.inline_asm_elementwise("""{
        add.s32 $0, $2, 5;
        and.b32 $1, $2, 255;
        shl.b32 $1, $1, 1;
    }""", "=r,=r,r", [v], dtype=(tl.int32, tl.int32), is_pure=True, pack=1)
    tl.store(y + 512 + i, c)
    tl.store(y + 1024 + i, d)
    e = tl.inline_asm_elementwise("""{
        shr.u32 $3, $4, 24;
        shr.u32 $2, $4, 16;
        and.b32 $2, $2, 255;
        shr.u32 $1, $4, 8;
        and.b32 $1, $1, 255;
        and.b32 $0, $4, 255;
    }""", "=r,=r,=r,=r,r", [tl.load(b + i)], dtype=tl.int32, is_pure=True, pack=4)
    tl.store(y + 1536 + i, e)
