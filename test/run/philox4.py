# SPDX-License-Identifier: Apache-2.0
# All four words of a Philox block.
# case: y = u32[4, 64], seed = 7
# want: y[0, :] == philox(seed, arange(64), 0); y[1, :] == philox(seed, arange(64), 1)
# want: y[2, :] == philox(seed, arange(64), 2); y[3, :] == philox(seed, arange(64), 3)
import triton
import triton.language as tl


@triton.jit
def draw(y, seed):
    i = tl.arange(0, 64)
    a, b, c, d = tl.randint4x(seed, i)
    tl.store(y + i, a.to(tl.uint32, bitcast=True))
    tl.store(y + 64 + i, b.to(tl.uint32, bitcast=True))
    tl.store(y + 128 + i, c.to(tl.uint32, bitcast=True))
    tl.store(y + 192 + i, d.to(tl.uint32, bitcast=True))
