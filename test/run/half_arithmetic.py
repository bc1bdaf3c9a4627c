# SPDX-License-Identifier: Apache-2.0
# f16 and bf16 arithmetic rounds each result.
# tolerance: 0 0
# case: a = fp16[256] normal, b = fp16[256] normal, s = fp16[256], p = fp16[256]
# want: s == f16(a + b); p == f16(a * b)
# case: a = bf16[256] normal, b = bf16[256] normal, s = bf16[256], p = bf16[256]
# want: s == bf16(a + b); p == bf16(a * b)
import triton
import triton.language as tl


@triton.jit
def half(a, b, s, p):
    i = tl.arange(0, 256)
    u = tl.load(a + i)
    v = tl.load(b + i)
    tl.store(s + i, u + v)
    tl.store(p + i, u * v)
