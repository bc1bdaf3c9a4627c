# SPDX-License-Identifier: Apache-2.0
# Rows that a block has no room for: on a GPU that has clusters, several blocks are a program and hold a part of it each. What is reduced they tell each other; what
# is no part of a row one of them stores; where one reads what another writes there is no cluster.
# Rows of 32768 are held likewise, by one block.
# options: num_warps = 8
# case: x = fp32[3, 131072] normal, y = fp32[3, 131072], stride = 131072, n = 131072, B = 131072
# kernel: softmax
# grid: 3
# tolerance: 1e-5 1e-9
# want: e = exp(x - max(x, 1)); y == e / sum(e, 1)
# case: x = fp32[2, 100003] normal, y = fp32[2, 100003], stride = 100003, n = 100003, B = 131072
# grid: 2
# case: x = fp32[1, 200000] normal, y = fp32[1, 200000], stride = 200000, n = 200000, B = 262144
# options: num_warps = 32
# grid: 1
# case: x = fp32[3, 4097] normal, y = fp32[3, 4097], stride = 4097, n = 4097, B = 131072
# options: num_warps = 4
# grid: 3
# case: x = fp32[1, 1] normal, y = fp32[1, 1], stride = 1, n = 1, B = 131072
# grid: 1
# want: y == 1
# case: x = fp32[1, 20000] normal, y = fp32[1, 20000] one, stride = 20000, n = 0, B = 131072
# want: y == 1
# case: x = fp32[1, 3] {-inf, -inf, -inf}, y = fp32[1, 3], stride = 3, n = 3, B = 131072
# want: y == nan
# case: x = fp32[1, 3] {0, inf, 0}, y = fp32[1, 3], stride = 3, n = 3, B = 131072
# want: e = exp(x - max(x, 1)); y == e / sum(e, 1)
# case: x = fp32[1, 3] {0, 0, nan}, y = fp32[1, 3], stride = 3, n = 3, B = 131072
# case: x = bf16[2, 130000] normal, y = bf16[2, 130000], stride = 130000, n = 130000, B = 131072
# grid: 2
# tolerance: 1e-2 1e-7
# want: e = exp(x - max(x, 1)); y == e / sum(e, 1)
# case: x = fp32[2, 70000] normal, n = 70000, B = 131072
# kernel: in_place
# tolerance: 1e-4 1e-5
# want: x == x / sqrt(sum(x * x, 1) / n + 1)
# case: x = fp32[2, 120001] normal, w = fp32[120001] normal, b = fp32[120001] normal, y = fp32[2, 120001], mean = fp32[2], scale = fp32[2], n = 120001, B = 131072
# kernel: layer_norm
# want: m = sum(x, 1) / n; s = 1 / sqrt(sum((x - m) * (x - m), 1) / n + 0.00001); y == (x - m) * s * w + b; mean == m[:, 0]; scale == s[:, 0]
# case: x = bf16[2, 120008] normal, w = bf16[120008] normal, b = bf16[120008] normal, y = bf16[2, 120008], mean = fp32[2], scale = fp32[2], n = 120008, B = 131072
# tolerance: 1e-2 1e-2
# case: x = fp16[2, 30001] normal, w = fp16[30001] normal, b = fp16[30001] normal, y = fp16[2, 30001], mean = fp32[2], scale = fp32[2], n = 30001, B = 32768
# tolerance: 2e-3 2e-3
# case: x = fp32[2, 120001] normal, g = fp32[2, 120001] normal, y = fp32[2, 120001], n = 120001, B = 131072
# kernel: both
# tolerance: 1e-4 1e-5
# want: s = sum(x * g, 1); y == g * x - x * s / n
# case: x = fp32[2, 100000] small, t = i32[2] {99999, 0}, loss = fp32[2], n = 100000, B = 131072
# kernel: loss_of
# want: d = sum(exp(x), 1); loss[0] == log(d[0, 0]) - x[0, 99999]; loss[1] == log(d[1, 0]) - x[1, 0]
# case: x = fp32[3, 100000] small, v = fp32[3], at = i32[3], y = fp32[3, 100000], n = 100000, B = 131072
# kernel: first_of
# grid: 3
# want: v == max(x, 1)[:, 0]; at == argmax(x, 1)[:, 0]; y == x - max(x, 1)
# case: x = i32[131072] small, y = i32[262144], n = 131072, B = 131072
# kernel: behind
# grid: 1
# want: y[131072:] == x + sum(x, 0); y[:131072] == x
# case: x = i32[131072] small, y = i32[262144], n = 131072, B = 131072
# kernel: turned
# grid: 1
# case: x = fp32[2, 100000] small, y = fp32[2, 100000], total = fp32[2] zero, n = 100000, B = 131072
# kernel: counted
# grid: 2
# want: y == x - max(x, 1) + 0; total == sum(x, 1)[:, 0]
# case: x = fp32[2, 60001] normal, y = fp32[2, 60001], stride = 60001, n = 60001, B = 65536
# kernel: softmax
# grid: 2
# tolerance: 1e-5 1e-9
# want: e = exp(x - max(x, 1)); y == e / sum(e, 1)
# case: x = fp32[2, 3, 70001] normal, y = fp32[2, 3, 70001], n = 70001, B = 131072
# kernel: by_axes
# grid: 2, 3
# want: m = max(x, 2); y == x - m
# case: x = bf16[2, 30001] normal, y = bf16[2, 30001], stride = 30001, n = 30001, B = 32768
# kernel: softmax
# grid: 2
# tolerance: 1e-2 1e-7
# want: e = exp(x - max(x, 1)); y == e / sum(e, 1)
# case: x = fp32[2, 32768] normal, y = fp32[2, 32768], stride = 32768, n = 32768, B = 32768
# tolerance: 1e-5 1e-9
# case: x = fp32[2, 20001] normal, w = fp32[20001] normal, b = fp32[20001] normal, y = fp32[2, 20001], mean = fp32[2], scale = fp32[2], n = 20001, B = 32768
# kernel: layer_norm
# tolerance: 1e-4 1e-5
# want: m = sum(x, 1) / n; s = 1 / sqrt(sum((x - m) * (x - m), 1) / n + 0.00001); y == (x - m) * s * w + b; mean == m[:, 0]; scale == s[:, 0]
# case: x = fp32[3, 30000] small, v = fp32[3], at = i32[3], y = fp32[3, 30000], n = 30000, B = 32768
# kernel: first_of
# grid: 3
# want: v == max(x, 1)[:, 0]; at == argmax(x, 1)[:, 0]; y == x - max(x, 1)
# case: x = fp32[2, 29000] normal, n = 29000, B = 32768
# kernel: in_place
# grid: 2
# tolerance: 1e-4 1e-5
# want: x == x / sqrt(sum(x * x, 1) / n + 1)
# case: x = bf16[1, 100001] small, y = bf16[1, 100001], n = 100001, B = 131072
# kernel: below
# grid: 1
# want: y == x - max(x, 1)
# case: x = fp16[2, 66000] small, y = fp16[2, 66000], n = 66000, B = 131072
# grid: 2
# case: x = i8[1, 131071] small, y = i8[1, 131071], n = 131071, B = 131072
# grid: 1
# case: x = i16[1, 131072] small, y = i16[1, 131072], n = 131072, B = 131072
# case: x = fp64[1, 65000] normal, y = fp64[1, 65000], n = 65000, B = 65536
# case: x = i64[1, 65536] small, y = i64[1, 65536], n = 65536, B = 65536
# case: x = bf16[3, 100003] normal, t = i32[3, 1] {0, 50007, 100002}, loss = fp32[3, 1], d = bf16[3, 100003], n = 100003, B = 131072
# kernel: entropy
# grid: 3
# tolerance: 1e-2 1e-6
# want: s = sum(exp(x - max(x, 1)), 1); one = arange(100003) == t; d == exp(x - max(x, 1)) / s - one; loss == max(x, 1) + log(s) - sum(where(one, x, 0), 1)
# case: x = bf16[2, 32768] normal, t = i32[2, 1] {16391, 32767}, loss = fp32[2, 1], d = fp32[2, 32768], n = 32768, B = 32768
# grid: 2
# tolerance: 1e-4 1e-9
# want: s = sum(exp(x - max(x, 1)), 1); one = arange(32768) == t; d == exp(x - max(x, 1)) / s - one; loss == max(x, 1) + log(s) - sum(where(one, x, 0), 1)
# case: x = fp32[2, 32768] normal, t = i32[2, 1] {2, 30001}, loss = fp32[2, 1], d = fp32[2, 32768], n = 32768, B = 32768
# tolerance: 1e-4 1e-9
# want: s = sum(exp(x - max(x, 1)), 1); one = arange(32768) == t; d == exp(x - max(x, 1)) / s - one; loss == max(x, 1) + log(s) - sum(where(one, x, 0), 1)
# case: x = bf16[2, 32001] normal, y = fp32[2, 32001], n = 32001, B = 32768
# kernel: wide
# grid: 2
# tolerance: 1e-3 1e-14
# want: e = exp(20 * x - max(20 * x, 1)); y == e * (1e30 / sum(e, 1))
# case: x = fp32[2, 32001] normal, y = fp32[2, 32001], n = 32001, B = 32768
# want: e = exp(20 * x - max(20 * x, 1)); y == e * (1e30 / sum(e, 1))
# case: w = fp16[60000] normal, x = fp16[2, 60000] normal, scale = fp32[2], g = fp16[2, 60000] normal, y = fp16[2, 60000], n = 60000, B = 65536
# kernel: gated
# tolerance: 4e-3 1e-3
# want: s = 1 / sqrt(sum(x * x, 1) / n + 0.001); y == x * s * w * g / (1 + exp(-g)); scale == s[:, 0]
# case: x = bf16[2, 60001] normal, g = bf16[2, 60001] normal, w = bf16[60001] normal, y = bf16[2, 60001], n = 60001, B = 65536
# kernel: gradient
# grid: 2
# tolerance: 2e-2 2e-2
# want: r = 1 / sqrt(sum(x * x, 1) / n + 0.00001); h = g * w; y == r * (h - x * (sum(h * x, 1) / n * r * r))
# case: x = bf16[2, 32768] normal, g = bf16[2, 32768] normal, w = bf16[32768] normal, y = bf16[2, 32768], n = 32768, B = 32768
# options: num_warps = 32
# want: r = 1 / sqrt(sum(x * x, 1) / n + 0.00001); h = g * w; y == r * (h - x * (sum(h * x, 1) / n * r * r))
# case: x = fp32[2, 130000] normal, g = fp32[2, 130000] normal, w = fp32[130000] normal, y = fp32[2, 130000], n = 130000, B = 131072
# tolerance: 1e-4 1e-5
# want: r = 1 / sqrt(sum(x * x, 1) / n + 0.00001); h = g * w; y == r * (h - x * (sum(h * x, 1) / n * r * r))
import triton
import triton.language as tl


# Numbers of all sizes are told.
@triton.jit
def below(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0) * n
    v = tl.load(x + row + i, mask=i < n, other=-100)
    tl.store(y + row + i, v - tl.max(v, axis=0), mask=i < n)


@triton.jit
def softmax(x, y, stride, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0) * stride
    v = tl.load(x + row + i, mask=i < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row + i, e / tl.sum(e, axis=0), mask=i < n)


@triton.jit
def in_place(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    p = x + tl.program_id(0) * n + i
    v = tl.load(p, mask=i < n, other=0.0)
    tl.store(p, v / tl.sqrt(tl.sum(v * v, axis=0) / n + 1), mask=i < n)


@triton.jit
def layer_norm(x, w, b, y, mean, scale, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0)
    v = tl.load(x + row * n + i, mask=i < n, other=0.0).to(tl.float32)
    m = tl.sum(v, axis=0) / n
    d = tl.where(i < n, v - m, 0.0)
    s = 1 / tl.sqrt(tl.sum(d * d, axis=0) / n + 1e-5)
    tl.store(mean + row, m)
    tl.store(scale + row, s)
    u = d * s * tl.load(w + i, mask=i < n).to(tl.float32)
    tl.store(y + row * n + i, u + tl.load(b + i, mask=i < n).to(tl.float32), mask=i < n)


# Two tiles are held, two numbers told at once.
@triton.jit
def both(x, g, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0) * n
    v = tl.load(x + row + i, mask=i < n, other=0.0)
    d = tl.load(g + row + i, mask=i < n, other=0.0)
    s = tl.sum(v * d, axis=0)
    tl.store(y + row + i, d * v - v * s / n, mask=i < n)


@triton.jit
def loss_of(x, t, loss, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    most = tl.max(v, axis=0)
    total = tl.sum(tl.exp(v - most), axis=0)
    tl.store(loss + row, most + tl.log(total) - tl.load(x + row * n + tl.load(t + row)))


@triton.jit
def first_of(x, v, at, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0)
    a = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    most, where = tl.max(a, axis=0, return_indices=True)
    tl.store(v + row, most)
    tl.store(at + row, where)
    tl.store(y + row * n + i, a - most, mask=i < n)


# A part of what is stored is read by all.
@triton.jit
def behind(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(y + i, v, mask=i < n)
    tl.debug_barrier()
    back = tl.load(y + (B - 1 - i), mask=i < n, other=0)
    total = tl.sum(back, axis=0)
    tl.store(y + n + i, v + total, mask=i < n)


@triton.jit
def turned(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(y + i, v, mask=i < n)
    total = tl.sum(tl.load(y + (B - 1 - i), mask=i < n, other=0), axis=0)
    tl.store(y + n + i, v + total, mask=i < n)


# What is added to is loaded and stored: once.
@triton.jit
def counted(x, y, total, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0)
    before = tl.load(total + row)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    tl.store(total + row, before + tl.sum(tl.where(i < n, v, 0.0), axis=0))
    tl.store(y + row * n + i, v - tl.max(v, axis=0) + before, mask=i < n)


@triton.jit
def by_axes(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = (tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)) * n
    v = tl.load(x + row + i, mask=i < n, other=-float("inf"))
    tl.store(y + row + i, v - tl.max(v, axis=0), mask=i < n)


@triton.jit
def entropy(x, t, loss, d, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf")).to(tl.float32)
    target = tl.load(t + row)
    most = tl.max(v, axis=0)
    e = tl.exp(v - most)
    total = tl.sum(e, axis=0)
    tl.store(loss + row, most + tl.log(total) - tl.load(x + row * n + target).to(tl.float32))
    tl.store(d + row * n + i, e / total - tl.where(i == target, 1.0, 0.0), mask=i < n)


# Some exponentials are subnormal numbers, which are no zeros.
@triton.jit
def wide(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0) * n
    v = tl.load(x + row + i, mask=i < n, other=-float("inf")).to(tl.float32) * 20
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row + i, e * 1e30 / tl.sum(e, axis=0), mask=i < n)


# What is loaded a piece ahead is made of what stood there first.
@triton.jit
def gated(w, x, scale, g, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0)
    u = tl.load(w + i, mask=i < n, other=0.0).to(tl.float32)
    v = tl.load(x + row * n + i, mask=i < n, other=0.0).to(tl.float32)
    s = tl.rsqrt(tl.sum(v * v, axis=0) / n + 1e-3)
    tl.store(scale + row, s)
    d = tl.load(g + row * n + i, mask=i < n, other=0.0).to(tl.float32)
    tl.store(y + row * n + i, (v * s * u) * (d * tl.sigmoid(d)), mask=i < n)


# What all programs read is held by none.
@triton.jit
def gradient(x, g, w, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0) * n
    v = tl.load(x + row + i, mask=i < n, other=0.0).to(tl.float32)
    d = tl.load(g + row + i, mask=i < n, other=0.0).to(tl.float32)
    h = d * tl.load(w + i, mask=i < n, other=0.0).to(tl.float32)
    r = 1 / tl.sqrt(tl.sum(v * v, axis=0) / n + 1e-5)
    c = tl.sum(h * v, axis=0) / n * r * r
    tl.store(y + row + i, r * (h - v * c), mask=i < n)
