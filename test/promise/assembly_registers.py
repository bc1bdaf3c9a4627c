# SPDX-License-Identifier: Apache-2.0
# What assembly reads of the grid is what the program is told: its number and the grid's size.
# case: y = i32[24, 8]
# grid: 2, 3, 4
# want: y[:, 0] == arange(24) % 2
# want: y[:, 1] == arange(24) // 2 % 3
# want: y[:, 2] == arange(24) // 6
# want: y[:, 3] == 2
# want: y[:, 4] == 3
# want: y[:, 5] == 4
import triton
import triton.language as tl


@triton.jit
def told(y):
    p = tl.program_id(0) + 2 * (tl.program_id(1) + 3 * tl.program_id(2))
    a = tl.inline_asm_elementwise("mov.u32 $0, %ctaid.x;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)
    b = tl.inline_asm_elementwise("mov.u32 $0, %ctaid.y;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)
    c = tl.inline_asm_elementwise("mov.u32 $0, %ctaid.z;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)
    d = tl.inline_asm_elementwise("mov.u32 $0, %nctaid.x;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)
    e = tl.inline_asm_elementwise("mov.u32 $0, %nctaid.y;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)
    f = tl.inline_asm_elementwise("mov.u32 $0, %nctaid.z;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(y + p * 8, a)
    tl.store(y + p * 8 + 1, b)
    tl.store(y + p * 8 + 2, c)
    tl.store(y + p * 8 + 3, d)
    tl.store(y + p * 8 + 4, e)
    tl.store(y + p * 8 + 5, f)
