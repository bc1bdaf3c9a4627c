# SPDX-License-Identifier: Apache-2.0
# Rows of which a thread has so much that a GPU's text makes their scans a piece at a time: both ways,
# of what is scanned, of what waits for a reduction of the row; of pairs, the first of the left with the
# second of the right, which no order but the lanes' gives, and sums that begin anew.
# tolerance: 1e-4 1e-4
# options: num_warps = 1
# grid: 2
# case: x = i32[2, 4096] small, a = i32[2, 4096], b = i64[2, 4096], c = i32[2, 4096], d = fp32[2, 4096], e = i32[2, 4096], f = i32[2, 4096], g = i32[2, 4096], n = 4096, N = 4096, REVERSE = False
# want: a == cumsum(x, 1, 0); b == cumsum(cumsum(x, 1, 1), 1, 1); c == cummax(x, 1, 0); d == cumsum(exp2(x * 0.125) / sum(exp2(x * 0.125), 1), 1); e == x[:, 0:1]; f == x * 2; g == reshape(cumsum(reshape(x, 128, 64), 1, 0), 2, 4096)
# case: x = i32[2, 4096] small, a = i32[2, 4096], b = i64[2, 4096], c = i32[2, 4096], d = fp32[2, 4096], e = i32[2, 4096], f = i32[2, 4096], g = i32[2, 4096], n = 4096, N = 4096, REVERSE = True
# want: a == cumsum(x, 1, 1); b == cumsum(cumsum(x, 1, 1), 1, 1); c == cummax(x, 1, 1); d == cumsum(exp2(x * 0.125) / sum(exp2(x * 0.125), 1), 1); e == x[:, 4095:4096]; f == x * 2; g == reshape(cumsum(reshape(x, 128, 64), 1, 1), 2, 4096)
# case: x = i32[2, 2049] small, a = i32[2, 2049], b = i64[2, 2049], c = i32[2, 2049], d = fp32[2, 2049], e = i32[2, 2049], f = i32[2, 2049], g = i32[2, 2049], n = 2049, N = 4096, REVERSE = False
# want: a == cumsum(x, 1, 0); b == cumsum(cumsum(x, 1, 1), 1, 1); c == cummax(x, 1, 0); d == cumsum(exp2(x * 0.125) / sum(exp2(x * 0.125), 1), 1); e == x[:, 0:1]; f == x * 2; g[:, :2048] == reshape(cumsum(reshape(x[:, :2048], 64, 64), 1, 0), 2, 2048); g[:, 2048:] == x[:, 2048:]
import triton
import triton.language as tl


@triton.jit
def outer(first, second, next_first, next_second):
    return first, next_second


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def anew(a, begins, b, next_begins):
    return tl.where(next_begins != 0, b, a + b), begins | next_begins


@triton.jit
def scans(x, a, b, c, d, e, f, g, n, N: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, N)
    at = tl.program_id(0) * n + i
    inside = i < n
    v = tl.load(x + at, mask=inside, other=0)
    tl.store(a + at, tl.cumsum(v, 0, reverse=REVERSE), mask=inside)
    tl.store(b + at, tl.cumsum(tl.cumsum(v.to(tl.int64), 0, reverse=True), 0, reverse=True), mask=inside)
    tl.store(c + at, tl.associative_scan(v, 0, larger, reverse=REVERSE), mask=inside)
    power = tl.where(inside, tl.exp2(v * 0.125), 0.0)
    tl.store(d + at, tl.cumsum(power / tl.sum(power, 0), 0), mask=inside)
    first, second = tl.associative_scan((v, v * 2), 0, outer, reverse=REVERSE)
    tl.store(e + at, first, mask=inside)
    tl.store(f + at, second, mask=inside)
    begins = (i % 64 == (63 if REVERSE else 0)).to(tl.int32)
    sums, begun = tl.associative_scan((v, begins), 0, anew, reverse=REVERSE)
    tl.store(g + at, sums, mask=inside)
