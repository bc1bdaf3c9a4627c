# SPDX-License-Identifier: Apache-2.0
# A lane outside its buffer stops the launch and is named, with the line.
# only: interp
# case: x = f32[10] normal, y = f32[16]
# fails: load of 4 bytes outside the buffer of 'x', which has 40 bytes: 40 bytes after its start
# case: x = f32[16] normal, y = f32[10]
# fails: lane [10]
import triton
import triton.language as tl


@triton.jit
def copy(x, y):
    i = tl.arange(0, 16)
    tl.store(y + i, tl.load(x + i))
