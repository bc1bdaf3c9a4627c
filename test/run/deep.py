# SPDX-License-Identifier: Apache-2.0
# Tensors of more than 8 dimensions: reshape and permute, reductions and scans along each of them,
# broadcast, join and split; between them dimensions of one lane.
# case: x = i32[1024] any, y = i32[1024], s = i32[10, 512], m = i32[10, 512], c = i32[10, 1024], b = i32[1024], h = i32[2, 512]
# want: i = arange(1024); r = (i % 2) * 512 + (i // 2 % 2) * 256 + (i // 4 % 2) * 128
# want: r = r + (i // 8 % 2) * 64 + (i // 16 % 2) * 32 + (i // 32 % 2) * 16 + (i // 64 % 2) * 8
# want: y == take(x, r + (i // 128 % 2) * 4 + (i // 256 % 2) * 2 + i // 512)
# want: n = 2 ** (9 - reshape(arange(10), 10, 1)); j = reshape(arange(512), 1, 512)
# want: low = take(x, j // n * 2 * n + j % n); high = take(x, j // n * 2 * n + j % n + n)
# want: s == i32(low + high); m == maximum(low, high)
# want: k = reshape(i, 1, 1024); bit = k // n % 2; c == i32(take(x, k + 0 * n) + bit * take(x, k - bit * n))
# want: b == i32(take(x, i) + i // 8 % 2 * 5 + i // 4 % 2 * 7)
# want: p = arange(512); h == take(x, reshape(p, 1, 512) * 2 + reshape(arange(2), 2, 1))
import triton
import triton.language as tl

BITS: tl.constexpr = (2, 2, 2, 2, 2, 2, 2, 2, 2, 2)


@triton.jit
def deep(x, y, s, m, c, b, h):
    i = tl.arange(0, 1024)
    half = tl.arange(0, 512)
    a = tl.reshape(tl.load(x + i), BITS)
    turned = tl.permute(a, (9, 8, 7, 6, 5, 4, 3, 2, 1, 0))
    tl.store(y + i, tl.reshape(turned, (1024,)))
    for axis in tl.static_range(10):
        tl.store(s + axis * 512 + half, tl.reshape(tl.sum(a, axis), (512,)))
        tl.store(m + axis * 512 + half, tl.reshape(tl.max(a, axis), (512,)))
        tl.store(c + axis * 1024 + i, tl.reshape(tl.cumsum(a, axis), (1024,)))
    five = tl.reshape(tl.arange(0, 2) * 5, (1, 1, 1, 1, 1, 1, 2, 1, 1, 1))
    seven = tl.reshape(tl.arange(0, 2) * 7, (2, 1, 1))
    wide = tl.reshape(a + five + seven, (1, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2, 1, 2, 2))
    tl.store(b + i, tl.reshape(wide[None, :, None], (1024,)))
    even, odd = tl.split(a)
    low, high = tl.split(tl.join(even, odd))
    tl.store(h + half, tl.reshape(low, (512,)))
    tl.store(h + 512 + half, tl.reshape(high, (512,)))
