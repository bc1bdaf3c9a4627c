# SPDX-License-Identifier: Apache-2.0
# A masked store writes the lanes of its mask, whichever comparison made it, and no other: about
# no lane, one, a vector's width and all.
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 0
# want: y[0] == where(arange(64) < n, arange(64) + 1, 0)
# want: y[1] == where(arange(64) <= n, arange(64) + 1, 0)
# want: y[2] == where(arange(64) > n, arange(64) + 1, 0)
# want: y[3] == where(arange(64) >= n, arange(64) + 1, 0)
# want: y[4] == where(arange(64) < n, arange(64) + 1, 0)
# want: y[5] == where(arange(64) <= n, arange(64) + 1, 0)
# want: y[6] == where(arange(64) * 2 < n, arange(64) + 1, 0)
# want: y[7] == where(arange(64) * 3 <= n, arange(64) + 1, 0)
# want: y[8] == where(arange(64) < n, arange(64) + 1, 0)
# want: y[9] == where(arange(64) + 5 < n, arange(64) + 1, 0)
# want: y[10] == where(63 - arange(64) < n, arange(64) + 1, 0)
# want: y[11] == where(arange(64) != n, arange(64) + 1, 0)
# want: y[12] == where(arange(64) == n, arange(64) + 1, 0)
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 1
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 2
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 7
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 8
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 9
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 15
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 16
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 17
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 25
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 31
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 32
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 33
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 49
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 62
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 63
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 64
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 65
# case: x = f32[64] arange, y = f32[13, 64] zero, n = 128
# case: x = f32[64] arange, y = f32[13, 64] zero, n = -1
# case: x = f32[64] arange, y = f32[13, 64] zero, n = -16
import triton
import triton.language as tl


@triton.jit
def mask_store(x, y, n):
    i = tl.arange(0, 64)
    v = tl.load(x + i) + 1
    tl.store(y + 0 + i, v, mask=i < n)
    tl.store(y + 64 + i, v, mask=i <= n)
    tl.store(y + 128 + i, v, mask=i > n)
    tl.store(y + 192 + i, v, mask=i >= n)
    tl.store(y + 256 + i, v, mask=n > i)
    tl.store(y + 320 + i, v, mask=n >= i)
    tl.store(y + 384 + i, v, mask=i * 2 < n)
    tl.store(y + 448 + i, v, mask=i * 3 <= n)
    tl.store(y + 512 + i, v, mask=n - i > 0)
    tl.store(y + 576 + i, v, mask=i + 5 < n)
    tl.store(y + 640 + i, v, mask=63 - i < n)
    tl.store(y + 704 + i, v, mask=i != n)
    tl.store(y + 768 + i, v, mask=i == n)
