# SPDX-License-Identifier: Apache-2.0
# A tile of pointers or offsets that a loop moves, whichever side the step stands on, whether the step is
# known, and whether it is read after the loop.
# case: x = f32[512] normal, y = f32[32], z = f32[32], w = i32[32], n = 5, s = 32
# want: y == x[0:32] + x[32:64] + x[64:96] + x[96:128] + x[128:160]
# want: z == x[0:32] + x[32:64] + x[64:96] + x[96:128] + x[128:160]; w == arange(32) + 160
import triton
import triton.language as tl


@triton.jit
def carry(x, y, z, w, n, s):
    i = tl.arange(0, 32)
    at = i
    total = tl.zeros((32, ), tl.float32)
    for k in range(n):
        total += tl.load(x + at)
        at = s + at
    tl.store(y + i, total)
    tl.store(w + i, at)
    p = x + i
    other = tl.zeros((32, ), tl.float32)
    for k in range(n):
        other += tl.load(p)
        p += s
    tl.store(z + i, other)
