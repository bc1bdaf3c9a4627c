# SPDX-License-Identifier: Apache-2.0
# Attention: products of products with a row's maximum and sum carried beside them. By 8 warps on
# an H100 warps of their own fill the rings; whole tiles, rests, one turn, fewer turns than slots.
# tolerance: 1e-2 2e-3
# grid: cdiv(M, BM)
# options: num_warps = 8
# want: s = q @ trans(k) * 0.125; e = exp(s - max(s, 1)); o == e @ v / sum(e, 1)
# case: M = 128, N = 512, D = 64, q = fp16[M, D] normal, k = fp16[N, D] normal, v = fp16[N, D] normal, o = fp32[M, D], BM = 128, BN = 128
# case: M = 128, N = 128, D = 64, q = fp16[M, D] normal, k = fp16[N, D] normal, v = fp16[N, D] normal, o = fp32[M, D], BM = 128, BN = 128
# case: M = 100, N = 330, D = 64, q = fp16[M, D] normal, k = fp16[N, D] normal, v = fp16[N, D] normal, o = fp32[M, D], BM = 128, BN = 128
# case: M = 128, N = 128, D = 64, q = bf16[M, D] normal, k = bf16[N, D] normal, v = bf16[N, D] normal, o = fp32[M, D], BM = 128, BN = 128
# tolerance: 3e-2 2e-2
# case: M = 128, N = 256, D = 64, q = fp16[M, D] normal, k = fp16[N, D] normal, v = fp16[N, D] normal, o = fp32[M, D], BM = 128, BN = 128
# options: num_warps = 8, num_stages = 2
# tolerance: 1e-2 2e-3
import triton
import triton.language as tl


@triton.jit
def attention(q, k, v, o, M, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    queries = tl.load(q + m[:, None] * D + d[None, :], mask=m[:, None] < M, other=0)
    top = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    out = tl.zeros((BM, D), tl.float32)
    for start in range(0, N, BN):
        n = start + tl.arange(0, BN)
        at = n[:, None] * D + d[None, :]
        keys = tl.load(k + at, mask=n[:, None] < N, other=0)
        values = tl.load(v + at, mask=n[:, None] < N, other=0)
        scores = tl.dot(queries, tl.trans(keys)) * (0.125 * 1.44269504)
        scores = tl.where(n[None, :] < N, scores, float("-inf"))
        higher = tl.maximum(top, tl.max(scores, 1))
        less = tl.math.exp2(top - higher)
        weights = tl.math.exp2(scores - higher[:, None])
        total = total * less + tl.sum(weights, 1)
        out = tl.dot(weights.to(values.dtype), values, out * less[:, None])
        top = higher
    tl.store(o + m[:, None] * D + d[None, :], out / total[:, None], mask=m[:, None] < M)
