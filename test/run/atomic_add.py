# SPDX-License-Identifier: Apache-2.0
# Every lane counts, also when all hit one address; the old values are all different.
# case: c = i32[1] zero, seen = i32[1024] zero
# grid: 8
# want: c == 1024; seen == 1
import triton
import triton.language as tl


@triton.jit
def tickets(c, seen):
    i = tl.arange(0, 128)
    old = tl.atomic_add(c + i * 0, 1)
    tl.atomic_add(seen + old, 1)
