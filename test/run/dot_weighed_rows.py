# SPDX-License-Identifier: Apache-2.0
# Each row of b is multiplied by a number before the product: where the loop's tiles are in a ring,
# the numbers lie behind them.
# tolerance: 1e-2 2e-2
# grid: cdiv(M, BM), cdiv(N, BN)
# options: num_warps = 4, num_stages = 3
# want: c == a @ (b * reshape(w, K, 1))
# case: M = 100, N = 60, K = 200, a = fp16[M, K] normal, b = fp16[K, N] normal, w = fp32[K] uniform, c = fp32[M, N], BM = 64, BN = 32, BK = 64
# case: M = 1, N = 1, K = 1, a = fp16[M, K] normal, b = fp16[K, N] normal, w = fp32[K] uniform, c = fp32[M, N], BM = 64, BN = 32, BK = 64
# case: M = 70, N = 33, K = 130, a = bf16[M, K] normal, b = bf16[K, N] normal, w = bf16[K] uniform, c = fp32[M, N], BM = 64, BN = 64, BK = 32
# tolerance: 3e-2 1e-1
# case: M = 130, N = 64, K = 256, a = fp16[M, K] normal, b = fp16[K, N] normal, w = fp32[K] uniform, c = fp32[M, N], BM = 128, BN = 64, BK = 64
# options: num_warps = 8, num_stages = 4
# case: M = 20, N = 16, K = 96, a = fp16[M, K] normal, b = fp16[K, N] normal, w = fp32[K] uniform, c = fp32[M, N], BM = 16, BN = 16, BK = 32
# options: num_warps = 1, num_stages = 2
import triton
import triton.language as tl


@triton.jit
def weighed_rows(a, b, w, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0)
        y = tl.load(b + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0)
        by = tl.load(w + k, mask=k < K, other=0)
        acc = tl.dot(x, (y * by[:, None]).to(y.dtype), acc)
    tl.store(c + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))
