# SPDX-License-Identifier: Apache-2.0
# The largest and smallest of each row with their places, a NaN being less than any number: rows of
# infinities, zeros of both signs, equals and nothing but NaN, longer than the registers of a thread.
# case: x = fp32[5, 1000] edges, v = fp32[5, 2], y = i64[5, 2], n = 1000, ROWS = 4, COLUMNS = 1024
# grid: cdiv(5, ROWS)
# want: a = where(x == x, x, -1e39); b = where(x == x, x, 1e39); v[:, 0] == max(a, 1)[:, 0]
# want: a = where(x == x, x, -1e39); b = where(x == x, x, 1e39); v[:, 1] == min(b, 1)[:, 0]
# want: a = where(x == x, x, -1e39); b = where(x == x, x, 1e39); y[:, 0] == argmax(a, 1)[:, 0]
# want: a = where(x == x, x, -1e39); b = where(x == x, x, 1e39); y[:, 1] == argmin(b, 1)[:, 0]
# case: x = fp32[5, 1000] full(-inf), v = fp32[5, 2], y = i64[5, 2], n = 1000, ROWS = 2, COLUMNS = 512
# case: x = fp16[5, 131] edges +1, v = fp16[5, 2], y = i64[5, 2], n = 131, ROWS = 8, COLUMNS = 64
# case: x = fp16[5, 1] full(-0), v = fp16[5, 2], y = i64[5, 2], n = 1, ROWS = 4, COLUMNS = 32
# case: x = fp32[5, 1000] edges, v = fp32[5, 2], y = i64[5, 2], n = 1000, ROWS = 4, COLUMNS = 1024
# options: num_warps = 8
# case: x = i32[5, 1000] small, v = i32[5, 2], y = i64[5, 2], n = 1000, ROWS = 4, COLUMNS = 1024
# case: x = fp32[5, 9000] normal, v = fp32[5, 2], y = i64[5, 2], n = 9000, ROWS = 8, COLUMNS = 4096
# case: x = fp32[5, 1000] full(nan), v = fp32[5, 2], y = i64[5, 2], n = 1000, ROWS = 1, COLUMNS = 1024
# options: num_warps = 4
# want: v == x[:, :2]; y == 0
import triton
import triton.language as tl


@triton.jit
def places(x, v, y, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    in_rows = row < 5
    first = tl.load(x + row * n, mask=in_rows, other=0)
    high, high_at = first, tl.zeros([ROWS], tl.int64)
    low, low_at = first, tl.zeros([ROWS], tl.int64)
    for start in range(0, n, COLUMNS):
        column = start + tl.arange(0, COLUMNS)
        inside = in_rows[:, None] & (column < n)[None, :]
        # What is masked off repeats the row's first, and comes after it.
        a = tl.load(x + row[:, None] * n + column[None, :], mask=inside, other=0)
        a = tl.where(inside, a, tl.broadcast_to(first[:, None], [ROWS, COLUMNS]))
        most, most_at = tl.max(a, 1, return_indices=True)
        least, least_at = tl.min(a, 1, return_indices=True)
        higher = (most > high) | ((high != high) & (most == most))
        lower = (least < low) | ((low != low) & (least == least))
        high_at = tl.where(higher, start + most_at, high_at)
        low_at = tl.where(lower, start + least_at, low_at)
        high = tl.where(higher, most, high)
        low = tl.where(lower, least, low)
    tl.store(v + row * 2, high, mask=in_rows)
    tl.store(v + row * 2 + 1, low, mask=in_rows)
    tl.store(y + row * 2, high_at, mask=in_rows)
    tl.store(y + row * 2 + 1, low_at, mask=in_rows)
