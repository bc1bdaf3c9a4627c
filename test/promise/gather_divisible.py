# SPDX-License-Identifier: Apache-2.0
# Indices that are all divisible by 8 need not follow one another: neighbours may read one element.
# case: x = f32[256] arange, idx = i32[32] {8, 8, 8, 16, 16, 0, 0, 0, 64, 72, 80, 88, 96, 104, 112, 120, 128, 128, 8, 8, 24, 24, 40, 40, 56, 56, 56, 56, 248, 248, 0, 8}, o = f32[32, 4], q = f32[32, 4]
# want: o == reshape(idx, 32, 1); q == reshape(idx, 32, 1)
# options: num_warps = 1
import triton
import triton.language as tl


@triton.jit
def gather_divisible(x, idx, o, q):
    i = tl.arange(0, 128)
    k = tl.multiple_of(tl.load(idx + i // 4), 8)
    tl.store(o + i, tl.load(x + k))
    tl.store(q + i, tl.load(tl.multiple_of(x + tl.load(idx + i // 4), 8)))
