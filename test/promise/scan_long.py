# SPDX-License-Identifier: Apache-2.0
# A scan with a combine of its own over more lanes than a block of any device: the carry goes on, in both
# directions, along either axis.
# case: x = i32[4096] small, y = i32[4096], r = i32[4096], c = i32[64, 64], d = i32[64, 64]
# want: y == cumsum(x, 0); r == sum(x, 0) - cumsum(x, 0) + x
# want: c == cumsum(reshape(x, 64, 64), 0); d == cumsum(reshape(x, 64, 64), 1)
import triton
import triton.language as tl


@triton.jit
def plus(a, b):
    return a + b


@triton.jit
def long(x, y, r, c, d):
    i = tl.arange(0, 4096)
    v = tl.load(x + i)
    tl.store(y + i, tl.associative_scan(v, 0, plus))
    tl.store(r + i, tl.associative_scan(v, 0, plus, reverse=True))
    at = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    w = tl.load(x + at)
    tl.store(c + at, tl.associative_scan(w, 0, plus))
    tl.store(d + at, tl.associative_scan(w, 1, plus))
