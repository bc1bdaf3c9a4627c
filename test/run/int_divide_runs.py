# SPDX-License-Identifier: Apache-2.0
# Quotients and rests of numbers that count up, by one that many divide: of a run one quotient is made,
# and one rest, from which the others count on; of 64 bits both by one branch, of numbers that 32 bits
# hold and of others. By -1 and by 0, and of what may be negative, there is no such run.
# case: q = i64[1024], r = i64[1024], s = i32[1024], t = i32[1024], u = i64[1024], v = i64[1024], n = 48, first = 0, BLOCK = 512
# grid: 2
# want: o = arange(1024); p = o + first; q == tdiv(p, n); r == fmod(p, n); s == tdiv(o, n); t == fmod(o, n); u == tdiv(o, n); v == fmod(o, n)
# case: q = i64[1024], r = i64[1024], s = i32[1024], t = i32[1024], u = i64[1024], v = i64[1024], n = 16, first = 4096, BLOCK = 512
# case: q = i64[1024], r = i64[1024], s = i32[1024], t = i32[1024], u = i64[1024], v = i64[1024], n = 37, first = 5, BLOCK = 512
# case: q = i64[1024], r = i64[1024], s = i32[1024], t = i32[1024], u = i64[1024], v = i64[1024], n = 48, first = -480, BLOCK = 512
# case: q = i64[1024], r = i64[1024], s = i32[1024], t = i32[1024], u = i64[1024], v = i64[1024], n = -16, first = 16, BLOCK = 512
# case: q = i64[1024], r = i64[1024], s = i32[1024], t = i32[1024], u = i64[1024], v = i64[1024], n = 2147483632, first = 2147480000, BLOCK = 512
# case: q = i64[1024], r = i64[1024], s = i32[1024], t = i32[1024], u = i64[1024], v = i64[1024], n = -1, first = 0, BLOCK = 512
# want: o = arange(1024); q == -o; r == 0; s == -o; t == 0; u == -o; v == 0
# case: q = i64[1024], r = i64[1024], s = i32[1024], t = i32[1024], u = i64[1024], v = i64[1024], n = 0, first = 0, BLOCK = 512
# want: q == 0; r == 0; s == 0; t == 0; u == 0; v == 0
import triton
import triton.language as tl


@triton.jit
def parts(q, r, s, t, u, v, n, first, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    far = i.to(tl.int64) + first
    tl.store(r + i, far % n)
    tl.store(q + i, far // n)
    tl.store(s + i, i // n)
    tl.store(t + i, i % n)
    tl.store(v + i, i.to(tl.int64) % n)
    tl.store(u + i, i.to(tl.int64) // n)
