# SPDX-License-Identifier: Apache-2.0
# Text that was unrolled: nests that differ in names, or in numbers too, become one function on the
# cpu. Each round leaves scalars behind, reads what they are, and may stop the kernel.
# case: x = f32[64, 64] normal, y = f32[64, 64], s = f32[64], p = i32[64], z = f32[64, 64], n = 64, w = 64, N = 64
# want: y == x * 2 + 1; s == reshape(sum(x, 1), 64)
# want: p == reshape(argmax(x, 1), 64)
# want: z == where(arange(64) > reshape(arange(64), 64, 1), x + max(x, 1), 3 * reshape(arange(64), 64, 1) - x)
# case: x = f32[64, 64] normal, y = f32[64, 64], s = f32[64], p = i32[64], z = f32[64, 64], n = 64, w = 64, N = 12
# want: y[:12] == (x * 2 + 1)[:12]; s[:12] == reshape(sum(x, 1), 64)[:12]
# want: p[:12] == reshape(argmax(x, 1), 64)[:12]
# want: z[:12] == where(arange(64) > reshape(arange(64), 64, 1), x + max(x, 1), 3 * reshape(arange(64), 64, 1) - x)[:12]
import triton
import triton.language as tl


@triton.jit
def larger(a, i, b, j):
    take = (a > b) | ((a == b) & (i < j))
    return tl.where(take, a, b), tl.where(take, i, j)


@triton.jit
def rounds(x, y, s, p, z, n, w, N: tl.constexpr):
    o = tl.arange(0, 64)
    for j in tl.static_range(N):
        at = o + j * w
        v = tl.load(x + at, mask=o < n, other=0)
        tl.store(y + at, v * 2 + 1, mask=o < n)
        tl.store(s + j, tl.sum(v, 0))
        best, where = tl.reduce((v, o), 0, larger)
        tl.store(p + j, where)
        tl.store(z + at, tl.where(o > j, v + best, 3 * j - v))
