# SPDX-License-Identifier: Apache-2.0
# Running sums down the columns of a tile that is loaded for them and stored: rows of fewer and of
# more lanes than a warp has, from both ends, of narrower numbers, in one warp and in several.
# case: x = fp32[100, 70] normal, y = fp32[100, 70], rows = 100, columns = 70, REVERSE = False, ROWS = 128, COLUMNS = 32
# grid: 1, cdiv(70, COLUMNS)
# tolerance: 1e-4 1e-4
# want: y == cumsum(x, 0)
# case: x = fp32[64, 32] normal, y = fp32[64, 32], rows = 64, columns = 32, REVERSE = True, ROWS = 64, COLUMNS = 32
# want: y == sum(x, 0) - cumsum(x, 0) + x
# case: x = fp32[60, 16] normal, y = fp32[60, 16], rows = 60, columns = 16, REVERSE = False, ROWS = 64, COLUMNS = 16
# want: y == cumsum(x, 0)
# case: x = fp16[128, 128] small, y = fp32[128, 128], rows = 128, columns = 128, REVERSE = False, ROWS = 128, COLUMNS = 128
# case: x = fp16[33, 64] small, y = fp32[33, 64], rows = 33, columns = 64, REVERSE = True, ROWS = 64, COLUMNS = 64
# options: num_warps = 1
# want: y == sum(x, 0) - cumsum(x, 0) + x
# case: x = fp32[100, 70] normal, y = fp32[100, 70], rows = 100, columns = 70, REVERSE = False, ROWS = 128, COLUMNS = 32
# options: num_warps = 8
# want: y == cumsum(x, 0)
# case: x = fp32[60, 64] normal, y = fp32[60, 64], rows = 60, columns = 64, REVERSE = False, ROWS = 64, COLUMNS = 64
# options: num_warps = 4
# want: y == cumsum(x, 0)
# case: x = fp32[15, 150] normal, y = fp32[15, 150], rows = 15, columns = 150, REVERSE = True, ROWS = 16, COLUMNS = 128
# grid: 1, 2
# want: y == sum(x, 0) - cumsum(x, 0) + x
import triton
import triton.language as tl


@triton.jit
def down(x, y, rows, columns, REVERSE: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = (r < rows)[:, None] & (c < columns)[None, :]
    at = r[:, None] * columns + c[None, :]
    a = tl.load(x + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + at, tl.cumsum(a, 0, reverse=REVERSE), mask=inside)
