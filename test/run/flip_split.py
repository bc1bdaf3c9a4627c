# SPDX-License-Identifier: Apache-2.0
# Lanes are permuted by their number in the tile, also where half of a split tile lies in memory with gaps.
# case: x = i32[64] arange, o = i32[32], q = i32[32], C = 32
# want: o == 62 - 2 * arange(32); q == 63 - 2 * arange(32)
# case: x = i32[4] arange, o = i32[2], q = i32[2], C = 2
# want: o == 2 - 2 * arange(2); q == 3 - 2 * arange(2)
import triton
import triton.language as tl


@triton.jit
def flip_split(x, o, q, C: tl.constexpr):
    a, b = tl.split(tl.load(x + tl.reshape(tl.arange(0, C * 2), (1, C, 1, 2))))
    i = tl.arange(0, C)[None, :, None]
    tl.store(o + i, tl.flip(a, 1))
    tl.store(q + i, tl.flip(b, 1))
