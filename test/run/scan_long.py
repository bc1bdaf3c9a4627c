# SPDX-License-Identifier: Apache-2.0
# Scans of as many lanes as a block has threads, of more and of fewer, by one warp and by several: sums
# of numbers of each width, products, bits, the largest; the first of the left with the second of the
# right, which no order but the lanes' gives; from both ends, of rows and of columns; of so many warps
# that each of them scans anew what they make.
# tolerance: 1e-5 1e-5
# case: x = i32[1, 2048] small, a = i32[1, 2048], b = i64[1, 2048], c = fp32[1, 2048], d = i32[1, 2048], e = i32[1, 2048], f = i32[1, 2048], g = fp16[1, 2048], ROWS = 1, COLUMNS = 2048, AXIS = 1, REVERSE = False
# options: num_warps = 4
# want: a == cumsum(x, 1, 0); b == cumsum(x, 1, 0); c == cumprod(1 - 2 * (x & 1), 1, 0); d == cummax(x, 1, 0); e == x[:, 0:1]; f == x * 2; g == cumsum(x & 1, 1, 0) % 2
# case: x = i32[1, 2048] small, a = i32[1, 2048], b = i64[1, 2048], c = fp32[1, 2048], d = i32[1, 2048], e = i32[1, 2048], f = i32[1, 2048], g = fp16[1, 2048], ROWS = 1, COLUMNS = 2048, AXIS = 1, REVERSE = True
# options: num_warps = 1
# want: a == cumsum(x, 1, 1); b == cumsum(x, 1, 1); c == cumprod(1 - 2 * (x & 1), 1, 1); d == cummax(x, 1, 1); e == x[:, 2047:2048]; f == x * 2; g == cumsum(x & 1, 1, 1) % 2
# case: x = i32[2, 512] small, a = i32[2, 512], b = i64[2, 512], c = fp32[2, 512], d = i32[2, 512], e = i32[2, 512], f = i32[2, 512], g = fp16[2, 512], ROWS = 2, COLUMNS = 512, AXIS = 1, REVERSE = False
# options: num_warps = 8
# want: a == cumsum(x, 1, 0); b == cumsum(x, 1, 0); c == cumprod(1 - 2 * (x & 1), 1, 0); d == cummax(x, 1, 0); e == x[:, 0:1]; f == x * 2; g == cumsum(x & 1, 1, 0) % 2
# case: x = i32[2, 512] small, a = i32[2, 512], b = i64[2, 512], c = fp32[2, 512], d = i32[2, 512], e = i32[2, 512], f = i32[2, 512], g = fp16[2, 512], ROWS = 2, COLUMNS = 512, AXIS = 1, REVERSE = True
# options: num_warps = 2
# want: a == cumsum(x, 1, 1); b == cumsum(x, 1, 1); c == cumprod(1 - 2 * (x & 1), 1, 1); d == cummax(x, 1, 1); e == x[:, 511:512]; f == x * 2; g == cumsum(x & 1, 1, 1) % 2
# case: x = i32[64, 8] small, a = i32[64, 8], b = i64[64, 8], c = fp32[64, 8], d = i32[64, 8], e = i32[64, 8], f = i32[64, 8], g = fp16[64, 8], ROWS = 64, COLUMNS = 8, AXIS = 0, REVERSE = False
# options: num_warps = 4
# want: a == cumsum(x, 0, 0); b == cumsum(x, 0, 0); c == cumprod(1 - 2 * (x & 1), 0, 0); d == cummax(x, 0, 0); e == x[0:1, :]; f == x * 2; g == cumsum(x & 1, 0, 0) % 2
# case: x = i32[64, 8] small, a = i32[64, 8], b = i64[64, 8], c = fp32[64, 8], d = i32[64, 8], e = i32[64, 8], f = i32[64, 8], g = fp16[64, 8], ROWS = 64, COLUMNS = 8, AXIS = 0, REVERSE = True
# options: num_warps = 4
# want: a == cumsum(x, 0, 1); b == cumsum(x, 0, 1); c == cumprod(1 - 2 * (x & 1), 0, 1); d == cummax(x, 0, 1); e == x[63:64, :]; f == x * 2; g == cumsum(x & 1, 0, 1) % 2
# case: x = i32[1, 64] small, a = i32[1, 64], b = i64[1, 64], c = fp32[1, 64], d = i32[1, 64], e = i32[1, 64], f = i32[1, 64], g = fp16[1, 64], ROWS = 1, COLUMNS = 64, AXIS = 1, REVERSE = False
# options: num_warps = 4
# want: a == cumsum(x, 1, 0); b == cumsum(x, 1, 0); c == cumprod(1 - 2 * (x & 1), 1, 0); d == cummax(x, 1, 0); e == x[:, 0:1]; f == x * 2; g == cumsum(x & 1, 1, 0) % 2
# case: x = i32[4, 256] small, a = i32[4, 256], b = i64[4, 256], c = fp32[4, 256], d = i32[4, 256], e = i32[4, 256], f = i32[4, 256], g = fp16[4, 256], ROWS = 4, COLUMNS = 256, AXIS = 1, REVERSE = True
# options: num_warps = 16
# want: a == cumsum(x, 1, 1); b == cumsum(x, 1, 1); c == cumprod(1 - 2 * (x & 1), 1, 1); d == cummax(x, 1, 1); e == x[:, 255:256]; f == x * 2; g == cumsum(x & 1, 1, 1) % 2
# case: x = i32[512, 1] small, a = i32[512, 1], b = i64[512, 1], c = fp32[512, 1], d = i32[512, 1], e = i32[512, 1], f = i32[512, 1], g = fp16[512, 1], ROWS = 512, COLUMNS = 1, AXIS = 0, REVERSE = False
# options: num_warps = 2
# want: a == cumsum(x, 0, 0); b == cumsum(x, 0, 0); c == cumprod(1 - 2 * (x & 1), 0, 0); d == cummax(x, 0, 0); e == x[0:1, :]; f == x * 2; g == cumsum(x & 1, 0, 0) % 2
# case: x = i32[16, 16] small, a = i32[16, 16], b = i64[16, 16], c = fp32[16, 16], d = i32[16, 16], e = i32[16, 16], f = i32[16, 16], g = fp16[16, 16], ROWS = 16, COLUMNS = 16, AXIS = 0, REVERSE = True
# options: num_warps = 1
# want: a == cumsum(x, 0, 1); b == cumsum(x, 0, 1); c == cumprod(1 - 2 * (x & 1), 0, 1); d == cummax(x, 0, 1); e == x[15:16, :]; f == x * 2; g == cumsum(x & 1, 0, 1) % 2
# case: x = i32[128, 16] small, a = i32[128, 16], b = i64[128, 16], c = fp32[128, 16], d = i32[128, 16], e = i32[128, 16], f = i32[128, 16], g = fp16[128, 16], ROWS = 128, COLUMNS = 16, AXIS = 0, REVERSE = False
# options: num_warps = 8
# want: a == cumsum(x, 0, 0); b == cumsum(x, 0, 0); c == cumprod(1 - 2 * (x & 1), 0, 0); d == cummax(x, 0, 0); e == x[0:1, :]; f == x * 2; g == cumsum(x & 1, 0, 0) % 2
# case: x = i32[1, 8192] small, a = i32[1, 8192], b = i64[1, 8192], c = fp32[1, 8192], d = i32[1, 8192], e = i32[1, 8192], f = i32[1, 8192], g = fp16[1, 8192], ROWS = 1, COLUMNS = 8192, AXIS = 1, REVERSE = False
# options: num_warps = 16
# want: a == cumsum(x, 1, 0); b == cumsum(x, 1, 0); c == cumprod(1 - 2 * (x & 1), 1, 0); d == cummax(x, 1, 0); e == x[:, 0:1]; f == x * 2; g == cumsum(x & 1, 1, 0) % 2
# case: x = i32[1, 8192] small, a = i32[1, 8192], b = i64[1, 8192], c = fp32[1, 8192], d = i32[1, 8192], e = i32[1, 8192], f = i32[1, 8192], g = fp16[1, 8192], ROWS = 1, COLUMNS = 8192, AXIS = 1, REVERSE = True
# options: num_warps = 16
# want: a == cumsum(x, 1, 1); b == cumsum(x, 1, 1); c == cumprod(1 - 2 * (x & 1), 1, 1); d == cummax(x, 1, 1); e == x[:, 8191:8192]; f == x * 2; g == cumsum(x & 1, 1, 1) % 2
# case: x = i32[1, 1024] small, a = i32[1, 1024], b = i64[1, 1024], c = fp32[1, 1024], d = i32[1, 1024], e = i32[1, 1024], f = i32[1, 1024], g = fp16[1, 1024], ROWS = 1, COLUMNS = 1024, AXIS = 1, REVERSE = False
# options: num_warps = 32
# want: a == cumsum(x, 1, 0); b == cumsum(x, 1, 0); c == cumprod(1 - 2 * (x & 1), 1, 0); d == cummax(x, 1, 0); e == x[:, 0:1]; f == x * 2; g == cumsum(x & 1, 1, 0) % 2
# case: x = i32[1, 4096] small, a = i32[1, 4096], b = i64[1, 4096], c = fp32[1, 4096], d = i32[1, 4096], e = i32[1, 4096], f = i32[1, 4096], g = fp16[1, 4096], ROWS = 1, COLUMNS = 4096, AXIS = 1, REVERSE = True
# options: num_warps = 32
# want: a == cumsum(x, 1, 1); b == cumsum(x, 1, 1); c == cumprod(1 - 2 * (x & 1), 1, 1); d == cummax(x, 1, 1); e == x[:, 4095:4096]; f == x * 2; g == cumsum(x & 1, 1, 1) % 2
# case: x = i32[4096, 1] small, a = i32[4096, 1], b = i64[4096, 1], c = fp32[4096, 1], d = i32[4096, 1], e = i32[4096, 1], f = i32[4096, 1], g = fp16[4096, 1], ROWS = 4096, COLUMNS = 1, AXIS = 0, REVERSE = False
# options: num_warps = 32
# want: a == cumsum(x, 0, 0); b == cumsum(x, 0, 0); c == cumprod(1 - 2 * (x & 1), 0, 0); d == cummax(x, 0, 0); e == x[0:1, :]; f == x * 2; g == cumsum(x & 1, 0, 0) % 2
import triton
import triton.language as tl


@triton.jit
def outer(first, second, next_first, next_second):
    return first, next_second


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def either(a, b):
    return a ^ b


@triton.jit
def scans(x, a, b, c, d, e, f, g, ROWS: tl.constexpr, COLUMNS: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    v = tl.load(x + at)
    odd = v & 1
    tl.store(a + at, tl.cumsum(v, AXIS, reverse=REVERSE))
    tl.store(b + at, tl.cumsum(v.to(tl.int64), AXIS, reverse=REVERSE))
    tl.store(c + at, tl.cumprod((1 - 2 * odd).to(tl.float32), AXIS, reverse=REVERSE))
    tl.store(d + at, tl.associative_scan(v, AXIS, larger, reverse=REVERSE))
    first, second = tl.associative_scan((v, v * 2), AXIS, outer, reverse=REVERSE)
    tl.store(e + at, first)
    tl.store(f + at, second)
    tl.store(g + at, tl.associative_scan(odd, AXIS, either, reverse=REVERSE).to(tl.float16))
