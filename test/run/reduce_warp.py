# SPDX-License-Identifier: Apache-2.0
# Reductions of integers and truth values over whole warps, over parts of them and over several: sums,
# extremes of either sign, bits; whether any lane is true, or all are.
# case: x = i32[8, 64] any, u = u32[8, 64] any, y = i32[7, 8], z = u32[2, 8], ROWS = 8, COLUMNS = 64
# options: num_warps = 4
# want: s = x & 15; y[0] == reshape(sum(s, 1), 8); y[1] == reshape(max(x, 1), 8); y[2] == reshape(min(x, 1), 8); y[3] == reshape(xor_sum(s, 1), 8); y[4] == reshape(max(s == 3, 1), 8); y[5] == reshape(min(s > 0, 1), 8); y[6] == reshape(xor_sum(s & 1, 1), 8); z[0] == reshape(max(u, 1), 8); z[1] == reshape(min(u, 1), 8)
# case: x = i32[2, 512] any, u = u32[2, 512] any, y = i32[7, 2], z = u32[2, 2], ROWS = 2, COLUMNS = 512
# options: num_warps = 8
# want: s = x & 15; y[0] == reshape(sum(s, 1), 2); y[1] == reshape(max(x, 1), 2); y[2] == reshape(min(x, 1), 2); y[3] == reshape(xor_sum(s, 1), 2); y[4] == reshape(max(s == 3, 1), 2); y[5] == reshape(min(s > 0, 1), 2); y[6] == reshape(xor_sum(s & 1, 1), 2); z[0] == reshape(max(u, 1), 2); z[1] == reshape(min(u, 1), 2)
# case: x = i32[16, 32] any, u = u32[16, 32] any, y = i32[7, 16], z = u32[2, 16], ROWS = 16, COLUMNS = 32
# options: num_warps = 1
# want: s = x & 15; y[0] == reshape(sum(s, 1), 16); y[1] == reshape(max(x, 1), 16); y[2] == reshape(min(x, 1), 16); y[3] == reshape(xor_sum(s, 1), 16); y[4] == reshape(max(s == 3, 1), 16); y[5] == reshape(min(s > 0, 1), 16); y[6] == reshape(xor_sum(s & 1, 1), 16); z[0] == reshape(max(u, 1), 16); z[1] == reshape(min(u, 1), 16)
# case: x = i32[4, 16] any, u = u32[4, 16] any, y = i32[7, 4], z = u32[2, 4], ROWS = 4, COLUMNS = 16
# options: num_warps = 2
# want: s = x & 15; y[0] == reshape(sum(s, 1), 4); y[1] == reshape(max(x, 1), 4); y[2] == reshape(min(x, 1), 4); y[3] == reshape(xor_sum(s, 1), 4); y[4] == reshape(max(s == 3, 1), 4); y[5] == reshape(min(s > 0, 1), 4); y[6] == reshape(xor_sum(s & 1, 1), 4); z[0] == reshape(max(u, 1), 4); z[1] == reshape(min(u, 1), 4)
import triton
import triton.language as tl


@triton.jit
def either(a, b):
    return a or b


@triton.jit
def both(a, b):
    return a and b


@triton.jit
def reductions(x, u, y, z, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r = tl.arange(0, ROWS)
    at = r[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    v = tl.load(x + at)
    s = v & 15
    tl.store(y + r, tl.sum(s, 1))
    tl.store(y + ROWS + r, tl.max(v, 1))
    tl.store(y + 2 * ROWS + r, tl.min(v, 1))
    tl.store(y + 3 * ROWS + r, tl.xor_sum(s, 1))
    tl.store(y + 4 * ROWS + r, tl.reduce(s == 3, 1, either).to(tl.int32))
    tl.store(y + 5 * ROWS + r, tl.reduce(s > 0, 1, both).to(tl.int32))
    tl.store(y + 6 * ROWS + r, tl.xor_sum(s & 1, 1))
    w = tl.load(u + at)
    tl.store(z + r, tl.max(w, 1))
    tl.store(z + ROWS + r, tl.min(w, 1))
