# SPDX-License-Identifier: Apache-2.0
# Rows and columns modulo their number, as in Triton's tutorials: on an H100 boxes of a tensor map
# where that is a multiple of the tile's length, which a launch knows; else copies by threads.
# tolerance: 1e-2 2e-2
# grid: cdiv(M, BM) * cdiv(N, BN)
# options: num_warps = 8
# want: c == a @ b
# case: M = 272, N = 144, K = 80, GROUP = 2, a = fp16[M, K] normal, b = fp16[K, N] normal, c = fp16[M, N], BM = 128, BN = 128, BK = 64
# case: M = 384, N = 256, K = 208, GROUP = 2, a = fp16[M, K] normal, b = fp16[K, N] normal, c = fp16[M, N], BM = 128, BN = 128, BK = 64
import triton
import triton.language as tl


@triton.jit
def products(a, b, c, M, N, K, GROUP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
             BK: tl.constexpr):
    pid = tl.program_id(0)
    in_group = GROUP * tl.cdiv(N, BN)
    first = pid // in_group * GROUP
    rows = min(tl.cdiv(M, BM) - first, GROUP)
    start_m = (first + (pid % in_group) % rows) * BM
    start_n = (pid % in_group) // rows * BN
    row = (start_m + tl.arange(0, BM)) % M
    column = start_n + tl.arange(0, BN)
    column = tl.where(column < N, column, 0)
    column = tl.max_contiguous(tl.multiple_of(column, BN), BN)
    depth = tl.arange(0, BK)
    x = a + row[:, None] * K + depth[None, :]
    y = b + depth[:, None] * N + column[None, :]
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        left = K - k * BK
        sums = tl.dot(tl.load(x, mask=depth[None, :] < left, other=0),
                      tl.load(y, mask=depth[:, None] < left, other=0), sums)
        x += BK
        y += BK * N
    row = start_m + tl.arange(0, BM)
    column = start_n + tl.arange(0, BN)
    tl.store(c + row[:, None] * N + column[None, :], sums,
             mask=(row[:, None] < M) & (column[None, :] < N))
