# SPDX-License-Identifier: Apache-2.0
# Ascending and descending, along the last axis. NaN is the largest number.
# case: x = fp32[4, 64] normal, y = fp32[4, 64], z = fp32[4, 64]
# want: y == sort(x); z == -sort(-x)
# case: x = i32[4, 64] any, y = i32[4, 64], z = i32[4, 64]
# case: x = u32[4, 64] any, y = u32[4, 64], z = u32[4, 64]
# case: x = i8[4, 64] any, y = i8[4, 64], z = i8[4, 64]
# case: x = fp16[4, 64] any, y = fp16[4, 64], z = fp16[4, 64]
# case: x = bf16[4, 64] normal, y = bf16[4, 64], z = bf16[4, 64]
# case: x = fp64[4, 64] any, y = fp64[4, 64], z = fp64[4, 64]
# case: x = fp32[4, 64] edges, y = fp32[4, 64], z = fp32[4, 64]
# want: a = where(x == x, x, 1 / 0); n = where(x == x, 0, 1); y == where(sort(n) == 1, 0 / 0, sort(a))
# want: a = where(x == x, x, 1 / 0); n = where(x == x, 0, 1); z == where(sort(-n) == -1, 0 / 0, -sort(-a))
import triton
import triton.language as tl


@triton.jit
def order(x, y, z):
    o = tl.arange(0, 4)[:, None] * 64 + tl.arange(0, 64)[None, :]
    v = tl.load(x + o)
    tl.store(y + o, tl.sort(v))
    tl.store(z + o, tl.sort(v, descending=True))
