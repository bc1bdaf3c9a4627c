# SPDX-License-Identifier: Apache-2.0
# A masked load gives memory where its mask holds and `other` elsewhere, whichever comparison made it.
# case: x = f32[64] arange, y = f32[13, 64], n = 0
# want: y[0] == where(arange(64) < n, arange(64) + 0, -7)
# want: y[1] == where(arange(64) <= n, arange(64) + 0, -7)
# want: y[2] == where(arange(64) > n, arange(64) + 0, -7)
# want: y[3] == where(arange(64) >= n, arange(64) + 0, -7)
# want: y[4] == where(arange(64) < n, arange(64) + 0, -7)
# want: y[5] == where(arange(64) <= n, arange(64) + 0, -7)
# want: y[6] == where(arange(64) * 2 < n, arange(64) + 0, -7)
# want: y[7] == where(arange(64) * 3 <= n, arange(64) + 0, -7)
# want: y[8] == where(arange(64) < n, arange(64) + 0, -7)
# want: y[9] == where(arange(64) + 5 < n, arange(64) + 0, -7)
# want: y[10] == where(63 - arange(64) < n, arange(64) + 0, -7)
# want: y[11] == where(arange(64) != n, arange(64) + 0, -7)
# want: y[12] == where(arange(64) == n, arange(64) + 0, -7)
# case: x = f32[64] arange, y = f32[13, 64], n = 1
# case: x = f32[64] arange, y = f32[13, 64], n = 2
# case: x = f32[64] arange, y = f32[13, 64], n = 7
# case: x = f32[64] arange, y = f32[13, 64], n = 8
# case: x = f32[64] arange, y = f32[13, 64], n = 9
# case: x = f32[64] arange, y = f32[13, 64], n = 15
# case: x = f32[64] arange, y = f32[13, 64], n = 16
# case: x = f32[64] arange, y = f32[13, 64], n = 17
# case: x = f32[64] arange, y = f32[13, 64], n = 25
# case: x = f32[64] arange, y = f32[13, 64], n = 31
# case: x = f32[64] arange, y = f32[13, 64], n = 32
# case: x = f32[64] arange, y = f32[13, 64], n = 33
# case: x = f32[64] arange, y = f32[13, 64], n = 49
# case: x = f32[64] arange, y = f32[13, 64], n = 62
# case: x = f32[64] arange, y = f32[13, 64], n = 63
# case: x = f32[64] arange, y = f32[13, 64], n = 64
# case: x = f32[64] arange, y = f32[13, 64], n = 65
# case: x = f32[64] arange, y = f32[13, 64], n = 128
# case: x = f32[64] arange, y = f32[13, 64], n = -1
# case: x = f32[64] arange, y = f32[13, 64], n = -16
import triton
import triton.language as tl


@triton.jit
def mask_load(x, y, n):
    i = tl.arange(0, 64)
    tl.store(y + 0 + i, tl.load(x + i, mask=i < n, other=-7.0))
    tl.store(y + 64 + i, tl.load(x + i, mask=i <= n, other=-7.0))
    tl.store(y + 128 + i, tl.load(x + i, mask=i > n, other=-7.0))
    tl.store(y + 192 + i, tl.load(x + i, mask=i >= n, other=-7.0))
    tl.store(y + 256 + i, tl.load(x + i, mask=n > i, other=-7.0))
    tl.store(y + 320 + i, tl.load(x + i, mask=n >= i, other=-7.0))
    tl.store(y + 384 + i, tl.load(x + i, mask=i * 2 < n, other=-7.0))
    tl.store(y + 448 + i, tl.load(x + i, mask=i * 3 <= n, other=-7.0))
    tl.store(y + 512 + i, tl.load(x + i, mask=n - i > 0, other=-7.0))
    tl.store(y + 576 + i, tl.load(x + i, mask=i + 5 < n, other=-7.0))
    tl.store(y + 640 + i, tl.load(x + i, mask=63 - i < n, other=-7.0))
    tl.store(y + 704 + i, tl.load(x + i, mask=i != n, other=-7.0))
    tl.store(y + 768 + i, tl.load(x + i, mask=i == n, other=-7.0))
