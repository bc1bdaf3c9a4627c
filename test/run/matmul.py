# SPDX-License-Identifier: Apache-2.0
# A matrix product in blocks, with edges that the mask cuts.
# case: M = 37, N = 50, K = 45, a = fp32[M, K] normal, b = fp32[K, N] normal, c = fp32[M, N], BM = 16, BN = 16, BK = 16
# grid: cdiv(M, BM), cdiv(N, BN)
# tolerance: 1e-5 1e-5
# want: c == a @ b
# case: M = 64, N = 32, K = 128, a = fp16[M, K] normal, b = fp16[K, N] normal, c = fp16[M, N], BM = 32, BN = 16, BK = 32
# tolerance: 2e-3 2e-3
# want: c == f16(a @ b)
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        y = tl.load(b + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc, input_precision="ieee")
    tl.store(c + m[:, None] * N + n[None, :], acc.to(c.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))
