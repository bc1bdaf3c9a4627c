# SPDX-License-Identifier: Apache-2.0
# Integer division and remainder truncate, as C does, for all signs.
# case: a = i32[64] small, b = i32[64] any, q = i32[64], r = i32[64]
# want: q == tdiv(b, a + where(a == 0, 1, 0)); r == fmod(b, a + where(a == 0, 1, 0))
# case: a = i64[64] small, b = i64[64] any, q = i64[64], r = i64[64]
# case: a = u32[64] any, b = u32[64] any, q = u32[64], r = u32[64]
# case: a = u64[64] any, b = u64[64] any, q = u64[64], r = u64[64]
# case: a = i8[64] small, b = i8[64] any, q = i8[64], r = i8[64]
# want: q == i8(tdiv(b, a + where(a == 0, 1, 0))); r == fmod(b, a + where(a == 0, 1, 0))
import triton
import triton.language as tl


@triton.jit
def divide(a, b, q, r):
    i = tl.arange(0, 64)
    d = tl.load(a + i)
    d = tl.where(d == 0, 1, d).to(d.dtype)
    n = tl.load(b + i)
    tl.store(q + i, n // d)
    tl.store(r + i, n % d)
