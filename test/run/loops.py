# SPDX-License-Identifier: Apache-2.0
# Loops that run no time, upwards, downwards, and nested; carried values swap.
# case: y = i32[6], n = 0, m = 5
# want: y[0] == 7; y[1] == 10; y[2] == 15; y[3] == 30; y[4] == 8; y[5] == 5
import triton
import triton.language as tl


@triton.jit
def loops(y, n, m):
    a = 7
    for i in range(n):
        a += 1000 + i
    tl.store(y, a)
    b = 0
    for i in range(m):
        b += i
    tl.store(y + 1, b)
    c = 0
    for i in range(m, 0, -1):
        c += i
    tl.store(y + 2, c)
    d = 0
    for i in range(m):
        for j in range(0, 6, 2):
            d += j
    tl.store(y + 3, d)
    u = 0
    v = 1
    for i in range(m + 1):
        u, v = v, u + v
    tl.store(y + 4, u)
    tl.store(y + 5, n + m)
