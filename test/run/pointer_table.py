# SPDX-License-Identifier: Apache-2.0
# Pointers read from memory: each program's row is where a table of offsets says.
# case: x = fp32[4, 16] normal, t = i64[4] {48, 0, 32, 16}, y = fp32[4, 16]
# grid: 4
# want: y[0, :] == x[3, :]; y[1, :] == x[0, :]; y[2, :] == x[2, :]; y[3, :] == x[1, :]
import triton
import triton.language as tl


@triton.jit
def rows(x, t, y):
    p = tl.program_id(0)
    i = tl.arange(0, 16)
    tl.store(y + p * 16 + i, tl.load(x + tl.load(t + p) + i))
