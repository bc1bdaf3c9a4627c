# SPDX-License-Identifier: Apache-2.0
# What is stored is made of scans in both directions, and of scans of each other, of rows of which a
# thread has so much that a GPU's text makes them a piece at a time: some are put by.
# only: interp sim sim:t4 cuda
# options: num_warps = 1
# grid: 2
# case: x = i32[2, 8192] small, y = i32[2, 8192], z = i32[2, 8192], w = i32[2, 8192], n = 8192, N = 8192
# want: y == cumsum(x, 1, 0) * 3 + cumsum(x, 1, 1); z == cumsum(cumsum(x, 1, 1), 1, 0) - x; w == (cummax(x, 1, 0) + x[:, 0:1]) * 2 + x[:, 8191:8192]
# case: x = i32[2, 7001] small, y = i32[2, 7001], z = i32[2, 7001], w = i32[2, 7001], n = 7001, N = 8192
# want: y == cumsum(x, 1, 0) * 3 + cumsum(x, 1, 1); z == cumsum(cumsum(x, 1, 1), 1, 0) - x; w == (cummax(x, 1, 0) + x[:, 0:1]) * 2 + 7
import triton
import triton.language as tl


@triton.jit
def kept(most, first, next_most, next_first):
    return tl.maximum(most, next_most), first


@triton.jit
def last(a, b):
    return a


@triton.jit
def crossed(x, y, z, w, n, N: tl.constexpr):
    i = tl.arange(0, N)
    at = tl.program_id(0) * n + i
    v = tl.load(x + at, mask=i < n, other=0)
    up = tl.cumsum(v, 0)
    down = tl.cumsum(v, 0, reverse=True)
    tl.store(y + at, up * 3 + down, mask=i < n)
    tl.store(z + at, tl.cumsum(down, 0) - v, mask=i < n)
    most, first = tl.associative_scan((tl.where(i < n, v, -1000), v), 0, kept)
    end = tl.associative_scan(tl.where(i < n, v, 7), 0, last, reverse=True)
    tl.store(w + at, (most + first) * 2 + end, mask=i < n)
