# SPDX-License-Identifier: Apache-2.0
# Long rows less what one lane has, and what looks like that: another number there, another elsewhere,
# all but one lane, pairs of lanes, lanes that go down, a target outside of the row, or behind what is
# held at once.
# options: num_warps = 8
# tolerance: 1e-5 1e-6
# grid: 1
# case: x = bf16[32768] normal, t = i32[1] {20001}, d = fp32[32768], n = 32768, ONE = 1.0, REST = 0.0, HOW = 0
# want: d == x - max(x, 0) - where(arange(32768) == t, 1, 0)
# case: x = bf16[32768] normal, t = i32[1] {-1}, d = fp32[32768], n = 32768, ONE = 1.0, REST = 0.0, HOW = 0
# case: x = bf16[32768] normal, t = i32[1] {20001}, d = fp32[32768], n = 32768, ONE = 2.0, REST = 0.0, HOW = 0
# want: d == x - max(x, 0) - where(arange(32768) == t, ONE, REST)
# case: x = bf16[32768] normal, t = i32[1] {20001}, d = fp32[32768], n = 32768, ONE = 1.0, REST = 0.5, HOW = 0
# case: x = bf16[32768] normal, t = i32[1] {20001}, d = fp32[32768], n = 32768, ONE = 1.0, REST = 0.0, HOW = 1
# want: d == x - max(x, 0) - where(arange(32768) == t, 0, 1)
# case: x = bf16[32768] normal, t = i32[1] {20001}, d = fp32[32768], n = 32768, ONE = 1.0, REST = 0.0, HOW = 2
# want: d == x - max(x, 0) - where(floor(arange(32768) / 2) == t, 1, 0)
# case: x = bf16[32768] normal, t = i32[1] {20001}, d = fp32[32768], n = 32768, ONE = 1.0, REST = 0.0, HOW = 3
# want: d == x - max(x, 0) - where(40000 - arange(32768) == t, 1, 0)
import triton
import triton.language as tl


@triton.jit
def one_of_row(x, t, d, n, ONE: tl.constexpr, REST: tl.constexpr, HOW: tl.constexpr):
    i = tl.arange(0, 32768)
    target = tl.load(t)
    v = tl.load(x + i, mask=i < n, other=-float("inf")).to(tl.float32)
    e = v - tl.max(v, axis=0)
    if HOW == 0:
        there = i == target
    elif HOW == 1:
        there = i != target
    elif HOW == 2:
        there = i // 2 == target
    else:
        there = 40000 - i == target
    tl.store(d + i, e - tl.where(there, ONE, REST), mask=i < n)
