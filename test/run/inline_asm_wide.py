# SPDX-License-Identifier: Apache-2.0
# Inline PTX with a constant of 64 bits, of which both halves count.
# case: x = i32[64] any, y = i64[64]
# want: y == i64(x) + 12884901895
import triton
import triton.language as tl


@triton.jit
def inline_asm_wide(x, y):
    i = tl.arange(0, 64)
    v = tl.load(x + i).to(tl.int64)
    w = tl.inline_asm_elementwise("add.s64 $0, $1, 0x300000007;", "=l,l", [v], dtype=tl.int64, is_pure=True, pack=1)
    tl.store(y + i, w)
