# SPDX-License-Identifier: Apache-2.0
# A program that returns early writes nothing after.
# case: y = i32[10] zero, n = 6
# grid: 10
# want: y == where(arange(10) >= n, -1, arange(10))
import triton
import triton.language as tl


@triton.jit
def stop(y, n):
    p = tl.program_id(0)
    if p >= n:
        tl.store(y + p, -1)
        return
    tl.store(y + p, p)
