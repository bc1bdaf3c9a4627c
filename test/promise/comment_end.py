# SPDX-License-Identifier: Apache-2.0
# What ends a comment of C may stand in a comment here: */ and /* are not taken by the text for the cpu.
# case: x = i32[4] arange, y = i32[4]
# want: y == x + 1
import triton
import triton.language as tl


@triton.jit
def comment(x, y):
    i = tl.arange(0, 4)  # */ int broken; /*
    v = tl.load(x + i)  # */
    tl.store(y + i, v + 1)  # /* */ */
