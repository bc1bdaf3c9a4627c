# SPDX-License-Identifier: Apache-2.0
# One element is wrong: by 2e-5 of its value.
# case: x = f32[16] {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}, y = f32[16], n = 16
# want: y == x * where(arange(16) == 7, 1.00002, 1)
import triton
import triton.language as tl


@triton.jit
def copy(x, y, n):
    i = tl.arange(0, 16)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)
