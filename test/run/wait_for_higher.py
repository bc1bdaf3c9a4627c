# SPDX-License-Identifier: Apache-2.0
# Each program waits for the one after it: no order of whole programs would do.
# case: flag = i32[65] zero, y = i32[64]
# grid: 64
# want: y == 64 - arange(64); flag[:64] == 65 - arange(64); flag[64] == 1
import triton
import triton.language as tl


@triton.jit
def chain(flag, y):
    pid = tl.program_id(0)
    last = tl.num_programs(0) - 1
    if pid == last:
        tl.atomic_xchg(flag + last + 1, 1)
    seen = tl.atomic_add(flag + pid + 1, 0)
    while seen == 0:
        seen = tl.atomic_add(flag + pid + 1, 0)
    tl.store(y + pid, seen)
    tl.atomic_xchg(flag + pid, seen + 1)
