# SPDX-License-Identifier: Apache-2.0
# Addresses whose stride only the launch knows, above, at and below 0, and sums of two of them.
# case: x = f32[512] arange, y = f32[4, 8], z = f32[32], w = f32[32], s = 64, t = 3, n = 7
# want: r = reshape(arange(4), 4, 1); c = reshape(arange(8), 1, 8); i = arange(32)
# want: y == r * s + c * t + n; z == i * t + i * 2 + n; w == 300 - i * t + n * 2
# case: x = f32[512] arange, y = f32[4, 8], z = f32[32], w = f32[32], s = 0, t = 0, n = 0
# case: x = f32[512] arange, y = f32[4, 8], z = f32[32], w = f32[32], s = 1, t = 4, n = 1
# case: x = f32[512] arange, y = f32[4, 8], z = f32[32], w = f32[32], s = -5, t = -1, n = 40
# case: x = f32[512] arange, y = f32[4, 8], z = f32[32], w = f32[32], s = 16, t = 1, n = 16
import triton
import triton.language as tl


@triton.jit
def strided(x, y, z, w, s, t, n):
    r = tl.arange(0, 4)[:, None]
    c = tl.arange(0, 8)[None, :]
    i = tl.arange(0, 32)
    tl.store(y + r * 8 + c, tl.load(x + (r * s + c * t + n)))
    tl.store(z + i, tl.load(x + i * t + i * 2 + n))
    tl.store(w + i, tl.load(x + 300 - i * t + (n + n)))
