# SPDX-License-Identifier: Apache-2.0
# Halves and a constant, two at a time: no instruction of pairs takes a number as an operand.
# tolerance: 0 0
# case: a = fp16[512] normal, s = fp16[512], p = fp16[512], f = fp16[512]
# want: s == f16(a + 3); p == f16(a * 0.5); f == f16(2 - a)
# case: a = bf16[512] normal, s = bf16[512], p = bf16[512], f = bf16[512]
# want: s == bf16(a + 3); p == bf16(a * 0.5); f == bf16(2 - a)
import triton
import triton.language as tl


@triton.jit
def constants(a, s, p, f):
    i = tl.arange(0, 512)
    x = tl.load(a + i)
    tl.store(s + i, x + 3.0)
    tl.store(p + i, x * 0.5)
    tl.store(f + i, 2.0 - x)
