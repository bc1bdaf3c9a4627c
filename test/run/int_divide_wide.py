# SPDX-License-Identifier: Apache-2.0
# 64-bit division of what 32 bits hold: the least number by -1 is no 32-bit number; by 0 it is 0.
# What is left of a natural number is natural, by a number of any sign.
# case: b = i32[64] any, q = i64[64], r = i64[64], s = i64[64], t = i64[64], d = -1
# want: o = where(arange(64) == 0, -2147483648, i64(b)); q == -o; r == 0; s == -i64(arange(64)); t == 0
# case: b = i32[64] any, q = i64[64], r = i64[64], s = i64[64], t = i64[64], d = 0
# want: q == 0; r == 0; s == 0; t == 0
# case: b = i32[64] any, q = i64[64], r = i64[64], s = i64[64], t = i64[64], d = 7
# want: o = where(arange(64) == 0, -2147483648, i64(b)); q == tdiv(o, i64(d)); r == fmod(o, i64(d)); s == tdiv(i64(arange(64)), i64(d)); t == fmod(i64(arange(64)), i64(d)) & 3
# case: b = i32[64] any, q = i64[64], r = i64[64], s = i64[64], t = i64[64], d = -9
# case: b = i32[64] any, q = i64[64], r = i64[64], s = i64[64], t = i64[64], d = -2147483648
import triton
import triton.language as tl


@triton.jit
def divide(b, q, r, s, t, d):
    i = tl.arange(0, 64)
    x = tl.where(i == 0, -2147483648, tl.load(b + i)).to(tl.int64)
    by = d.to(tl.int64)
    tl.store(q + i, x // by)
    tl.store(r + i, x % by)
    n = i.to(tl.int64)
    tl.store(s + i, n // by)
    tl.store(t + i, n % by % 4)
