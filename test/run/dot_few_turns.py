# SPDX-License-Identifier: Apache-2.0
# Products in loops of few turns, all of which are copied before the loop, within a loop of as few
# turns as the inner one has copies ahead: sums that go on, factors that are read as they are or
# doubled in registers, rows that end inside of a tile.
# tolerance: 1e-3 1e-2
# grid: cdiv(M, B)
# options: num_warps = 4, num_stages = 3
# want: o == a @ trans(a) * (1 + ROWS) * TIMES
# case: M = 64, D = 128, TIMES = 2, ROWS = 0, a = fp16[M, D] normal, o = fp32[M, M], B = 64
# case: M = 50, D = 128, TIMES = 3, ROWS = 1, a = fp16[M, D] normal, o = fp32[M, M], B = 64
# case: M = 64, D = 192, TIMES = 2, ROWS = 0, a = fp16[M, D] normal, o = fp32[M, M], B = 64
# case: M = 64, D = 512, TIMES = 2, ROWS = 0, a = fp16[M, D] normal, o = fp32[M, M], B = 64
# case: M = 64, D = 64, TIMES = 1, ROWS = 1, a = fp16[M, D] normal, o = fp32[M, M], B = 64
import triton
import triton.language as tl


@triton.jit
def square(a, o, M, D: tl.constexpr, B: tl.constexpr, TIMES: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for time in range(0, TIMES):
        for i in range(0, D, 64):
            at = i + tl.arange(0, 64)
            x = tl.load(a + row[:, None] * D + at[None, :], mask=row[:, None] < M, other=0)
            y = x + x if ROWS else x
            acc = tl.dot(y, tl.trans(x), acc)
    inside = (row[:, None] < M) & (row[None, :] < M)
    tl.store(o + row[:, None] * M + row[None, :], acc, mask=inside)
