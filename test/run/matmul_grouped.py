# SPDX-License-Identifier: Apache-2.0
# Blocks walked in groups of rows of blocks, columns modulo N instead of masked, as in many people's
# products; the blocks of b begin one row below, so that columns left of 0 are there too.
# case: M = 80, N = 96, K = 80, a = fp16[M, K] small, b = fp16[K + 1, N] small, c = fp32[M, N], skip = 0, BM = 32, BN = 64, BK = 32, GROUP = 2
# grid: cdiv(M, BM) * cdiv(N, BN)
# want: c == a @ b[1:, :]
# case: M = 80, N = 50, K = 37, a = fp16[M, K] small, b = fp16[K + 1, N] small, c = fp32[M, N], skip = 0, BM = 32, BN = 64, BK = 32, GROUP = 2
# case: M = 1, N = 1, K = 1, a = fp16[M, K] small, b = fp16[K + 1, N] small, c = fp32[M, N], skip = 0, BM = 32, BN = 64, BK = 32, GROUP = 2
# case: M = 64, N = 16, K = 64, a = fp16[M, K] small, b = fp16[K + 1, N] small, c = fp32[M, N], skip = 0, BM = 32, BN = 64, BK = 32, GROUP = 2
# case: M = 33, N = 64, K = 80, a = fp16[M, K] small, b = fp16[K + 1, N] small, c = fp32[M, N], skip = 128, BM = 32, BN = 64, BK = 32, GROUP = 2
# want: c[:, 1:] == a @ b[:K, 1:]; c[:, :1] == a @ b[1:, :1]
# case: M = 33, N = 64, K = 80, a = fp16[M, K] small, b = fp16[K + 1, N] small, c = fp32[M, N], skip = 64, BM = 32, BN = 64, BK = 32, GROUP = 2
import triton
import triton.language as tl


@triton.jit
def matmul_grouped(a, b, c, M, N, K, skip, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                   GROUP: tl.constexpr):
    program = tl.program_id(0)
    in_group = GROUP * tl.cdiv(N, BN)
    first = program // in_group * GROUP
    rows = min(tl.cdiv(M, BM) - first, GROUP)
    block_m = first + program % in_group % rows
    block_n = program % in_group // rows
    m = (block_m * BM + tl.arange(0, BM)) % M
    n = (block_n * BN - skip + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    pa = a + m[:, None] * K + k[None, :]
    pb = b + N + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, tl.cdiv(K, BK)):
        x = tl.load(pa, mask=k[None, :] < K - i * BK, other=0.0)
        y = tl.load(pb, mask=k[:, None] < K - i * BK, other=0.0)
        acc = tl.dot(x, y, acc)
        pa += BK
        pb += BK * N
    m = block_m * BM + tl.arange(0, BM)
    n = block_n * BN + tl.arange(0, BN)
    tl.store(c + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))
