# SPDX-License-Identifier: Apache-2.0
# tl.map_elementwise: arms that differ per lane, early returns, several results, pack, loops of a
# fixed length, a conditional expression.
# case: x = i32[64] uniform, y = i32[64] uniform, o = i32[7, 64]
# want: o[0] == (x > y) - (x < y)
# want: o[1] == x * 2 + 1
# want: o[2] == y * 2
# want: o[3] == x * 2 + 1
# want: o[4] == y * 2
# want: o[5] == where(x > 0, x * 8, 0 - 7)
# want: o[6] == where(x > 0, where(y > 0, 3, 4), 5)
import triton
import triton.language as tl


@triton.jit
def compare(a, b):
    if a < b:
        return -1
    elif a == b:
        return 0
    else:
        return 1


@triton.jit
def two(a, b):
    return a * 2 + 1, b * 2


@triton.jit
def two_of_two(a0, a1, b0, b1):
    return a0 * 2 + 1, a1 * 2 + 1, b0 * 2, b1 * 2


@triton.jit
def doubled(a):
    r = 1
    if a > 0:
        r = a
        for i in range(3):
            r += r
    else:
        r = -7
    return r


@triton.jit
def nested(a, b):
    return (3 if b > 0 else 4) if a > 0 else 5


@triton.jit
def mapped(x, y, o):
    i = tl.arange(0, 64)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(o + i, tl.map_elementwise(compare, a, b))
    c, d = tl.map_elementwise(two, a, b)
    tl.store(o + 64 + i, c)
    tl.store(o + 128 + i, d)
    c, d = tl.map_elementwise(two_of_two, a, b, pack=2)
    tl.store(o + 192 + i, c)
    tl.store(o + 256 + i, d)
    tl.store(o + 320 + i, tl.map_elementwise(doubled, a))
    tl.store(o + 384 + i, tl.map_elementwise(nested, a, b))
