# SPDX-License-Identifier: Apache-2.0
# Ascending and descending, along the last axis.
# case: x = fp32[4, 64] normal, y = fp32[4, 64], z = fp32[4, 64]
# want: y == sort(x); z == -sort(-x)
# case: x = i32[4, 64] any, y = i32[4, 64], z = i32[4, 64]
import triton
import triton.language as tl


@triton.jit
def order(x, y, z):
    o = tl.arange(0, 4)[:, None] * 64 + tl.arange(0, 64)[None, :]
    v = tl.load(x + o)
    tl.store(y + o, tl.sort(v))
    tl.store(z + o, tl.sort(v, descending=True))
