# SPDX-License-Identifier: Apache-2.0
# Compare-and-swap on single cells by many programs: exactly one wins each cell.
# case: y = i32[8] zero, wins = i32[8] zero
# grid: 64
# want: wins == 1; y == 1
import triton
import triton.language as tl


@triton.jit
def claim(y, wins):
    cell = tl.program_id(0) % 8
    old = tl.atomic_cas(y + cell, 0, 1)
    if old == 0:
        tl.atomic_add(wins + cell, 1)
