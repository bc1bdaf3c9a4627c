# SPDX-License-Identifier: Apache-2.0
# A scalar load whose `other` is a number of the program or comes from memory.
# case: x = f16[2] {3, 4}, y = f16[4], c = 0, o = 9
# want: y[0] == 9; y[1] == 4; y[2] == 0; y[3] == 10
# case: x = f16[2] {3, 4}, y = f16[4], c = 1, o = 9
# want: y[0] == 3; y[1] == 3; y[2] == 3; y[3] == 3
import triton
import triton.language as tl


@triton.jit
def other(x, y, c, o):
    tl.store(y, tl.load(x, mask=c > 0, other=o))
    tl.store(y + 1, tl.load(x, mask=c > 0, other=tl.load(x + 1)))
    tl.store(y + 2, tl.load(x, mask=c > 0, other=0.0))
    i = tl.arange(0, 1)
    tl.store(y + 3 + i, tl.load(x + i, mask=(i < c) & (c > 0), other=o + 1))
