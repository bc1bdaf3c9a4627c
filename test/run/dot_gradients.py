# SPDX-License-Identifier: Apache-2.0
# Attention's gradients of queries, not normalised: two products of each turn wait for nothing but
# their operands, and exponentials are made of the first one's sums. Keys that end inside of a turn,
# factors that a turn loads, or that lie in registers.
# tolerance: 1e-2 2e-2
# grid: cdiv(M, BM)
# want: p = exp(q @ trans(k) * 0.0625); e = (g @ trans(v) * 0.05 - 0.5) * p; o == e @ k
# options: num_warps = 4
# case: M = 64, N = 192, D = 64, q = fp16[M, D] normal, k = fp16[N, D] normal, v = fp16[N, D] normal, g = fp16[M, D] normal, o = fp32[M, D], BM = 64, BN = 64
# case: M = 100, N = 90, D = 32, q = fp16[M, D] normal, k = fp16[N, D] normal, v = fp16[N, D] normal, g = fp16[M, D] normal, o = fp32[M, D], BM = 64, BN = 32
# options: num_warps = 8
# case: M = 128, N = 256, D = 128, q = fp16[M, D] normal, k = fp16[N, D] normal, v = fp16[N, D] normal, g = fp16[M, D] normal, o = fp32[M, D], BM = 128, BN = 64
# options: num_warps = 4, num_stages = 1
# case: M = 64, N = 128, D = 64, q = fp16[M, D] normal, k = fp16[N, D] normal, v = fp16[N, D] normal, g = fp16[M, D] normal, o = fp32[M, D], BM = 64, BN = 64
import triton
import triton.language as tl


@triton.jit
def gradients(q, k, v, g, o, M, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    at = m[:, None] * D + d[None, :]
    queries = tl.load(q + at, mask=m[:, None] < M, other=0)
    factors = tl.load(g + at, mask=m[:, None] < M, other=0)
    out = tl.zeros((BM, D), tl.float32)
    for i in range(0, N, BN):
        n = i + tl.arange(0, BN)
        there = n[:, None] * D + d[None, :]
        keys = tl.load(k + there, mask=n[:, None] < N, other=0)
        values = tl.load(v + there, mask=n[:, None] < N, other=0)
        p = tl.math.exp2(tl.dot(queries, tl.trans(keys)) * (0.0625 * 1.44269504))
        e = (tl.dot(factors, tl.trans(values)) * 0.05 - 0.5) * p
        out = tl.dot(e.to(tl.float16), keys, out)
    tl.store(o + at, out, mask=m[:, None] < M)
