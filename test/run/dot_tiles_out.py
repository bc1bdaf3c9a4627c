# SPDX-License-Identifier: Apache-2.0
# A program walks over tiles of a product and counts them twice, as Triton's tutorial 09 does. By 8
# warps on an H100 one thread stores each tile as a box: whole tiles, rests, no turn, programs
# without a tile, and rows that no box can have.
# tolerance: 1e-2 2e-2
# grid: 2
# options: num_warps = 8
# want: c == a @ b
# case: M = 130, N = 268, K = 64, a = fp16[M, K] normal, b = fp16[K, N] normal, c = fp16[M, N], BM = 128, BN = 256, BK = 64
# case: M = 304, N = 528, K = 48, a = fp16[M, K] normal, b = fp16[K, N] normal, c = fp16[M, N], BM = 128, BN = 256, BK = 64
# case: M = 272, N = 272, K = 80, a = bf16[M, K] normal, b = bf16[K, N] normal, c = bf16[M, N], BM = 128, BN = 128, BK = 64
# case: M = 144, N = 272, K = 0, a = fp16[M, 16] normal, b = fp16[16, N] normal, c = fp16[M, N], BM = 128, BN = 128, BK = 64
# grid: 5
# want: c == 0
import triton
import triton.language as tl


@triton.jit
def products(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    across = tl.cdiv(N, BN)
    depth = tl.arange(0, BK)
    out = tl.program_id(0) - tl.num_programs(0)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * across, tl.num_programs(0)):
        row = (tile // across) * BM + tl.arange(0, BM)
        column = (tile % across) * BN + tl.arange(0, BN)
        sums = tl.zeros((BM, BN), dtype=tl.float32)
        for start in range(0, K, BK):
            left = K - start
            x = tl.load(a + row[:, None] * K + (start + depth)[None, :],
                        mask=(row[:, None] < M) & (depth[None, :] < left), other=0)
            y = tl.load(b + (start + depth)[:, None] * N + column[None, :],
                        mask=(depth[:, None] < left) & (column[None, :] < N), other=0)
            sums = tl.dot(x, y, sums)
        out += tl.num_programs(0)
        row = (out // across) * BM + tl.arange(0, BM)
        column = (out % across) * BN + tl.arange(0, BN)
        tl.store(c + row[:, None] * N + column[None, :], sums,
                 mask=(row[:, None] < M) & (column[None, :] < N))
