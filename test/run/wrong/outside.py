# SPDX-License-Identifier: Apache-2.0
# A write before the buffer's start, within its memory, hits the red zone.
# case: x = f32[16] normal, y = f32[16] +4, n = 16
# want: y == x
import triton
import triton.language as tl


@triton.jit
def copy(x, y, n):
    i = tl.arange(0, 16)
    tl.store(y + i - 1 * (i == 0), tl.load(x + i, mask=i < n), mask=i < n)
