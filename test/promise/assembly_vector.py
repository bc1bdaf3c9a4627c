# SPDX-License-Identifier: Apache-2.0
# Inline PTX that loads and stores vectors asks for what PTX asks for: their alignment.
# case: x = i32[256] any, y = i32[256]
# want: y == x + 1
# case: x = i32[256] any +1, y = i32[256]
# only: interp
# fails: not a multiple of its 8 bytes
import triton
import triton.language as tl


@triton.jit
def assembly_vector(x, y):
    j = tl.arange(0, 128) * 2
    a, b = tl.inline_asm_elementwise("ld.global.v2.b32 {$0, $1}, [$2];", "=r,=r,l", [x + j], dtype=(tl.int32, tl.int32), is_pure=False, pack=1)
    tl.inline_asm_elementwise("st.global.v2.b32 [$1], {$2, $3}; mov.b32 $0, 0;", "=r,l,r,r", [y + j, a + 1, b + 1], dtype=tl.int32, is_pure=False, pack=1)
