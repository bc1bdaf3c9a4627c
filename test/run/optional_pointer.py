# SPDX-License-Identifier: Apache-2.0
# None for a pointer is known at compile time.
# case: x = fp32[16] normal, b = none, y = fp32[16]
# want: y == x
# case: x = fp32[16] normal, b = fp32[16] normal, y = fp32[16]
# want: y == x + b
import triton
import triton.language as tl


@triton.jit
def maybe(x, b, y):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    if b is not None:
        v += tl.load(b + i)
    tl.store(y + i, v)
