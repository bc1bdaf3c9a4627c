# SPDX-License-Identifier: Apache-2.0
# A program makes a tile of a product. By 8 warps on an H100 few blocks walk over all programs, and
# warps of their own fill the ring, which goes on into the next: whole tiles, rests, one turn, none.
# tolerance: 1e-2 2e-2
# grid: cdiv(M, BM), cdiv(N, BN)
# options: num_warps = 8
# want: c == a @ b
# case: M = 300, N = 264, K = 40, a = bf16[M, K] normal, b = bf16[K, N] normal, c = fp32[M, N], BM = 128, BN = 128, BK = 64
# case: M = 256, N = 256, K = 192, a = fp16[M, K] normal, b = fp16[K, N] normal, c = fp16[M, N], BM = 128, BN = 128, BK = 64
# case: M = 260, N = 136, K = 136, a = fp16[M, K] normal, b = fp16[K, N] normal, c = fp16[M, N], BM = 128, BN = 128, BK = 32
# options: num_warps = 8, num_stages = 4
# case: M = 200, N = 264, K = 0, a = fp16[M, 8] normal, b = fp16[8, N] normal, c = fp16[M, N], BM = 128, BN = 128, BK = 64
# want: c == 0
import triton
import triton.language as tl


@triton.jit
def products(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    depth = tl.arange(0, BK)
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        left = K - start
        x = tl.load(a + row[:, None] * K + (start + depth)[None, :],
                    mask=(row[:, None] < M) & (depth[None, :] < left), other=0)
        y = tl.load(b + (start + depth)[:, None] * N + column[None, :],
                    mask=(depth[:, None] < left) & (column[None, :] < N), other=0)
        sums = tl.dot(x, y, sums)
    tl.store(c + row[:, None] * N + column[None, :], sums,
             mask=(row[:, None] < M) & (column[None, :] < N))
