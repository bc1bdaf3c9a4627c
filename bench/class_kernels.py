# SPDX-License-Identifier: Apache-2.0
# One kernel for each class of memory-bound kernels that a GPU meets, as people write them: what
# tools/bench_classes.py times.
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
