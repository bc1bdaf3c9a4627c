# SPDX-License-Identifier: Apache-2.0
# A pointer with a constant below it: PTX writes such an address [r+-8].
# case: o = i64[8] {8, 7, 6, 5, 4, 3, 2, 1}, x = i32[12] zero, n = 8
# want: x[:8] == o - 1
# case: o = i64[32] full(3), x = i32[12] full(5), n = 1
# want: x[2:3] == 0
import triton
import triton.language as tl


@triton.jit
def before(o, x, n):
    i = tl.arange(0, 32)
    p = tl.load(o + i, mask=i < n) - 1
    tl.store(x + p, i, mask=i < n)
