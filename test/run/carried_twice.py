# SPDX-License-Identifier: Apache-2.0
# A tile that a loop carries is wanted in two layouts in its body: as it is stored, and as another one is loaded.
# case: x = f32[32, 32] arange, o = f32[3, 32, 32], K = 3
# want: o[0] == x; o[1] == x + trans(x); o[2] == x + 2 * trans(x)
import triton
import triton.language as tl


@triton.jit
def carried_twice(x, o, K):
    i = tl.arange(0, 32)
    at = i[:, None] * 32 + i[None, :]
    v = tl.load(x + at)
    for k in range(K):
        tl.store(o + k * 1024 + at, v)
        v = tl.load(x + i[:, None] + i[None, :] * 32) + v
