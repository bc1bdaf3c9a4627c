# SPDX-License-Identifier: Apache-2.0
# Branches on run-time scalars, with names assigned in all arms.
# case: x = i32[9] {-4, -3, -2, -1, 0, 1, 2, 3, 4}, y = i32[9]
# grid: 9
# want: y == where(x > 0, x * 10, where(x == 0, 77, -x))
import triton
import triton.language as tl


@triton.jit
def branch(x, y):
    p = tl.program_id(0)
    v = tl.load(x + p)
    if v > 0:
        r = v * 10
    elif v == 0:
        r = 77
    else:
        r = -v
    tl.store(y + p, r)
