# SPDX-License-Identifier: Apache-2.0
# Kernels that tools/bench_cpu.py times beside PyTorch's CPU code, as their authors would write them.
import triton
import triton.language as tl


@triton.jit
def matmul_int8(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    blocks_m = tl.cdiv(m, BM)
    row = (tl.program_id(0) % blocks_m) * BM + tl.arange(0, BM)
    column = (tl.program_id(0) // blocks_m) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    sums = tl.zeros([BM, BN], dtype=tl.int32)
    for start in range(0, k, BK):
        left = k - start
        x = tl.load(a + row[:, None] * k + start + depth[None, :],
                    mask=(row[:, None] < m) & (depth[None, :] < left), other=0)
        y = tl.load(b + (start + depth[:, None]) * n + column[None, :],
                    mask=(depth[:, None] < left) & (column[None, :] < n), other=0)
        sums = tl.dot(x, y, sums)
    tl.store(c + row[:, None] * n + column[None, :], sums,
             mask=(row[:, None] < m) & (column[None, :] < n))


@triton.jit
def rms_norm(x, weight, out, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    at = tl.arange(0, BLOCK)
    inside = at < columns
    value = tl.load(x + row + at, mask=inside, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(value * value, 0) / columns + eps)
    gain = tl.load(weight + at, mask=inside).to(tl.float32)
    tl.store(out + row + at, (value * scale * gain).to(out.dtype.element_ty), mask=inside)


@triton.jit
def swiglu(a, b, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(a + at, mask=inside).to(tl.float32)
    y = tl.load(b + at, mask=inside).to(tl.float32)
    tl.store(out + at, (x * tl.sigmoid(x) * y).to(out.dtype.element_ty), mask=inside)


@triton.jit
def attention(q, k, v, out, length, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    head = tl.program_id(1) * length * D
    column, lane = tl.arange(0, BN), tl.arange(0, D)
    queries = tl.load(q + head + row[:, None] * D + lane[None, :])
    most = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    sums = tl.zeros([BM, D], tl.float32)
    for start in range(0, length, BN):
        keys = tl.load(k + head + (start + column[None, :]) * D + lane[:, None])
        scores = tl.dot(queries, keys, input_precision="ieee") * scale
        higher = tl.maximum(most, tl.max(scores, 1))
        parts = tl.exp2(scores - higher[:, None])
        shrink = tl.exp2(most - higher)
        total = total * shrink + tl.sum(parts, 1)
        values = tl.load(v + head + (start + column[:, None]) * D + lane[None, :])
        sums = tl.dot(parts.to(v.dtype.element_ty), values, sums * shrink[:, None],
                      input_precision="ieee")
        most = higher
    tl.store(out + head + row[:, None] * D + lane[None, :],
             (sums / total[:, None]).to(out.dtype.element_ty))
