# SPDX-License-Identifier: Apache-2.0
# Steps that were unrolled: scalars and tiles of one block, without a nest between them, which are loops
# again on the cpu. Numbers differ, values go from one step to the next or to the one after two more,
# one of the steps in the middle is read behind them, the last three of others, one by all that follow.
# case: x = i32[200] arange, y = i32[200] zero, f = f32[200] zero, c = i32[9] zero, n = 200, N = 96
# grid: 4
# want: y == reshape(sum(where(reshape(x, 200, 1) > arange(96) * 2, reshape(x, 200, 1) - arange(96), 3 * arange(96) + reshape(x, 200, 1)), 1), 200)
# want: f == reshape(sum(where(arange(96) < reshape(x, 200, 1), 0.5 * arange(96) + 1, 0), 1), 200)
# want: c[0] == 847; c[1] == 351; c[2] == 1489; c[3] == 420; c[4] == 99; c[5] == 179; c[6] == 601; c[7] == 802; c[8] == 625
# case: x = i32[64] arange, y = i32[64] zero, f = f32[64] zero, c = i32[9] zero, n = 64, N = 3
# grid: 1
# want: y == reshape(sum(where(reshape(x, 64, 1) > arange(3) * 2, reshape(x, 64, 1) - arange(3), 3 * arange(3) + reshape(x, 64, 1)), 1), 64)
# want: f == reshape(sum(where(arange(3) < reshape(x, 64, 1), 0.5 * arange(3) + 1, 0), 1), 64)
# want: c[0] == 944; c[1] == 852; c[2] == 777; c[3] == 736; c[4] == 736; c[5] == 114; c[6] == 844; c[7] == 259; c[8] == 1137
import triton
import triton.language as tl


@triton.jit
def steps(x, y, f, c, n, N: tl.constexpr):
    at = tl.program_id(0) * 64 + tl.arange(0, 64)
    w = tl.load(x + at, mask=at < n, other=0)
    total = tl.zeros([64], tl.int32)
    halves = tl.zeros([64], tl.float32)
    for j in tl.static_range(N):
        total += tl.where(w > j * 2, w - j, 3 * j + w)
        halves += tl.where(j < w, 0.5 * j + 1, 0.0)
    tl.store(y + at, total, mask=at < n)
    tl.store(f + at, halves, mask=at < n)
    a = n
    b = 1
    for j in tl.static_range(N):
        a, b = (a * 5 + j) % 1009, b ^ (a + j * 3)
    before = 1
    now = n
    for j in tl.static_range(N):
        before, now = now, (before + now * 2 + j) % 4001
    kept = 0
    other = n
    for j in tl.static_range(N):
        other = (other * 3 + j) % 997
        if j == 2:
            kept = other
    last = b
    first = b
    for j in tl.static_range(N):
        last = (last * 7 + first + (j + 1)) % 991
        if j == 0:
            first = last
    third = a
    second = b
    newest = n
    for j in tl.static_range(N):
        third, second, newest = second, newest, (newest * 3 + third + (j + 1)) % 2003
    tl.store(c + 6, newest)
    tl.store(c + 7, second)
    tl.store(c + 8, third)
    tl.store(c, a)
    tl.store(c + 1, b)
    tl.store(c + 2, now)
    tl.store(c + 3, kept)
    tl.store(c + 4, other)
    tl.store(c + 5, last)
