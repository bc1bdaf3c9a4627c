# SPDX-License-Identifier: Apache-2.0
# Products that are added to what is there: in a loop with a tail, to each other, to themselves.
# tolerance: 1e-3 1e-3
# case: M = 37, N = 50, K = 45, a = fp16[M, K] normal, b = fp16[K, N] normal, c = fp32[M, N] normal, d = fp32[M, N], BM = 16, BN = 16, BK = 16
# grid: cdiv(M, BM), cdiv(N, BN)
# want: d == c + 3 * (a @ b)
# case: M = 64, N = 64, K = 96, a = bf16[M, K] normal, b = bf16[K, N] normal, c = fp32[M, N] normal, d = fp32[M, N], BM = 64, BN = 64, BK = 32
# want: d == c + 3 * (a @ b)
# case: M = 70, N = 33, K = 130, a = i8[M, K] normal, b = i8[K, N] normal, c = i32[M, N] normal, d = i32[M, N], BM = 64, BN = 32, BK = 32
# want: d == c + 3 * (i32(a) @ i32(b))
import triton
import triton.language as tl


@triton.jit
def added(a, b, c, d, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    at = m[:, None] * N + n[None, :]
    inside = (m[:, None] < M) & (n[None, :] < N)
    acc = tl.load(c + at, mask=inside, other=0)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0)
        y = tl.load(b + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0)
        acc += tl.dot(x, y)
        twice = tl.dot(x, y)
        acc = twice + acc + twice
    tl.store(d + at, acc, mask=inside)
