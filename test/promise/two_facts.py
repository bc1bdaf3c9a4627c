# SPDX-License-Identifier: Apache-2.0
# Arguments whose divisibility the signature does not say have none: a tile that starts anywhere.
# case: x = f32[1024] normal +1, y = f32[512] +3, n = 7
# want: y == x[7:519]
# case: x = f32[1024] normal, y = f32[512], n = 16
# want: y == x[16:528]
# case: x = f32[1024] normal +2, y = f32[512] +2, n = 2
# want: y == x[2:514]
import triton
import triton.language as tl


@triton.jit
def move(x, y, n):
    i = tl.arange(0, 512)
    tl.store(y + i, tl.load(x + n + i))
