# SPDX-License-Identifier: Apache-2.0
# Offsets that were computed before a branch, read in another shape in it and after it: after it
# they are there whether the branch was taken or not.
# grid: 2
# case: x = fp32[16] normal, y = fp32[2, 16] zero, z = i32[2, 16]
# want: y[1] == x; z[0] == full(3, 16); z[1] == full(3, 16)
import triton
import triton.language as tl


@triton.jit
def branch(x, y, z):
    pid = tl.program_id(0)
    i = tl.arange(0, 16)
    if pid == 1:
        o = tl.reshape(i, (2, 8))
        tl.store(y + pid * 16 + o, tl.load(x + o))
    tl.store(z + pid * 16 + tl.reshape(i, (8, 2)), tl.full((8, 2), 3, tl.int32))
