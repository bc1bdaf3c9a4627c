# SPDX-License-Identifier: Apache-2.0
# Causal attention in one loop that compares in each turn: from the first row on, from the middle of
# a tile, none that is free, either way around the comparison, strict or not, a first key that is not
# 0, tiles of keys that are narrow.
# tolerance: 1e-2 2e-3
# grid: cdiv(M, BM)
# options: num_warps = 8
# want: s = q @ trans(k) * 0.125; i = reshape(arange(M), M, 1) + PAST; j = reshape(arange(N), 1, N); e = where((i - STRICT >= j) * (j >= FIRST), exp(s), 0); o == (e @ v) / sum(e, 1)
# case: M = 256, N = 256, D = 64, PAST = 0, FIRST = 0, STRICT = 0, q = fp16[M, D] normal, k = fp16[N, D] normal, v = fp16[N, D] normal, o = fp32[M, D], BM = 128, BN = 64
# case: M = 128, N = 512, D = 64, PAST = 300, FIRST = 0, STRICT = 0, q = fp16[M, D] normal, k = fp16[N, D] normal, v = fp16[N, D] normal, o = fp32[M, D], BM = 128, BN = 128
# case: M = 128, N = 256, D = 64, PAST = 126, FIRST = 0, STRICT = 0, q = fp16[M, D] normal, k = fp16[N, D] normal, v = fp16[N, D] normal, o = fp32[M, D], BM = 128, BN = 128
# case: M = 128, N = 512, D = 64, PAST = 256, FIRST = 128, STRICT = 1, q = fp16[M, D] normal, k = fp16[N, D] normal, v = fp16[N, D] normal, o = fp32[M, D], BM = 128, BN = 64
# case: M = 64, N = 128, D = 64, PAST = 63, FIRST = 0, STRICT = 1, q = fp16[M, D] normal, k = fp16[N, D] normal, v = fp16[N, D] normal, o = fp32[M, D], BM = 64, BN = 64
# options: num_warps = 4, num_stages = 2
# case: M = 128, N = 320, D = 64, PAST = 200, FIRST = 0, STRICT = 1, q = fp16[M, D] normal, k = fp16[N, D] normal, v = fp16[N, D] normal, o = fp32[M, D], BM = 64, BN = 32
import triton
import triton.language as tl


@triton.jit
def attention(q, k, v, o, M, N: tl.constexpr, PAST, FIRST, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
              STRICT: tl.constexpr):
    start = tl.program_id(0) * BM
    m = start + tl.arange(0, BM)
    n = tl.arange(0, BN)
    d = tl.arange(0, D)
    queries = tl.load(q + m[:, None] * D + d[None, :], mask=m[:, None] < M, other=0)
    keys = k + FIRST * D + n[None, :] * D + d[:, None]
    values = v + FIRST * D + n[:, None] * D + d[None, :]
    top = tl.full((BM,), -1.0e30, tl.float32)
    total = tl.zeros((BM,), tl.float32)
    out = tl.zeros((BM, D), tl.float32)
    for at in range(FIRST, tl.minimum(start + BM + PAST, N), BN):
        scores = tl.dot(queries, tl.load(keys)) * (0.125 * 1.44269504)
        if STRICT:
            seen = at + n[None, :] < m[:, None] + PAST
        else:
            seen = m[:, None] + PAST >= at + n[None, :]
        scores = tl.where(seen, scores, float("-inf"))
        higher = tl.maximum(top, tl.max(scores, 1))
        less = tl.math.exp2(top - higher)
        weights = tl.math.exp2(scores - higher[:, None])
        total = total * less + tl.sum(weights, 1)
        out = tl.dot(weights.to(tl.float16), tl.load(values), out * less[:, None])
        top = higher
        keys += BN * D
        values += BN * D
    tl.store(o + m[:, None] * D + d[None, :], out / total[:, None], mask=m[:, None] < M)
