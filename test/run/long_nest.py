# SPDX-License-Identifier: Apache-2.0
# A long loop nest: on the cpu it is cut, and what is masked has one body for all lanes where masks cost
# nothing. Values go over the cuts, some to the next step, some to the end; sizes end inside a vector.
# case: x = i32[1300] any, y = i32[100] zero, z = i32[100] zero, b = f32[100] zero, s = i32[4] zero, n = 100, N = 64
# grid: 4
# want: i = arange(100); t = reshape(arange(64), 1, 64); v = take(x, reshape(i, 100, 1) * 13 + t % 13)
# want: q = i32(reshape(sum(where(v % 3 == 0, v ^ t, v + t * 5), 1), 100)); y == q
# want: z == i32(reshape(max(v ^ (t * 3), 1), 100) + take(x, i * 13 + 1))
# want: b == reshape(sum(where(v > t, 1, 0), 1), 100)
# want: g = reshape(arange(4), 4, 1) * 32 + reshape(arange(32), 1, 32)
# want: s == i32(reshape(sum(where(g < 100, take(q, minimum(g, 99)), 0), 1), 4))
# case: x = i32[1300] any, y = i32[100] zero, z = i32[100] zero, b = f32[100] zero, s = i32[4] zero, n = 37, N = 64
# grid: 2
# want: i = arange(100); t = reshape(arange(64), 1, 64); v = take(x, reshape(i, 100, 1) * 13 + t % 13)
# want: q = where(i < 37, i32(reshape(sum(where(v % 3 == 0, v ^ t, v + t * 5), 1), 100)), 0); y == q
# want: g = reshape(arange(2), 2, 1) * 32 + reshape(arange(32), 1, 32)
# want: s[:2] == i32(reshape(sum(take(q, g), 1), 2))
# want: z == where(i < 37, i32(reshape(max(v ^ (t * 3), 1), 100) + take(x, i * 13 + 1)), 0)
# want: b == where(i < 37, reshape(sum(where(v > t, 1, 0), 1), 100), 0)
import triton
import triton.language as tl


@triton.jit
def long_nest(x, y, z, b, s, n, N: tl.constexpr):
    pid = tl.program_id(0)
    at = pid * 32 + tl.arange(0, 32)
    inside = at < n
    total = tl.zeros([32], tl.int32)
    largest = tl.full([32], -2147483648, tl.int32)
    count = tl.zeros([32], tl.float32)
    second = tl.zeros([32], tl.int32)
    for j in tl.static_range(N):
        v = tl.load(x + at * 13 + j % 13, mask=inside, other=0)
        if j == 1:
            second = v
        r = v % 3
        r = tl.where(r < 0, r + 3, r)
        total += tl.where(r == 0, v ^ j, v + j * 5)
        largest = tl.maximum(largest, v ^ (j * 3))
        count += (v > j).to(tl.float32)
    tl.store(y + at, total, mask=inside)
    tl.store(z + at, largest + second, mask=inside)
    tl.store(b + at, count, mask=inside)
    tl.store(s + pid, tl.sum(tl.where(inside, total, 0), 0))
