# SPDX-License-Identifier: Apache-2.0
# The upper half of unsigned products.
# case: a = u32[64] any, b = u32[64] any, y = u32[64]
# want: y == floor(a * b / 4294967296)
import triton
import triton.language as tl


@triton.jit
def high(a, b, y):
    i = tl.arange(0, 64)
    tl.store(y + i, tl.umulhi(tl.load(a + i), tl.load(b + i)))
