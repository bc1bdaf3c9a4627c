# SPDX-License-Identifier: Apache-2.0
# A tile that is cut into rows, and these into pieces: each piece is read again from where it waits.
# case: x = fp32[2, 4096] normal, y = fp32[2, 4096], z = fp32[2], n = 2051
# want: most = reshape(max(x[:, :n], 1), 2, 1); least = reshape(min(x[:, :n], 1), 2, 1) - most; z == reshape(least, 2); y[:, :n] == x[:, :n] - most + least
# options: num_warps = 1
import triton
import triton.language as tl


@triton.jit
def both(a, b, c, d):
    return tl.maximum(a, c), tl.minimum(b, d)


@triton.jit
def twice(x, y, z, n):
    i = tl.arange(0, 2)
    k = tl.arange(0, 4096)
    at = i[:, None] * 4096 + k[None, :]
    v = tl.load(x + at, mask=(k < n)[None, :], other=0)
    m = v - tl.max(v, 1)[:, None]
    most, least = tl.reduce((v, m), 1, both)
    tl.store(z + i, most)
    tl.store(z + i, least)
    tl.store(y + at, m + least[:, None], mask=(k < n)[None, :])
