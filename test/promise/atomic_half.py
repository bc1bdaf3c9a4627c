# SPDX-License-Identifier: Apache-2.0
# atomic_add of 16-bit floats, tile and scalar, gives the old value and adds once a lane.
# case: x = f16[16] arange, s = f16[1] {1}, o = f16[17]
# want: x == arange(16) * 2 + 1; s == 3.5; o[:16] == arange(16); o[16] == 1
# case: x = bf16[16] arange, s = bf16[1] {1}, o = bf16[17]
import triton
import triton.language as tl


@triton.jit
def half(x, s, o):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.store(o + i, tl.atomic_add(x + i, v + 1))
    tl.store(o + 16, tl.atomic_add(s, 2.5))
