# SPDX-License-Identifier: Apache-2.0
# Tiles of more lanes than a block's threads have registers for: on a GPU they are computed a piece
# at a time, the first of them held in registers. Rows in two passes and in place; what is stored where is read again later, or to other
# lanes of it, must be read first.
# options: num_warps = 1
# case: x = fp32[3, 15000] normal, y = fp32[3, 15000], stride = 15000, n = 15000, B = 16384
# kernel: softmax
# grid: 3
# tolerance: 1e-5 1e-7
# want: e = exp(x - max(x, 1)); y == e / sum(e, 1)
# case: x = fp16[2, 16384] normal, y = fp16[2, 16384], stride = 16384, n = 16384, B = 16384
# grid: 2
# tolerance: 2e-3 1e-6
# case: x = fp32[1, 1] normal, y = fp32[1, 1], stride = 1, n = 1, B = 16384
# grid: 1
# tolerance: 1e-5 1e-7
# case: x = fp32[1, 60000] normal, y = fp32[1, 60000], stride = 60000, n = 60000, B = 65536
# options: num_warps = 32
# case: x = fp32[1, 100000] normal, y = fp32[1, 100000], stride = 100000, n = 100000, B = 131072
# case: x = fp32[1, 3] {-inf, 0, 0}, y = fp32[1, 3], stride = 3, n = 3, B = 131072
# want: y[0, 0] == 0; y[0, 1:] == 0.5
# case: x = fp32[1, 3] {-inf, -inf, -inf}, y = fp32[1, 3], stride = 3, n = 3, B = 131072
# want: y == nan
# case: x = fp32[1, 3] {0, inf, 0}, y = fp32[1, 3], stride = 3, n = 3, B = 131072
# case: x = fp32[1, 3] {0, 0, nan}, y = fp32[1, 3], stride = 3, n = 3, B = 131072
# case: x = fp32[2, 20000] normal, c = 1.0, y = fp32[2], n = 20000, B = 131072
# kernel: spread
# grid: 2
# want: y == (sum(exp(x - where(max(x, 1) < 1, 1, max(x, 1))), 1))[:, 0]
# case: x = fp32[2, 20000] uniform, c = 100.0, y = fp32[2], n = 20000, B = 131072
# want: y == sum(exp(x - 100), 1)[:, 0]
# case: x = fp32[1, 2] {0, -95}, y = fp32[1, 2], n = 2, B = 131072
# kernel: small
# grid: 1
# tolerance: 1e-2 1e-9
# want: y[0, 0] == 2.3158418e38; y[0, 1] == 0.0012786
# case: x = fp32[2, 9000] normal, n = 9000, B = 16384
# options: num_warps = 1
# kernel: scale
# grid: 2
# want: x == x / sqrt(sum(x * x, 1) / n + 1)
# case: x = fp32[16383] normal, y = fp32[16383], z = fp32[16384], n = 16383, B = 16384
# kernel: twice
# grid: 1
# tolerance: 1e-4 1e-4
# want: y == x * 2; x == x * 2
# want: z[:16383] == x + sum(x, 0); z[16383:] == 0
# case: x = i32[16385] small, n = 16384, B = 16384
# kernel: shifted
# want: x[1:] == x[:16384] + 1
# case: x = i32[16384] small, y = i32[16384], z = i32[16384], B = 16384
# kernel: through
# want: y == x + 1; z[:8192] == x[8192:] + 1; z[8192:] == x[:8192] + 1
# case: x = i32[4, 5000] small, v = i32[4], y = i32[4], n = 5000, ROWS = 4, B = 8192
# kernel: places
# want: v == max(x, 1)[:, 0]; y == argmax(x, 1)[:, 0]
# case: x = fp32[1, 16000] edges, v = fp32[1], y = i32[1], n = 16000, ROWS = 1, B = 16384
# kernel: places
# want: a = where(x == x, x, -1e39); v == max(a, 1)[:, 0]; y == argmax(a, 1)[:, 0]
# case: x = fp32[130, 100] normal, m = fp32[130], y = fp32[130, 100], rows = 130, n = 100, ROWS = 256, B = 128
# kernel: rows
# tolerance: 1e-5 1e-5
# want: m == sum(x, 1)[:, 0] / n; y == x - sum(x, 1) / n
# case: x = fp32[130, 100] normal, m = fp32[100], y = fp32[130, 100], rows = 130, n = 100, ROWS = 256, B = 128
# kernel: columns
# want: m == sum(x, 0)[0, :]; y == x - sum(x, 0)
# case: x = fp32[3, 9000] normal, w = fp32[9000] normal, y = fp32[3, 9000], rows = 3, n = 9000, B = 16384
# kernel: weighted
# want: y == x * w / (sum(x * x, 1) / n + 1)
# case: x = fp32[5, 9000] normal, d = fp32[9000], rows = 5, n = 9000, B = 16384
# kernel: gradient
# want: d == sum(x * x, 0)[0, :]
# case: x = i32[16384] small, y = i32[16384], B = 16384
# kernel: running
# want: y == cumsum(x, 0)
# case: x = fp16[3, 16000] normal, w = fp16[3, 16000] uniform, y = fp32[3, 16000], rows = 3, n = 16000, B = 16384
# kernel: both
# tolerance: 2e-3 1e-6
# want: e = exp(x - max(x, 1)) * w; y == e / sum(e, 1) - w / n
# case: x = fp16[2, 8001] normal, y = fp16[2, 8001], stride = 8001, n = 8001, B = 8192
# kernel: softmax
# grid: 2
# want: e = exp(x - max(x, 1)); y == e / sum(e, 1)
# case: x = bf16[3, 8001] normal, w = bf16[8001] uniform, y = fp32[3, 8001], rows = 3, n = 8001, B = 8192
# kernel: centred
# grid: 1
# tolerance: 1e-4 1e-4
# want: m = sum(x, 1) / n; d = x - m; y == d / sqrt(sum(d * d, 1) / n + 1) * w + m
# case: x = bf16[3, 15999] normal, w = bf16[15999] uniform, y = fp32[3, 15999], rows = 3, n = 15999, B = 16384
# case: x = i32[16384] small, y = i32[16384] small, z = i32[1], n = 16000, turns = 1, B = 16384
# kernel: overwritten
# grid: 1
# options: num_warps = 1
# want: z == sum(x[:16000] * x[:16000], 0); x[:16000] == y[:16000]; x[16000:] == x[16000:]
# case: x = i32[16384] small, y = i32[16384] zero, z = i32[16384] zero, n = 16000, turns = 2, B = 16384
# kernel: also_in_loop
# want: z[:16000] == x[:16000]; z[16000:] == 0; y[:15997] == 2 * x[:15997]; y[15997:16000] == x[15997:16000]; y[16000:] == 0
import triton
import triton.language as tl


@triton.jit
def softmax(x, y, stride, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0) * stride
    v = tl.load(x + row + i, mask=i < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row + i, e / tl.sum(e, axis=0), mask=i < n)


# The maximum is one of several.
@triton.jit
def spread(x, c, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=-float("inf"))
    most = tl.maximum(c, tl.max(v, axis=0))
    tl.store(y + tl.program_id(0), tl.sum(tl.exp(v - most), axis=0))


# Exponentials that are subnormal numbers: they are stored.
@triton.jit
def small(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + i, e * 2.3158418e38 / tl.sum(e, axis=0), mask=i < n)


@triton.jit
def scale(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0) * n
    v = tl.load(x + row + i, mask=i < n, other=0.0)
    tl.store(x + row + i, v / tl.sqrt(tl.sum(v * v, axis=0) / n + 1), mask=i < n)


# The first load is needed again when its memory has other numbers.
@triton.jit
def twice(x, y, z, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(x + i, v * 2, mask=i < n)
    w = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(y + i, w, mask=i < n)
    total = tl.sum(v, axis=0)
    tl.store(z + i, tl.where(i < n, v + total, 0.0))


@triton.jit
def shifted(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + 1 + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@triton.jit
def through(x, y, z, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i) + 1)
    tl.debug_barrier()
    tl.store(z + i, tl.load(y + (i ^ B // 2)))


@triton.jit
def places(x, v, y, n, ROWS: tl.constexpr, B: tl.constexpr):
    r = tl.arange(0, ROWS)
    i = tl.arange(0, B)
    a = tl.load(x + r[:, None] * n + i[None, :], mask=(i < n)[None, :], other=-100)
    most, at = tl.max(a, 1, return_indices=True)
    tl.store(v + r, most)
    tl.store(y + r, at)


@triton.jit
def rows(x, m, y, rows, n, ROWS: tl.constexpr, B: tl.constexpr):
    r = tl.arange(0, ROWS)
    i = tl.arange(0, B)
    inside = (r < rows)[:, None] & (i < n)[None, :]
    a = tl.load(x + r[:, None] * n + i[None, :], mask=inside, other=0.0)
    mean = tl.sum(a, 1) / n
    tl.store(m + r, mean, mask=r < rows)
    tl.store(y + r[:, None] * n + i[None, :], a - mean[:, None], mask=inside)


@triton.jit
def columns(x, m, y, rows, n, ROWS: tl.constexpr, B: tl.constexpr):
    r = tl.arange(0, ROWS)
    i = tl.arange(0, B)
    inside = (r < rows)[:, None] & (i < n)[None, :]
    a = tl.load(x + r[:, None] * n + i[None, :], mask=inside, other=0.0)
    total = tl.sum(a, 0)
    tl.store(m + i, total, mask=i < n)
    tl.store(y + r[:, None] * n + i[None, :], a - total[None, :], mask=inside)


# The weights are loaded before the loop over rows.
@triton.jit
def weighted(x, w, y, rows, n, B: tl.constexpr):
    i = tl.arange(0, B)
    weight = tl.load(w + i, mask=i < n, other=0.0)
    for row in range(0, rows):
        v = tl.load(x + row * n + i, mask=i < n, other=0.0)
        scale = tl.sum(v * v, axis=0) / n + 1
        tl.store(y + row * n + i, v * weight / scale, mask=i < n)


# A tile that a loop carries stays whole.
@triton.jit
def gradient(x, d, rows, n, B: tl.constexpr):
    i = tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    for row in range(0, rows):
        v = tl.load(x + row * n + i, mask=i < n, other=0.0)
        total += v * v
    tl.store(d + i, total, mask=i < n)


@triton.jit
def running(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.cumsum(tl.load(x + i), 0))


# Two of each piece are read again, in each turn of a loop.
@triton.jit
def both(x, w, y, rows, n, B: tl.constexpr):
    i = tl.arange(0, B)
    for row in range(0, rows):
        v = tl.load(x + row * n + i, mask=i < n, other=-float("inf")).to(tl.float32)
        u = tl.load(w + row * n + i, mask=i < n, other=0.0).to(tl.float32)
        e = tl.exp(v - tl.maximum(tl.max(v, axis=0), tl.min(u, axis=0))) * u
        tl.store(y + row * n + i, e / tl.sum(e, axis=0) - u / n, mask=i < n)


# Kept pieces are read in a loop that loads weights, where numbers of 16 bits go one by one.
@triton.jit
def centred(x, w, y, rows, n, B: tl.constexpr):
    i = tl.arange(0, B)
    for row in range(0, rows):
        v = tl.load(x + row * n + i, mask=i < n, other=0.0).to(tl.float32)
        mean = tl.sum(v, axis=0) / n
        d = tl.where(i < n, v - mean, 0.0)
        scale = 1 / tl.sqrt(tl.sum(d * d, axis=0) / n + 1)
        u = tl.load(w + i, mask=i < n, other=0.0).to(tl.float32)
        tl.store(y + row * n + i, (v - mean) * scale * u + mean, mask=i < n)


# What is summed up was loaded before other numbers came there.
@triton.jit
def overwritten(x, y, z, n, turns, B: tl.constexpr):
    i = tl.arange(0, B)
    for t in range(turns):
        v = tl.load(x + i, mask=i < n, other=1)
        u = tl.load(x + i, mask=i < n, other=0)
        tl.store(x + i, tl.load(y + i, mask=i < n), mask=i < n)
        tl.store(z, tl.sum(u * tl.maximum(u, v), 0))


# What a loop reads is held for no others.
@triton.jit
def also_in_loop(x, y, z, n, turns, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    for t in range(turns):
        tl.store(z + i, v, mask=i < n)
    tl.store(y + i, v, mask=i < n)
    tl.store(y + i, v * 2, mask=i < n - 3)
