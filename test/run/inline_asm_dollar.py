# SPDX-License-Identifier: Apache-2.0
# In inline PTX $$ is the letter $, which names may have; $0 and $1 are the operands.
# case: x = i32[128] small, y = i32[128] zero
# want: y == x + 5
import triton
import triton.language as tl


@triton.jit
def inline_asm_dollar(x, y):
    i = tl.arange(0, 128)
    v = tl.inline_asm_elementwise("""{
        .reg .b32 a$$b;
        add.s32 a$$b, $1, 5;
        mov.b32 $0, a$$b;
    }""", "=r,r", [tl.load(x + i)], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(y + i, v)
