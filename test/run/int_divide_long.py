# SPDX-License-Identifier: Apache-2.0
# In a text so long that a C compiler gets its numbers as parameters, numbers of 16 bits are
# still divided by powers of two as such.
# case: a = i16[64] any, q = i16[150,64], r = i16[150,64]
# want: d = 2 ** (reshape(arange(150), 150, 1) % 12 + 1); n = reshape(a, 1, 64) + 0 * d; r == fmod(n, d); q == (n - fmod(n, d)) / d
# case: a = u16[64] any, q = u16[150,64], r = u16[150,64]
import triton
import triton.language as tl


@triton.jit
def divide(a, q, r):
    i = tl.arange(0, 64)
    n = tl.load(a + i)
    for k in tl.static_range(150):
        tl.store(q + k * 64 + i, n // (2 << k % 12))
        tl.store(r + k * 64 + i, n % (2 << k % 12))
