# SPDX-License-Identifier: Apache-2.0
# What is the same in all lanes and is read by two loop nests: the first one keeps it, in the lanes that its
# masks leave over, too, and in each copy of its body.
# case: x = f32[8] arange, m = i8[64] one, o = i8[64], y = i64[64], z = i32[64], w = f32[64], n = 3, N = 4
# want: y[0:N] == 3; w[0:N] == 3; z[0:N] == 7; o[0:N] == 1
# case: x = f32[8] arange, m = i8[64] one, o = i8[64], y = i64[64], z = i32[64], w = f32[64], n = 40, N = 64
# case: x = f32[8] arange, m = i8[64] one, o = i8[64], y = i64[64], z = i32[64], w = f32[64], n = 63, N = 64
import triton
import triton.language as tl


@triton.jit
def kept(x, m, o, y, z, w, n, N: tl.constexpr):
    i = tl.arange(0, N)[None, :]
    v = tl.load(x + 3 + tl.arange(0, 1)[:, None] * 8 + i * 0)
    tl.store(o + i, tl.load(m + i, mask=i < n, other=1))
    tl.store(z + i, tl.zeros((1, N), tl.int32))
    tl.store(y + i, v.to(tl.int64))
    tl.store(z + i, tl.zeros((1, N), tl.int32) + 7)
    tl.store(w + i, v)
