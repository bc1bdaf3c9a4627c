# SPDX-License-Identifier: Apache-2.0
# Sums go to memory by the last products of a loop where nothing minds: rows that masks cut, a loop
# without turns, rows apart, an offset known behind the loop alone. What minds: the loop reads what
# is written, or what was there before is loaded ahead of the loop, or between it and the store, or
# the store is below an if, or of other values, too.
# tolerance: 1e-4 1e-4
# case: M = 70, N = 150, K = 200, P = 160, a = fp32[M, K] normal, b = fp32[K, N] normal, c = fp32[M, P], d = fp32[M, P], BM = 32, BN = 64, BK = 64, HOW = 0
# grid: cdiv(M, BM), cdiv(N, BN)
# want: c[:, :150] == a @ b
# case: M = 64, N = 128, K = 64, P = 128, a = fp32[M, K] normal, b = fp32[K, N] normal, c = fp32[M, P], d = fp32[M, P], BM = 64, BN = 128, BK = 32, HOW = 0
# want: c == a @ b
# case: M = 37, N = 128, K = 0, P = 128, a = fp32[M, 8] normal, b = fp32[8, N] normal, c = fp32[M, P], d = fp32[M, P], BM = 32, BN = 64, BK = 32, HOW = 0
# want: c == 0
# case: M = 64, N = 256, K = 256, P = 256, a = fp32[M, K] normal, b = fp32[K, N] normal, c = fp32[M, P], d = fp32[M, P], BM = 64, BN = 256, BK = 128, HOW = 1
# want: a == a @ b
# case: M = 64, N = 128, K = 96, P = 128, a = fp32[M, K] normal, b = fp32[K, N] normal, c = fp32[M, P] normal, d = fp32[M, P], BM = 64, BN = 128, BK = 32, HOW = 2
# want: c == a @ b; d == c + 1
# case: M = 64, N = 128, K = 96, P = 128, a = fp32[M, K] normal, b = fp32[K, N] normal, c = fp32[M, P] normal, d = fp32[M, P], BM = 64, BN = 128, BK = 32, HOW = 3
# want: c == a @ b; d == c + 1
# case: M = 64, N = 128, K = 96, P = 128, a = fp32[M, K] normal, b = fp32[K, N] normal, c = fp32[M, P] normal, d = fp32[M, P], BM = 64, BN = 128, BK = 32, HOW = 4
# want: c == a @ b; d == a @ b + 1
# case: M = 64, N = 128, K = 96, P = 128, a = fp32[M, K] normal, b = fp32[K, N] normal, c = fp32[M, P] normal, d = fp32[M, P], BM = 64, BN = 128, BK = 32, HOW = 5
# want: c == c
import triton
import triton.language as tl


@triton.jit
def early(a, b, c, d, M, N, K, P, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
          HOW: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    place = m[:, None] * P + n[None, :]
    if HOW == 2:
        before = tl.load(c + place)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        y = tl.load(b + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        sums = tl.dot(x, y, sums, input_precision="ieee")
    if HOW == 3:
        before = tl.load(c + place)
    inside = (m[:, None] < M) & (n[None, :] < N)
    far = (P * 3 - P * 2) // 2 * 2
    if HOW == 5:
        if K == 0:
            tl.store(c + m[:, None] * far + n[None, :], sums, mask=inside)
    elif HOW == 1:
        tl.store(a + m[:, None] * far + n[None, :], sums, mask=inside)
    else:
        tl.store(c + m[:, None] * far + n[None, :], sums, mask=inside)
    if HOW == 2 or HOW == 3:
        tl.store(d + place, before + 1)
    if HOW == 4:
        tl.store(d + place, sums + 1)
