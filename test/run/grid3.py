# SPDX-License-Identifier: Apache-2.0
# Program ids and the grid along three axes.
# case: y = i32[4, 3, 2]
# grid: 2, 3, 4
# want: n = arange(24); y == reshape(n % 2 * 100 + n // 2 % 3 * 10 + n // 6 + 234000, 4, 3, 2)
import triton
import triton.language as tl


@triton.jit
def ids(y):
    a = tl.program_id(0)
    b = tl.program_id(1)
    c = tl.program_id(2)
    size = tl.num_programs(0) * 100000 + tl.num_programs(1) * 10000 + tl.num_programs(2) * 1000
    tl.store(y + (c * 3 + b) * 2 + a, a * 100 + b * 10 + c + size)
