# SPDX-License-Identifier: Apache-2.0
# What a loop adds up of tiles: a GPU carries the lanes and reduces them behind the loop, where nobody
# in it reads what there is so far. It starts from numbers other than 0; two sums and one of squares
# go through the block together; rows of a tile; bits; turns of a loop in another; a loop of no turns.
# tolerance: 1e-4 1e-4
# case: x = fp32[5, 3000] normal, f = fp32[5, 2], n = 3000, BLOCK = 1024
# kernel: floats
# grid: 5
# want: f[:, 0] == 0.5 + sum(x, 1)[:, 0]; f[:, 1] == 2 + sum(x * x, 1)[:, 0]
# case: x = bf16[5, 3000] normal +1, f = fp32[5, 2] +3, n = 3000, BLOCK = 1024
# options: num_warps = 1
# case: x = fp32[5, 3000] normal, f = fp32[5, 2], n = 3000, BLOCK = 1024
# options: num_warps = 8
# case: x = i32[5, 3000] small, f = i32[5, 4], n = 3000, BLOCK = 512
# kernel: integers
# want: f[:, 0] == 7 + sum(x, 1)[:, 0]; f[:, 1] == 1; f[:, 2] == 1; f[:, 3] == 0
# case: x = i32[5, 1] small, f = i32[5, 4], n = 1, BLOCK = 512
# want: f[:, 0] == 7 + x[:, 0]; f[:, 1] == where(x == 3, 1, 0)[:, 0]; f[:, 2] == 1; f[:, 3] == 0
# case: x = i32[5, 3000] small, f = i32[5], n = 3000, BLOCK = 512
# kernel: so_far
# want: f == 7 + sum(x[:, :2560], 1)[:, 0]
# case: x = i32[5, 1500] small, f = i32[5, 2], n = 1500, BLOCK = 512
# kernel: now
# want: a = sum(x[:, :512], 1)[:, 0]; b = sum(x[:, :1024], 1)[:, 0]; c = sum(x, 1)[:, 0]; f[:, 0] == c; f[:, 1] == a + b + c
# case: x = i32[5, 1500] small, f = i32[5, 2], n = 1500, BLOCK = 512
# kernel: alone
# want: f[:, 0] == sum(x, 1)[:, 0]; f[:, 1] == sum(x[:, 1024:], 1)[:, 0]
# case: x = fp32[5, 300] normal, f = fp32[5], n = 300, ROWS = 4, BLOCK = 64
# kernel: rows
# grid: cdiv(5, ROWS)
# want: f == 1 + 3 * sum(x, 1)[:, 0]
# case: x = fp32[5, 1] normal, f = fp32[5], n = 1, ROWS = 1, BLOCK = 64
# case: x = fp16[5, 300] normal, f = fp32[5], n = 300, ROWS = 2, BLOCK = 128
# tolerance: 2e-3 2e-3
# case: x = i32[5, 1500] small, f = i32[5, 3], n = 1500, BLOCK = 512
# kernel: otherwise
# grid: 5
# want: a = sum(x[:, :512], 1)[:, 0]; b = sum(x[:, 512:1024], 1)[:, 0]; c = sum(x[:, 1024:], 1)[:, 0]; m = where(a > b, a, b); f[:, 0] == where(m > c, m, c); f[:, 1] == sum(where(x > 0, x, 0), 1)[:, 0]; f[:, 2] == a * b * c
# case: x = fp32[5, 1500] full(-0.0), f = i32[5], n = 1500, BLOCK = 512
# kernel: no_sign_lost
# want: f == -2147483648
import triton
import triton.language as tl


@triton.jit
def floats(x, f, n, BLOCK: tl.constexpr):
    x += tl.program_id(0) * n
    a = 0.5
    b = 2.0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < n, other=0).to(tl.float32)
        a += tl.sum(v, axis=0)
        b = tl.sum(v * v, axis=0) + b
    tl.store(f + tl.program_id(0) * 2, a)
    tl.store(f + tl.program_id(0) * 2 + 1, b)


@triton.jit
def either(a, b):
    return a | b


@triton.jit
def both(a, b):
    return a & b


@triton.jit
def integers(x, f, n, BLOCK: tl.constexpr):
    x += tl.program_id(0) * n
    total = 7
    some = 0
    every = 1
    nothing = 0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < n, other=0)
        total += tl.sum(v, axis=0)
        some |= tl.reduce((v == 3).to(tl.int32), 0, either)
        every &= tl.reduce((v < 9).to(tl.int32), 0, both)
    for start in range(n, 0, BLOCK):
        nothing += tl.sum(start + tl.arange(0, BLOCK), axis=0)
    tl.store(f + tl.program_id(0) * 4, total)
    tl.store(f + tl.program_id(0) * 4 + 1, some)
    tl.store(f + tl.program_id(0) * 4 + 2, every)
    tl.store(f + tl.program_id(0) * 4 + 3, nothing)


# What the last turn found.
@triton.jit
def so_far(x, f, n, BLOCK: tl.constexpr):
    x += tl.program_id(0) * n
    total = 7
    before = 0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        before = total
        total += tl.sum(tl.load(x + i, mask=i < n, other=0), axis=0)
    tl.store(f + tl.program_id(0), before)


# What there is so far is read.
@triton.jit
def now(x, f, n, BLOCK: tl.constexpr):
    x += tl.program_id(0) * n
    total = 0
    totals = 0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(x + i, mask=i < n, other=0), axis=0)
        totals += total
    tl.store(f + tl.program_id(0) * 2, total)
    tl.store(f + tl.program_id(0) * 2 + 1, totals)


# What each turn found is read.
@triton.jit
def alone(x, f, n, BLOCK: tl.constexpr):
    x += tl.program_id(0) * n
    total = 0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        found = tl.sum(tl.load(x + i, mask=i < n, other=0), axis=0)
        total += found
        tl.store(f + tl.program_id(0) * 2 + 1, found)
    tl.store(f + tl.program_id(0) * 2, total)


@triton.jit
def rows(x, f, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    total = tl.full([ROWS], 1.0, tl.float32)
    for again in range(3):
        for start in range(0, n, BLOCK):
            i = start + tl.arange(0, BLOCK)
            mask = (r < 5)[:, None] & (i < n)[None, :]
            v = tl.load(x + r[:, None] * n + i[None, :], mask=mask, other=0).to(tl.float32)
            total += tl.sum(v, axis=1)
    tl.store(f + r, total, mask=r < 5)


@triton.jit
def above_0(a, b):
    return tl.maximum(a, 0) + tl.maximum(b, 0)


# Sums are not added up, or are of what the combination changes.
@triton.jit
def otherwise(x, f, n, BLOCK: tl.constexpr):
    x += tl.program_id(0) * n
    most = -1000000
    above = 0
    product = 1
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < n, other=0)
        most = tl.maximum(most, tl.sum(v, axis=0))
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        above += tl.reduce(tl.load(x + i, mask=i < n, other=0), 0, above_0)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        product *= tl.sum(tl.load(x + i, mask=i < n, other=0), axis=0)
    tl.store(f + tl.program_id(0) * 3, most)
    tl.store(f + tl.program_id(0) * 3 + 1, above)
    tl.store(f + tl.program_id(0) * 3 + 2, product)


@triton.jit
def no_sign_lost(x, f, n, BLOCK: tl.constexpr):
    x += tl.program_id(0) * n
    total = -0.0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(x + i, mask=i < n, other=-0.0), axis=0)
    tl.store(f + tl.program_id(0), total.to(tl.int32, bitcast=True))
