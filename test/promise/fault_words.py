# SPDX-License-Identifier: Apache-2.0
# A lane that leaves its buffer is named: the program, the lane, the parameter, how far away.
# only: interp
# case: x = i32[37] arange, y = i32[64]
# fails: lane [37]
# case: x = i32[37] arange, y = i32[64]
# fails: 'x'
# case: x = i32[37] arange, y = i32[64]
# fails: program (0, 0, 0)
import triton
import triton.language as tl


@triton.jit
def fault(x, y):
    i = tl.arange(0, 64)
    tl.store(y + i, tl.load(x + i))
