# SPDX-License-Identifier: Apache-2.0
# Combine functions that hold a number, that branch, and that see one element only; scans of them too.
# tolerance: 1e-5 1e-5
# case: x = fp32[64] normal, y = fp32[4], z = fp32[64], u = fp32[64], w = fp32[128]
# want: y[0] == sum(x, 0) + 31.5; y[1] == max(x, 0); y[2] == sum(x, 0) + 31.5; y[3] == max(x, 0); z == cumsum(x + 0.5, 0) - 0.5; u == 2 * x; w[0:64] == x; w[64:128] == x
import triton
import triton.language as tl


@triton.jit
def plus_half(a, b):
    return a + b + 0.5


@triton.jit
def larger(a, b):
    if a > b:
        r = a
    else:
        r = b
    return r


@triton.jit
def combined(x, y, z, u, w):
    i = tl.arange(0, 64)
    a = tl.load(x + i)
    tl.store(y, tl.reduce(a, 0, plus_half))
    tl.store(y + 1, tl.reduce(a, 0, larger))
    b = tl.reshape(a, (16, 4))
    tl.store(y + 2, tl.reduce(tl.reduce(b, 0, plus_half), 0, plus_half))
    tl.store(y + 3, tl.reduce(tl.reduce(b, 1, larger), 0, larger))
    tl.store(z + i, tl.associative_scan(a, 0, plus_half))
    # Along a dimension of 1 there is nothing to combine.
    c = tl.reduce(a[:, None] * 2.0, 1, plus_half)
    tl.store(u + i, c)
    d = tl.reduce(a[None, :], 0, larger)
    e = tl.associative_scan(a[:, None], 1, larger)
    tl.store(w + i, d)
    tl.store(w + 64 + tl.arange(0, 64)[:, None], e)
