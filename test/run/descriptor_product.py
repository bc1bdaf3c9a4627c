# SPDX-License-Identifier: Apache-2.0
# Products of what descriptors of unknown addresses read: rows begin at multiples of 16 bytes, and
# end anywhere. What lies behind their ends is no zero.
# tolerance: 1e-2 2e-2
# grid: cdiv(M, BM), cdiv(N, BN)
# case: M = 72, N = 37, K = 55, t = i64[2] {8, 80}, a = fp16[72, 72] normal, b = fp16[57, 40] normal, c = fp16[72, 40] zero, LDA = 72, LDB = 40, LDC = 40, BM = 64, BN = 32, BK = 32, ROWS = 0
# want: c[:, :37] == a[:, 8:63] @ b[2:, :37]; c[:, 37:] == 0
# case: M = 72, N = 37, K = 91, t = i64[2] {8, 16}, a = fp16[72, 104] normal, b = fp16[37, 112] normal, c = fp16[72, 40] zero, LDA = 104, LDB = 112, LDC = 40, BM = 64, BN = 32, BK = 32, ROWS = 1
# want: c[:, :37] == a[:, 8:99] @ trans(b[:, 16:107]); c[:, 37:] == 0
# options: num_warps = 8
# case: M = 140, N = 129, K = 201, t = i64[2] {0, 0}, a = fp16[140, 208] normal, b = fp16[129, 208] normal, c = fp16[140, 136] zero, LDA = 208, LDB = 208, LDC = 136, BM = 128, BN = 128, BK = 64, ROWS = 1
# want: c[:, :129] == a[:, :201] @ trans(b[:, :201]); c[:, 129:] == 0
# options: num_warps = 8
import triton
import triton.language as tl


@triton.jit
def products(M, N, K, t, a, b, c, LDA, LDB, LDC, BM: tl.constexpr, BN: tl.constexpr,
             BK: tl.constexpr, ROWS: tl.constexpr):
    x = tl.make_tensor_descriptor(a + tl.load(t), [M, K], [LDA, 1], [BM, BK])
    if ROWS:
        y = tl.make_tensor_descriptor(b + tl.load(t + 1), [N, K], [LDB, 1], [BN, BK])
    else:
        y = tl.make_tensor_descriptor(b + tl.load(t + 1), [K, N], [LDB, 1], [BK, BN])
    z = tl.make_tensor_descriptor(c, [M, N], [LDC, 1], [BM, BN])
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        if ROWS:
            sums = tl.dot(x.load([i, k]), y.load([j, k]).T, sums)
        else:
            sums = tl.dot(x.load([i, k]), y.load([k, j]), sums)
    z.store([i, j], sums.to(tl.float16))
