# SPDX-License-Identifier: Apache-2.0
# A conditional expression whose condition is known at run time only: tuples, texts that are equal, and
# values of either arm.
# case: y = i32[9] one, c = 1
# want: y[:2] == 10; y[2] == 1; y[3] == 2; y[4] == 3; y[5] == 4; y[6] == 30; y[7] == 5; y[8] == 1
# case: y = i32[9] one, c = 0
# want: y[:2] == 20; y[2] == 5; y[3] == 6; y[4] == 7; y[5] == 8; y[6] == 40; y[7] == 6; y[8] == 1
import triton
import triton.language as tl


@triton.jit
def ternary(y, c):
    i = tl.arange(0, 2)
    a = tl.full((2, ), 10, tl.int32)
    b = tl.full((2, ), 20, tl.int32)
    tl.store(y + i, a if c > 0 else b)
    one = tl.load(y + 8)
    p, q, r, s = (one, one + 1, one + 2, one + 3) if c == 1 else (one + 4, one + 5, one + 6, one + 7)
    tl.store(y + 2, p)
    tl.store(y + 3, q)
    tl.store(y + 4, r)
    tl.store(y + 5, s)
    z = 30
    if c == 0:
        z = 40
    tl.store(y + 6, z)
    (u, v), t = ((c, one + 4), one) if c == 1 else ((c, one + 5), one)
    tl.store(y + 7, v)
