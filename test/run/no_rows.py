# SPDX-License-Identifier: Apache-2.0
# Nothing along the outer dimension: a grid of no programs writes nothing, a loop of no turns leaves
# sums, extremes and places as they were.
# case: x = fp32[1, 37] normal, s = fp32[37], m = fp32[37], at = i32[37], rows = 0, n = 37, BLOCK = 64
# grid: 0
# kernel: columns
# want: x == x
# case: x = fp32[1, 37] normal, s = fp32[37], m = fp32[37], at = i32[37], rows = 0, n = 37, BLOCK = 64
# grid: 1
# want: s == 0; m == -inf; at == -1
# case: x = fp32[1, 1] normal, s = fp32[1], m = fp32[1], at = i32[1], rows = 1, n = 1, BLOCK = 64
# want: s == x[0]; m == x[0]; at == 0
# case: x = fp32[3, 37] normal +1, s = fp32[37] +3, m = fp32[37] +1, at = i32[37], rows = 3, n = 37, BLOCK = 16
# grid: cdiv(n, BLOCK)
# want: s == sum(x, 0)[0]; m == max(x, 0)[0]; at == argmax(x, 0)[0]
# case: x = fp32[1, 37] normal, s = fp32[1], m = fp32[1], at = i32[1], rows = 0, n = 37, BLOCK = 64
# kernel: all_of_it
# want: s == 0; m == -inf; at == 0
import triton
import triton.language as tl


@triton.jit
def columns(x, s, m, at, rows, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    most = tl.full([BLOCK], float("-inf"), tl.float32)
    place = tl.full([BLOCK], -1, tl.int32)
    for r in range(rows):
        v = tl.load(x + r * n + i, mask=i < n, other=0)
        total += v
        place = tl.where(v > most, r, place)
        most = tl.maximum(most, v)
    tl.store(s + i, total, mask=i < n)
    tl.store(m + i, most, mask=i < n)
    tl.store(at + i, place, mask=i < n)


# Sums of whole rows, which a GPU adds up behind the loop.
@triton.jit
def all_of_it(x, s, m, at, rows, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = -0.0
    most = float("-inf")
    place = 0
    for r in range(rows):
        v = tl.load(x + r * n + i, mask=i < n, other=0)
        total += tl.sum(v, axis=0)
        most = tl.maximum(most, tl.max(v, axis=0))
        place += tl.sum((v > 0).to(tl.int32), axis=0)
    tl.store(s, total)
    tl.store(m, most)
    tl.store(at, place)
