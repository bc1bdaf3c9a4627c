# SPDX-License-Identifier: Apache-2.0
# tl.gather along an axis.
# case: x = fp32[16] normal, k = i32[16] {15, 0, 5, 5, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13}, y = fp32[16]
# want: y == take(x, k)
import triton
import triton.language as tl


@triton.jit
def pick(x, k, y):
    i = tl.arange(0, 16)
    tl.store(y + i, tl.gather(tl.load(x + i), tl.load(k + i), axis=0))
