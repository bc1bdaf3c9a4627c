# SPDX-License-Identifier: Apache-2.0
# 64-bit division whose lanes are partly numbers of 32 bits and partly not, on either side; what is
# divided by 0 is 0. Unsigned: quotient and rest make the number again, and the rest is less.
# case: a = i64[256] any, b = i32[256] any, c = i64[256] any, d = i32[256] small, q = i64[256], r = i64[256], u = i64[256]
# want: e = fmod(arange(256), 2); f = fmod(arange(256), 3); x = where(e == 0, a, where(f == 1, i64(b) & 4294967295, i64(b))); y = where(f == 0, c, where(f == 1, i64(d), i64(b) & 4294967295)); q == where(y == 0, 0, tdiv(x, y)); r == where(y == 0, 0, fmod(x, y)); u == 1
import triton
import triton.language as tl


@triton.jit
def divide(a, b, c, d, q, r, u):
    i = tl.arange(0, 256)
    wide, narrow = tl.load(a + i), tl.load(b + i).to(tl.int64)
    natural = narrow & 4294967295
    x = tl.where(i % 2 == 0, wide, tl.where(i % 3 == 1, natural, narrow))
    y = tl.where(i % 3 == 0, tl.load(c + i), tl.where(i % 3 == 1, tl.load(d + i).to(tl.int64), natural))
    tl.store(q + i, x // y)
    tl.store(r + i, x % y)
    ux, uy = x.to(tl.uint64, bitcast=True), y.to(tl.uint64, bitcast=True)
    uq, ur = ux // uy, ux % uy
    tl.store(u + i, ((y == 0) | ((uq * uy + ur == ux) & (ur < uy))).to(tl.int64))
