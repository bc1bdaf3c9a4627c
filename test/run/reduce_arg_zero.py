# SPDX-License-Identifier: Apache-2.0
# Of zeros of both signs and of equal numbers the first wins, and its sign is that of the result:
# the bits of the largest and smallest are those of the lane that their place names.
# case: x = i32[6, 1024] small, high = i32[6], low = i32[6], COLUMNS = 1024
# grid: 6
# want: high == 0; low == 0
# case: x = i32[6, 1024] small, high = i32[6], low = i32[6], COLUMNS = 32
# options: num_warps = 1
# case: x = i32[6, 1024] small, high = i32[6], low = i32[6], COLUMNS = 512
# options: num_warps = 16
# case: x = i32[1, 65536] small, high = i32[1], low = i32[1], COLUMNS = 65536
# grid: 1
# options: num_warps = 4
import triton
import triton.language as tl


@triton.jit
def signs(x, high, low, COLUMNS: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, COLUMNS)
    word = tl.load(x + row * 1024 + column)
    # Mostly zeros; the sign is that of another column of the row.
    value = tl.where(word == 9, 1.0, tl.where(word == -9, -1.0, 0.0))
    value = tl.where(row % 2 == 0, 0.0, value)
    bits = value.to(tl.int32, bitcast=True) | ((word & 1) << 31)
    value = bits.to(tl.float32, bitcast=True)
    most, most_at = tl.max(value, 0, return_indices=True)
    least, least_at = tl.min(value, 0, return_indices=True)
    at_most = tl.sum(tl.where(column == most_at, bits, 0), 0)
    at_least = tl.sum(tl.where(column == least_at, bits, 0), 0)
    tl.store(high + row, most.to(tl.int32, bitcast=True) ^ at_most)
    tl.store(low + row, least.to(tl.int32, bitcast=True) ^ at_least)
