# SPDX-License-Identifier: Apache-2.0
# The accumulator of a product is one of its operands: it must be read before it is written.
# tolerance: 1e-5 1e-5
# case: a = fp32[16, 16] normal, b = fp32[16, 16] normal, c = fp32[16, 16], d = fp32[16, 16]
# want: c == a @ b + b; d == a @ b + a
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, d):
    o = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    x = tl.load(a + o)
    y = tl.load(b + o)
    tl.store(c + o, tl.dot(x, y, acc=y, input_precision="ieee"))
    tl.store(d + o, tl.dot(x, y, acc=x, input_precision="ieee"))
