# SPDX-License-Identifier: Apache-2.0
# Comparisons with NaN are false but !=; minimum drops a NaN.
# case: a = fp32[26] edges, b = fp32[1] {nan}, y = i32[26, 6], m = fp32[26]
# want: y == (arange(6) == 1); m == a
# case: a = fp32[26] edges, b = fp32[1] {1}, y = i32[26, 6], m = fp32[26]
# want: y[:, 0] == (a == 1); y[:, 1] == (a != 1); y[:, 2] == (a < 1); y[:, 3] == (a <= 1)
# want: y[:, 4] == (a > 1); y[:, 5] == (a >= 1); m == minimum(a, 1)
import triton
import triton.language as tl


@triton.jit
def compare(a, b, y, m):
    i = tl.arange(0, 32)
    k = i < 26
    u = tl.load(a + i, mask=k)
    v = tl.load(b)
    o = y + i * 6
    tl.store(o, (u == v).to(tl.int32), mask=k)
    tl.store(o + 1, (u != v).to(tl.int32), mask=k)
    tl.store(o + 2, (u < v).to(tl.int32), mask=k)
    tl.store(o + 3, (u <= v).to(tl.int32), mask=k)
    tl.store(o + 4, (u > v).to(tl.int32), mask=k)
    tl.store(o + 5, (u >= v).to(tl.int32), mask=k)
    tl.store(m + i, tl.minimum(u, v), mask=k)
