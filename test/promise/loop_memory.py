# SPDX-License-Identifier: Apache-2.0
# Loops that read and write one place: each turn sees what the turn before wrote, in either order, by
# one element, by a tile, by two pointers to the same memory.
# case: y = i32[8] zero, t = i32[96] arange, n = 5
# want: y[0] == 5; y[1] == 31; y[2] == 4; y[3] == 10; y[4] == 30; y[5] == 2; y[6] == 15; y[7] == 3
# want: t[:32] == arange(32); t[32:64] == 32 + arange(32) + 5; t[64:] == 64 + arange(32) + 3 * 5
import triton
import triton.language as tl


@triton.jit
def loop_memory(y, t, n):
    for k in range(4):
        tl.store(y, tl.load(y) + 1)
    for k in range(4):
        tl.store(y + 1, 2 * tl.load(y + 1) + 1)
    for k in range(n):
        tl.store(y + 2, k)
        tl.store(y + 3, tl.load(y + 3) + tl.load(y + 2))
    for k in range(1):
        tl.store(y, tl.load(y) + 1)
        tl.store(y + 1, tl.load(y + 1) + 16)
    total = 0
    for k in range(4):
        before = tl.load(y + 4)
        tl.store(y + 4, before * 2 + 2)
        total += before
    tl.store(y + 4, total + 8)
    tl.store(y + 5, 0)
    for k in range(0, 6, 3):
        a = tl.load(y + 5)
        tl.store(y + 5 + n - n, a + 1)
    for k in range(n):
        tl.store(y + 6, tl.load(y + 6) + k + 1)
    i = tl.arange(0, 32)
    for k in range(5):
        tl.store(t + 32 + i, tl.load(t + 32 + i) + 1)
    for k in range(n):
        v = tl.load(t + 64 + i)
        tl.store(t + 64 + i, v + 3)
    for k in range(3):
        tl.store(y + 7, k + 1)
