# SPDX-License-Identifier: Apache-2.0
# Numbers and rows that loops with products load a turn ahead: bounds that are far apart, from above and
# below, without a sign; masks; no turns; what the loop itself writes, an element further on; indices that
# are loaded, and those that the loop writes; ends of memory behind the last turn.
# options: num_warps = 4, num_stages = 3
# case: a = fp16[64, 64] small, f = fp32[3] {2, 3, 5}, y = fp32[64, 64], lo = -2000000000, hi = 2000000000, STEP = 1500000000
# kernel: far
# want: y == (a @ a) * 100
# case: a = fp16[64, 64] small, f = fp32[3] {2, 3, 5}, y = fp32[64, 64], lo = 2000000000, hi = -2000000000, STEP = -1500000000
# case: a = fp16[64, 64] small, f = fp32[3] {2, 3, 5}, y = fp32[64, 64], lo = -2147483648, hi = 2147483647, STEP = 2147483647
# case: a = fp16[64, 64] small, f = fp32[3] {2, 3, 5}, y = fp32[64, 64], lo = 7, hi = 7, STEP = 1
# want: y == 0
# case: a = fp16[64, 64] small, f = fp32[3] {2, 3, 5}, y = fp32[64, 64], lo = 7, hi = -7, STEP = 3
# case: a = fp16[64, 64] small, f = fp32[3] {2, 3, 5}, y = fp32[64, 64], lo = -7, hi = 7, STEP = -3
# case: a = fp16[64, 64] small, f = fp32[3] {2, 3, 5}, y = fp32[64, 64], lo = 2000000000, hi = -1000000000, STEP = 1200000000
# case: a = fp16[64, 64] small, f = fp32[3] {2, 3, 5}, y = fp32[64, 64], lo = 2147483600, hi = 2147483720, STEP = 40
# kernel: unsigned
# want: y == (a @ a) * 100
# case: a = fp16[64, 64] small, f = fp32[2] {2, 3}, y = fp32[64, 64], lo = 0, hi = 4000000000, STEP = 3000000000
# want: y == (a @ a) * 55
# case: a = fp16[192, 64] small, f = fp32[192] small, y = fp32[64, 64], n = 150
# kernel: rows
# want: i = arange(192); g = where(i >= 3, f, 4); h = where(i < n, g, 4); w = reshape(g + h, 192, 1); y == (a[:64] @ a[:64]) * w[:64] * 100 + (a[64:128] @ a[64:128]) * w[64:128] * 10 + (a[128:] @ a[128:]) * w[128:]
# case: a = fp16[64, 64] small, f = fp32[4] {1, 0, 0, 0}, y = fp32[64, 64]
# kernel: written
# want: y == (a @ a) * 421; f[0] == 1; f[1] == 2; f[2] == 4; f[3] == 8
# case: a = fp16[192, 64] small, f = fp32[3] {2, 3, 5}, at = i32[3] {2, 0, 1}, y = fp32[64, 64]
# kernel: chosen
# want: y == (a[:64] @ a[:64]) * 5 + (a[64:128] @ a[64:128]) * 20 + (a[128:] @ a[128:]) * 300
# case: a = fp16[192, 64] small, f = fp32[3] {2, 3, 5}, at = i32[3] {1, 2, 0}, y = fp32[64, 64]
# kernel: followed
# want: y == (a[:64] @ a[:64]) * 2 + (a[64:128] @ a[64:128]) * 30 + (a[128:] @ a[128:]) * 500
# case: a = fp16[192, 64] small, f = fp32[4] {2, 3, 5, 7}, at = i32[3] {1, 2, 0}, y = fp32[64, 64]
# kernel: summed
# want: y == (a[:64] @ a[:64]) * 2 + (a[64:128] @ a[64:128]) * 30 + (a[128:] @ a[128:]) * 700
# case: a = fp16[64, 64] small, f = fp32[3] {2, 3, 5}, at = i32[3] {0, 0, 0}, y = fp32[64, 64]
# kernel: led
# want: y == (a @ a) * (2 + 50 + 300); at[0] == 2; at[1] == 0; at[2] == 1
import triton
import triton.language as tl


@triton.jit
def square(p):
    i = tl.arange(0, 64)
    return p + i[:, None] * 64 + i[None, :]


@triton.jit
def far(a, f, y, lo, hi, STEP: tl.constexpr):
    sums = tl.zeros((64, 64), tl.float32)
    t = 0
    by = 1
    for i in range(lo, hi, STEP):
        w = tl.load(f + t)
        x = tl.load(square(a))
        sums += tl.dot(x, x) * (w * 10 - 5 * by)
        t += 1
        by = -1 - by
    tl.store(square(y), sums)


@triton.jit
def unsigned(a, f, y, lo: tl.uint32, hi: tl.uint32, STEP: tl.constexpr):
    sums = tl.zeros((64, 64), tl.float32)
    t = 0
    by = 1
    for i in range(lo.to(tl.uint32), hi.to(tl.uint32), STEP):
        w = tl.load(f + t)
        x = tl.load(square(a))
        sums += tl.dot(x, x) * (w * 10 - 5 * by)
        t += 1
        by = -1 - by
    tl.store(square(y), sums)


@triton.jit
def rows(a, f, y, n):
    sums = tl.zeros((64, 64), tl.float32)
    for i in range(0, 192, 64):
        j = i + tl.arange(0, 64)
        w = tl.load(f + j, mask=j >= 3, other=4) + tl.load(f + j, mask=(j < n) & (j >= 3), other=4)
        x = tl.load(square(a + i * 64))
        sums = sums * 10 + tl.dot(x, x) * w[:, None]
    tl.store(square(y), sums)


@triton.jit
def written(a, f, y):
    sums = tl.zeros((64, 64), tl.float32)
    by = 1.0
    for i in range(0, 3):
        w = tl.load(f + i)
        x = tl.load(square(a))
        sums += tl.dot(x, x) * w * by
        tl.store(f + i + 1, w * 2)
        by *= 10
    tl.store(square(y), sums)


@triton.jit
def chosen(a, f, at, y):
    sums = tl.zeros((64, 64), tl.float32)
    by = 1.0
    for i in range(0, 3):
        w = tl.load(f + tl.load(at + i))
        x = tl.load(square(a + i * 4096))
        sums += tl.dot(x, x) * w * by
        by *= 10
    tl.store(square(y), sums)


@triton.jit
def followed(a, f, at, y):
    sums = tl.zeros((64, 64), tl.float32)
    by = 1.0
    j = 0
    for i in range(0, 3):
        w = tl.load(f + j)
        j = tl.load(at + j)
        x = tl.load(square(a + i * 4096))
        sums += tl.dot(x, x) * w * by
        by *= 10
    tl.store(square(y), sums)


@triton.jit
def summed(a, f, at, y):
    sums = tl.zeros((64, 64), tl.float32)
    by = 1.0
    j = 0
    for i in range(0, 3):
        w = tl.load(f + j)
        x = tl.load(square(a + i * 4096))
        sums += tl.dot(x, x) * w * by
        j += tl.load(at + i)
        by *= 10
    tl.store(square(y), sums)


@triton.jit
def led(a, f, at, y):
    sums = tl.zeros((64, 64), tl.float32)
    by = 1.0
    j = 0
    for i in range(0, 3):
        w = tl.load(f + j)
        tl.store(at + j, (j + 2) % 3)
        j = tl.load(at + j)
        x = tl.load(square(a))
        sums += tl.dot(x, x) * w * by
        by *= 10
    tl.store(square(y), sums)
