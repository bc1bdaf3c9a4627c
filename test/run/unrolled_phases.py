# SPDX-License-Identifier: Apache-2.0
# Steps that were unrolled twice: the second ones read where the first ones wrote. On the cpu indices wait
# until they are read, the first steps become a loop that leaves them in an array, the second steps one that
# reads it. TOPS: they read values, too, which a step gets from the one behind it.
# case: x = f32[64, 64] normal, y = f32[64, 64], s = f32[64], z = f32[64, 64], t = f32[64], n = 64, w = 64, N = 64, TOPS = 0
# want: y == x * 2 + 1; s == reshape(max(x, 1), 64)
# want: z == x * 6 + 3 - reshape(arange(64), 64, 1); t == reshape(sum(x * 2 + 1, 1), 64)
# case: x = f32[64, 64] normal, y = f32[64, 64], s = f32[64], z = f32[64, 64], t = f32[64], n = 64, w = 64, N = 40, TOPS = 0
# want: y[:40] == (x * 2 + 1)[:40]; s[:40] == reshape(max(x, 1), 64)[:40]
# want: z[:40] == (x * 6 + 3 - reshape(arange(64), 64, 1))[:40]; t[:40] == reshape(sum(x * 2 + 1, 1), 64)[:40]
# case: x = f32[64, 64] normal, y = f32[64, 64], s = f32[64], z = f32[64, 64], t = f32[64], n = 64, w = 64, N = 64, TOPS = 1
# want: y == x * 2 + 1; s == reshape(max(x, 1), 64)
# want: z == where(x >= max(x, 1), 99, x * 6 + 3 - reshape(arange(64), 64, 1)); t == reshape(sum(x * 2 + 1, 1), 64)
import triton
import triton.language as tl


@triton.jit
def phases(x, y, s, z, t, n, w, N: tl.constexpr, TOPS: tl.constexpr):
    o = tl.arange(0, 64)
    tops = ()
    for j in tl.static_range(N):
        v = tl.load(x + (j * w + w - 64) + o, mask=o < n, other=0)
        tl.store(y + (j * w + w - 64) + o, v * 2 + 1, mask=o < n)
        tops = tops + (tl.max(v, 0),)
        tl.store(s + j, tops[j])
    for j in tl.static_range(N):
        v = tl.load(y + (j * w + w - 64) + o, mask=o < n, other=0)
        if TOPS:
            tl.store(z + (j * w + w - 64) + o, tl.where(v >= tops[j] * 2 + 1, 99, v * 3 - j), mask=o < n)
        else:
            tl.store(z + (j * w + w - 64) + o, v * 3 - j, mask=o < n)
        tl.store(t + j, tl.sum(v, 0))
