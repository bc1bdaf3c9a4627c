# SPDX-License-Identifier: Apache-2.0
# Tiles of several shapes that a for and a while carry together, all of them computed anew in each turn.
# case: x = f32[16] normal, a = f32[16], b = f32[32], c = f32[64], d = f32[32], n = 3
# want: a == x * 64; b == arange(32) * 64 + 32; c == arange(64) * 729; d == arange(32) + 12
import triton
import triton.language as tl


@triton.jit
def carry_shapes(x, a, b, c, d, n):
    i, j = tl.arange(0, 16), tl.arange(0, 64)
    at = tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4)[None, :]
    u, v, w, z = tl.load(x + i), at * 1.0 + 0.5, j * 1.0, at * 1.0
    for k in range(n):
        u = u + u
        v = v * 2
        w = w * 3
        z = z + 2
    while n > 0:
        u = u + u
        v = v * 2
        w = w * 3
        z = z + 2
        n -= 1
    tl.store(a + i, u)
    tl.store(b + at, v)
    tl.store(c + j, w)
    tl.store(d + at, z)
