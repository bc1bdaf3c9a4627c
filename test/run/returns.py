# SPDX-License-Identifier: Apache-2.0
# Returns in nested run-time ifs, in unrolled loops and of tuples; what follows them runs only where
# nothing was returned.
# case: x = i32[16] small, y = i32[16], z = i32[16], n = 16
# want: y == where(x > 5, 1, where(x > 0, where(x > 3, 2, 30 + x), where(x < 0 - 4, x - 100, 0 - x)))
# want: z == where(x == 0, 100, where(x == 1, 101, where(x == 2, 102, x + x * x)))
import triton
import triton.language as tl


@triton.jit
def classify(v):
    if v > 5:
        return 1
    if v > 0:
        if v > 3:
            return 2
        v += 30
    else:
        if v < -4:
            return v - 100
        else:
            v = -v
    return v


@triton.jit
def pair(v):
    for i in tl.static_range(3):
        if v == i:
            return v, 100
    w = v * v
    return v, w


@triton.jit
def kernel(x, y, z, n):
    for i in range(n):
        v = tl.load(x + i)
        tl.store(y + i, classify(v))
        a, b = pair(v)
        tl.store(z + i, a + b)
