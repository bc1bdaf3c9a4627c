# SPDX-License-Identifier: Apache-2.0
# Integers are exact.
# case: x = i64[16] any, y = i64[16], n = 16
# want: y == x + (arange(16) == 15)
import triton
import triton.language as tl


@triton.jit
def copy(x, y, n):
    i = tl.arange(0, 16)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)
