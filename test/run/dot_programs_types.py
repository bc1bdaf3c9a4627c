# SPDX-License-Identifier: Apache-2.0
# A program makes a tile of a product of rows with rows, of elements of 8 and of 32 bits. By 8 warps on an
# H100 few blocks walk over all programs, by 4 all threads copy: whole tiles, rests, one turn, none. Of sums of 32
# bits by 4 warps, and of short rows of bytes by 8, two lanes give each other half, so that each stores 16 bytes;
# not where tiles are too narrow.
# tolerance: 1e-2 2e-2
# grid: cdiv(M, BM), cdiv(N, BN)
# options: num_warps = 8
# want: c == a @ trans(b)
# case: M = 256, N = 256, K = 64, a = fp32[M, K] normal, b = fp32[N, K] normal, c = fp32[M, N], BM = 128, BN = 128, BK = 32
# case: M = 300, N = 272, K = 112, a = fp32[M, K] normal, b = fp32[N, K] normal, c = fp32[M, N], BM = 128, BN = 256, BK = 32
# case: M = 260, N = 528, K = 144, a = fp8e4nv[M, K] normal, b = fp8e4nv[N, K] normal, c = fp32[M, N], BM = 128, BN = 256, BK = 128
# case: M = 140, N = 144, K = 128, a = fp8e5[M, K] normal, b = fp8e5[N, K] normal, c = fp16[M, N], BM = 128, BN = 128, BK = 64
# options: num_warps = 4
# case: M = 140, N = 144, K = 208, a = fp8e5[M, K] normal, b = fp8e5[N, K] normal, c = fp16[M, N], BM = 128, BN = 128, BK = 64
# options: num_warps = 4, num_stages = 3
# case: M = 140, N = 144, K = 128, a = fp32[M, K] normal, b = fp32[N, K] normal, c = fp32[M, N], BM = 128, BN = 128, BK = 32
# case: M = 200, N = 208, K = 400, a = fp8e4nv[M, K] normal, b = fp8e4nv[N, K] normal, c = fp32[M, N], BM = 64, BN = 64, BK = 64
# case: M = 65, N = 48, K = 144, a = fp16[M, K] normal, b = fp16[N, K] normal, c = fp32[M, N], BM = 64, BN = 32, BK = 32
# case: M = 65, N = 48, K = 144, a = fp16[M, K] normal, b = fp16[N, K] normal, c = fp32[M, N], BM = 128, BN = 16, BK = 32
# case: M = 200, N = 132, K = 64, a = fp16[M, K] normal, b = fp16[N, K] normal, c = fp32[M, N], BM = 128, BN = 64, BK = 32
# options: num_warps = 8, num_stages = 4
# case: M = 260, N = 272, K = 336, a = fp8e4nv[M, K] normal, b = fp8e4nv[N, K] normal, c = fp32[M, N], BM = 128, BN = 128, BK = 64
# case: M = 200, N = 272, K = 0, a = fp32[M, 4] normal, b = fp32[N, 4] normal, c = fp32[M, N], BM = 128, BN = 128, BK = 32
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
        x = tl.load(a + row[:, None] * K + (start + depth)[None, :],
                    mask=(row[:, None] < M) & (start + depth[None, :] < K), other=0.0)
        y = tl.load(b + column[None, :] * K + (start + depth)[:, None],
                    mask=(start + depth[:, None] < K) & (column[None, :] < N), other=0.0)
        sums = tl.dot(x, y, sums, input_precision="tf32")
    tl.store(c + row[:, None] * N + column[None, :], sums,
             mask=(row[:, None] < M) & (column[None, :] < N))
