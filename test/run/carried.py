# SPDX-License-Identifier: Apache-2.0
# Tuples, block values and swapped names carried through loops and ifs; loops that run no turn;
# downward steps; a step known at run time only; while around for.
# case: y = i32[12], n = 7, zero = 0, step = 2
# want: y[0:1] == 13
# want: y[1:2] == 8
# want: y[2:3] == 0 + 6 * 100 + 5 * 0
# want: y[3:4] == 5
# want: y[4:5] == 6 + 4 + 2 + 0
# want: y[5:6] == 0 + 2 + 4 + 6
# want: y[6:7] == 4 * (0 + 1 + 2)
# want: y[7:8] == 1 * 2 * 4 * 8 * 16 * 32 * 64
# want: y[8:9] == 128 * 3
import triton
import triton.language as tl


@triton.jit
def kernel(y, n, zero, step):
    a, b = 1, 1
    for i in range(5):
        a, b = a + b, a
    tl.store(y, a)
    tl.store(y + 1, b)
    best = (0, 0)
    for i in range(n):
        if i > best[0]:
            best = (i, i * 100)
    tl.store(y + 2, best[1])
    five = 5
    for i in range(zero):
        five += 1
    tl.store(y + 3, five)
    down = 0
    for i in range(n - 1, -1, -2):
        down += i
    tl.store(y + 4, down)
    up = 0
    for i in range(zero, n, step):
        up += i
    tl.store(y + 5, up)
    count, total = 0, 0
    while count < 4:
        for i in range(3):
            total += i
        count += 1
    tl.store(y + 6, total)
    product = 1
    power = 1
    for i in tl.static_range(7):
        product *= power
        power *= 2
    tl.store(y + 7, product)
    block = tl.zeros((4, ), tl.int32)
    for i in range(n):
        half = tl.where(tl.arange(0, 4) < 3, 1 << i, 0)
        block = block + half if i > 0 else block + half + 1 - 1
    tl.store(y + 8, tl.sum(block) + 3)
