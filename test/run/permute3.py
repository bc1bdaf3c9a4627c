# SPDX-License-Identifier: Apache-2.0
# A permutation of three axes.
# case: x = i32[4, 8, 2] any, y = i32[2, 4, 8]
# want: n = arange(64); y == reshape(take(x, (n // 32) + (n // 8 % 4) * 16 + (n % 8) * 2), 2, 4, 8)
import triton
import triton.language as tl


@triton.jit
def permute(x, y):
    i = tl.arange(0, 4)[:, None, None]
    j = tl.arange(0, 8)[None, :, None]
    k = tl.arange(0, 2)[None, None, :]
    v = tl.permute(tl.load(x + i * 16 + j * 2 + k), (2, 0, 1))
    o = tl.arange(0, 2)[:, None, None] * 32 + tl.arange(0, 4)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :]
    tl.store(y + o, v)
