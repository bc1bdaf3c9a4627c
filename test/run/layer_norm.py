# SPDX-License-Identifier: Apache-2.0
# Mean and variance of rows by a loop over columns.
# case: x = fp32[5, 300] normal, w = fp32[300] normal, b = fp32[300] normal, y = fp32[5, 300], n = 300, eps = 0.00001, BLOCK = 128
# grid: 5
# tolerance: 1e-5 1e-5
# want: mu = sum(x, 1) / n; v = sum((x - mu) ** 2, 1) / n; y == (x - mu) / sqrt(v + eps) * w + b
import triton
import triton.language as tl


@triton.jit
def layer_norm(x, w, b, y, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + row + i, mask=i < n, other=0.0)
    mean = tl.sum(total, axis=0) / n
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        d = tl.where(i < n, tl.load(x + row + i, mask=i < n, other=0.0) - mean, 0.0)
        total += d * d
    scale = 1 / tl.sqrt(tl.sum(total, axis=0) / n + eps)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        m = i < n
        v = (tl.load(x + row + i, mask=m) - mean) * scale
        tl.store(y + row + i, v * tl.load(w + i, mask=m) + tl.load(b + i, mask=m), mask=m)
