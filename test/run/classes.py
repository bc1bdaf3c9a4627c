# SPDX-License-Identifier: Apache-2.0
# One kernel for each class of memory-bound kernels that a GPU meets, as people write them: what
# tools/bench_classes.py times. Here their answers, at odd sizes, on every device.
# tolerance: 2e-2 1e-2
# case: x_ptr = bf16[1000] normal, out_ptr = bf16[1000], n = 1000, BLOCK = 256
# kernel: tanh_kernel
# grid: cdiv(1000, BLOCK)
# want: out_ptr == tanh(x_ptr)
# case: a_ptr = bf16[3, 300] normal, b_ptr = bf16[3, 300] normal, out_ptr = bf16[3, 300], columns = 300, BLOCK = 512
# kernel: swiglu_kernel
# grid: 3
# want: out_ptr == a_ptr / (1 + exp(-a_ptr)) * b_ptr
# case: x_ptr = bf16[3, 300] normal, w_ptr = bf16[300] normal, out_ptr = bf16[3, 300], columns = 300, eps = 0.000001, BLOCK = 512
# kernel: rms_norm_kernel
# want: out_ptr == x_ptr / sqrt(sum(x_ptr * x_ptr, 1) / 300 + 0.000001) * w_ptr
# case: x_ptr = bf16[3, 300] normal, w_ptr = bf16[3] normal, out_ptr = bf16[3, 300], columns = 300, eps = 0.000001, BLOCK = 512
# kernel: poly_norm_kernel
# want: a = x_ptr * x_ptr * x_ptr; b = x_ptr * x_ptr; p = a / sqrt(sum(a * a, 1) / 300); q = b / sqrt(sum(b * b, 1) / 300); out_ptr == w_ptr[0] * p + w_ptr[1] * q + w_ptr[2] * x_ptr / sqrt(sum(b, 1) / 300)
# case: x_ptr = bf16[2, 300] normal, target_ptr = i64[2] {7, 299}, loss_ptr = fp32[2], columns = 300, scale = 0.5, BLOCK = 128
# kernel: cross_entropy_kernel
# grid: 2
# want: d = sum(exp(x_ptr), 1); loss_ptr[0] == log(d[0, 0]) - x_ptr[0, 7]; loss_ptr[1] == log(d[1, 0]) - x_ptr[1, 299]
# want: e = exp(x_ptr) / sum(exp(x_ptr), 1) / 2; x_ptr[0, :7] == e[0, :7]; x_ptr[0, 7] == e[0, 7] - 0.5; x_ptr[0, 8:] == e[0, 8:]
# want: e = exp(x_ptr) / sum(exp(x_ptr), 1) / 2; x_ptr[1, :299] == e[1, :299]; x_ptr[1, 299] == e[1, 299] - 0.5
# case: y_ptr = fp32[2, 1000] normal, t_ptr = fp32[2, 1000] uniform, out_ptr = fp32[2], columns = 1000, BLOCK = 256
# kernel: kl_div_kernel
# tolerance: 1e-4 1e-3
# want: out_ptr == sum(t_ptr * (log(where(t_ptr < 1e-10, 1e-10, t_ptr)) - y_ptr), 1)[:, 0]
# case: o_ptr = fp32[2, 1000] normal, go_ptr = fp32[2, 1000] normal, gi_ptr = fp32[2, 1000], columns = 1000, BLOCK = 256
# kernel: sparsemax_backward_kernel
# tolerance: 1e-4 1e-4
# want: s = where(o_ptr > 0, 1, 0); gi_ptr == where(o_ptr > 0, go_ptr - sum(go_ptr * s, 1) / sum(s, 1), 0)
# case: x_ptr = fp32[5, 1000] small, value_ptr = fp32[5], index_ptr = i32[5], rows = 5, columns = 1000, ROWS = 1, BLOCK = 1024
# kernel: max_kernel
# grid: cdiv(5, ROWS)
# want: value_ptr == max(x_ptr, 1)[:, 0]; index_ptr == argmax(x_ptr, 1)[:, 0]
# case: x_ptr = fp32[5, 1000] small, value_ptr = fp32[5], index_ptr = i32[5], rows = 5, columns = 1000, ROWS = 4, BLOCK = 256
# case: x_ptr = fp32[5, 9000] normal, value_ptr = fp32[5], index_ptr = i32[5], rows = 5, columns = 9000, ROWS = 8, BLOCK = 4096
# case: x_ptr = fp32[5, 1] edges, value_ptr = fp32[5], index_ptr = i32[5], rows = 5, columns = 1, ROWS = 8, BLOCK = 64
# want: index_ptr == 0; value_ptr == where(x_ptr == x_ptr, x_ptr, -inf)[:, 0]
# case: x_ptr = fp32[5, 300] zero, out_ptr = i32[5], rows = 5, columns = 300, ROWS = 4, BLOCK = 128
# kernel: any_kernel
# want: out_ptr == 0
# case: x_ptr = fp32[5, 300] small, out_ptr = i32[5], rows = 5, columns = 300, ROWS = 1, BLOCK = 128
# want: out_ptr == max(where(x_ptr == 0, 0, 1), 1)[:, 0]
# case: a_ptr = fp16[5, 300] normal, v_ptr = fp16[300] normal, out_ptr = fp32[5], rows = 5, columns = 300, ROWS = 1, BLOCK = 128
# kernel: mv_kernel
# tolerance: 1e-3 1e-3
# want: out_ptr == sum(a_ptr * v_ptr, 1)[:, 0]
# case: a_ptr = fp16[5, 300] normal, v_ptr = fp16[300] normal, out_ptr = fp32[5], rows = 5, columns = 300, ROWS = 8, BLOCK = 128
# case: x_ptr = fp32[3, 1000] normal, out_ptr = fp32[3, 1000], columns = 1000, BLOCK = 1024
# kernel: cumsum_kernel
# grid: 3
# want: out_ptr == cumsum(x_ptr, 1)
# case: x_ptr = fp32[3, 100] normal, out_ptr = fp32[3, 100], columns = 100, BLOCK = 128
# kernel: sort_kernel
# want: out_ptr == 0 - sort(0 - x_ptr)
# case: x_ptr = fp32[100, 70] normal, out_ptr = fp32[100, 70], rows = 100, columns = 70, ROWS = 32, BLOCK = 32
# kernel: outer_softmax_kernel
# grid: cdiv(70, BLOCK)
# tolerance: 1e-4 1e-6
# want: out_ptr == exp(x_ptr) / sum(exp(x_ptr), 0)
# case: g_ptr = fp32[4, 300] normal, index_ptr = i32[4] {2, 0, 2, 1}, out_ptr = fp32[3, 300] one, count = 4, width = 300, ROWS = 2, BLOCK = 128
# kernel: embedding_backward_kernel
# grid: 2, 3
# tolerance: 1e-2 2e-2
# want: out_ptr[0] == 1 + g_ptr[1]; out_ptr[1] == 1 + g_ptr[3]; out_ptr[2] == 1 + g_ptr[0] + g_ptr[2]
# case: g_ptr = fp16[4, 300] normal, index_ptr = i32[4] {2, 0, 2, 1}, out_ptr = fp16[3, 300] one, count = 4, width = 300, ROWS = 2, BLOCK = 128
# case: g_ptr = bf16[4, 300] normal, index_ptr = i32[4] {2, 0, 2, 1}, out_ptr = bf16[3, 300] one, count = 4, width = 300, ROWS = 2, BLOCK = 128
# case: x_ptr = fp32[3, 32000] normal, out_ptr = fp32[3, 32000], columns = 32000, BLOCK = 32768
# kernel: softmax_kernel
# grid: 3
# tolerance: 1e-4 1e-8
# want: out_ptr == exp(x_ptr) / sum(exp(x_ptr), 1)
# case: x_ptr = fp32[1, 60000] normal, out_ptr = fp32[1, 60000], columns = 60000, BLOCK = 65536
# options: num_warps = 8
# grid: 1
import triton
import triton.language as tl


@triton.jit
def tanh_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n).to(tl.float32)
    y = 2 / (1 + tl.exp(-2 * x)) - 1
    tl.store(out_ptr + i, y.to(out_ptr.dtype.element_ty), mask=i < n)


@triton.jit
def swiglu_kernel(a_ptr, b_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    i = tl.arange(0, BLOCK)
    a = tl.load(a_ptr + row + i, mask=i < columns, other=0).to(tl.float32)
    b = tl.load(b_ptr + row + i, mask=i < columns, other=0)
    tl.store(out_ptr + row + i, (a * tl.sigmoid(a)).to(b.dtype) * b, mask=i < columns)


@triton.jit
def rms_norm_kernel(x_ptr, w_ptr, out_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row + i, mask=i < columns, other=0).to(tl.float32)
    w = tl.load(w_ptr + i, mask=i < columns, other=0)
    scale = 1 / tl.sqrt(tl.sum(x * x, axis=0) / columns + eps)
    tl.store(out_ptr + row + i, (x * scale).to(w.dtype) * w, mask=i < columns)


@triton.jit
def poly_norm_kernel(x_ptr, w_ptr, out_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row + i, mask=i < columns, other=0).to(tl.float32)
    x2 = x * x
    x3 = x2 * x
    r1 = tl.rsqrt(tl.sum(x2, axis=0) / columns + eps)
    r2 = tl.rsqrt(tl.sum(x2 * x2, axis=0) / columns + eps)
    r3 = tl.rsqrt(tl.sum(x3 * x3, axis=0) / columns + eps)
    y = tl.load(w_ptr) * x3 * r3 + tl.load(w_ptr + 1) * x2 * r2 + tl.load(w_ptr + 2) * x * r1
    tl.store(out_ptr + row + i, y.to(out_ptr.dtype.element_ty), mask=i < columns)


# The gradient takes the logits' place.
@triton.jit
def cross_entropy_kernel(x_ptr, target_ptr, loss_ptr, columns, scale, BLOCK: tl.constexpr):
    program = tl.program_id(0).to(tl.int64)
    x_ptr += program * columns
    target = tl.load(target_ptr + program)
    m = float("-inf")
    d = 0.0
    at_target = tl.load(x_ptr + target).to(tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < columns, other=float("-inf")).to(tl.float32)
        most = tl.maximum(m, tl.max(x, axis=0))
        d = d * tl.exp(m - most) + tl.sum(tl.exp(x - most), axis=0)
        m = most
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < columns, other=float("-inf")).to(tl.float32)
        g = tl.exp(x - m) / d * scale
        g = tl.where(i == target, g - scale, g)
        tl.store(x_ptr + i, g.to(x_ptr.dtype.element_ty), mask=i < columns)
    tl.store(loss_ptr + program, m + tl.log(d) - at_target)


@triton.jit
def kl_div_kernel(y_ptr, t_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    total = 0.0
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        y = tl.load(y_ptr + row + i, mask=i < columns, other=0.0)
        t = tl.load(t_ptr + row + i, mask=i < columns, other=0.0)
        loss = t * (tl.log(tl.maximum(t, 1e-10)) - y)
        total += tl.sum(tl.where(i < columns, loss, 0.0), axis=0)
    tl.store(out_ptr + tl.program_id(0), total)


@triton.jit
def sparsemax_backward_kernel(o_ptr, go_ptr, gi_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    support = 0.0
    total = 0.0
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        o = tl.load(o_ptr + row + i, mask=i < columns, other=0.0)
        g = tl.load(go_ptr + row + i, mask=i < columns, other=0.0)
        total += tl.sum(tl.where(o > 0, g, 0.0))
        support += tl.sum((o > 0).to(tl.float32))
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        o = tl.load(o_ptr + row + i, mask=i < columns, other=0.0)
        g = tl.load(go_ptr + row + i, mask=i < columns, other=0.0)
        d = tl.where(o > 0, g - total / tl.maximum(support, 1e-6), 0.0)
        tl.store(gi_ptr + row + i, d, mask=i < columns)


@triton.jit
def max_kernel(x_ptr, value_ptr, index_ptr, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    most = tl.full([ROWS], float("-inf"), tl.float32)
    at = tl.zeros([ROWS], tl.int32)
    for start in range(0, columns, BLOCK):
        c = start + tl.arange(0, BLOCK)
        inside = (r < rows)[:, None] & (c < columns)[None, :]
        x = tl.load(x_ptr + r[:, None] * columns + c[None, :], mask=inside, other=float("-inf"))
        here, here_at = tl.max(x, 1, return_indices=True)
        at = tl.where(here > most, start + here_at, at)
        most = tl.maximum(most, here)
    tl.store(value_ptr + r, most, mask=r < rows)
    tl.store(index_ptr + r, at, mask=r < rows)


@triton.jit
def any_kernel(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    found = tl.zeros([ROWS, BLOCK], tl.int1)
    for start in range(0, columns, BLOCK):
        c = start + tl.arange(0, BLOCK)
        inside = (r < rows)[:, None] & (c < columns)[None, :]
        x = tl.load(x_ptr + r[:, None] * columns + c[None, :], mask=inside, other=0.0)
        found = found | (x != 0)
    tl.store(out_ptr + r, tl.max(found.to(tl.int32), 1), mask=r < rows)


@triton.jit
def mv_kernel(a_ptr, v_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros([ROWS, BLOCK], tl.float32)
    for start in range(0, columns, BLOCK):
        c = start + tl.arange(0, BLOCK)
        inside = (r < rows)[:, None] & (c < columns)[None, :]
        a = tl.load(a_ptr + r[:, None] * columns + c[None, :], mask=inside, other=0.0).to(tl.float32)
        v = tl.load(v_ptr + c, mask=c < columns, other=0.0).to(tl.float32)
        total += a * v[None, :]
    tl.store(out_ptr + r, tl.sum(total, 1), mask=r < rows)


@triton.jit
def cumsum_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row + i, mask=i < columns, other=0.0)
    tl.store(out_ptr + row + i, tl.cumsum(x, 0), mask=i < columns)


@triton.jit
def sort_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row + i, mask=i < columns, other=float("-inf"))
    tl.store(out_ptr + row + i, tl.sort(x, descending=True), mask=i < columns)


@triton.jit
def outer_softmax_kernel(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = tl.full([ROWS, BLOCK], float("-inf"), tl.float32)
    d = tl.zeros([ROWS, BLOCK], tl.float32)
    for start in range(0, rows, ROWS):
        r = start + tl.arange(0, ROWS)
        inside = (r < rows)[:, None] & (c < columns)[None, :]
        x = tl.load(x_ptr + r[:, None] * columns + c[None, :], mask=inside, other=float("-inf"))
        most = tl.maximum(m, x)
        shift = tl.where(most == float("-inf"), 0.0, most)
        d = d * tl.exp(m - shift) + tl.exp(x - shift)
        m = most
    most = tl.max(m, 0)
    total = tl.sum(d * tl.exp(m - most[None, :]), 0)
    for start in range(0, rows, ROWS):
        r = start + tl.arange(0, ROWS)
        inside = (r < rows)[:, None] & (c < columns)[None, :]
        x = tl.load(x_ptr + r[:, None] * columns + c[None, :], mask=inside, other=float("-inf"))
        y = tl.exp(x - most[None, :]) / total[None, :]
        tl.store(out_ptr + r[:, None] * columns + c[None, :], y, mask=inside)


@triton.jit
def embedding_backward_kernel(g_ptr, index_ptr, out_ptr, count, width, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + r, mask=r < count, other=0)
    inside = (r < count)[:, None] & (c < width)[None, :]
    g = tl.load(g_ptr + r[:, None] * width + c[None, :], mask=inside, other=0.0)
    tl.atomic_add(out_ptr + index[:, None] * width + c[None, :], g, mask=inside)


# Rows that the registers of four or eight warps do not hold.
@triton.jit
def softmax_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row + i, mask=i < columns, other=float("-inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row + i, e / tl.sum(e, axis=0), mask=i < columns)
