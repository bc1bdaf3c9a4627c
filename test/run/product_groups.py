# SPDX-License-Identifier: Apache-2.0
# Groups of products by pointers, as tutorial 08 has them: where they begin is read in the loop over
# tiles, which does not end by that, and hints are statements. The second group multiplies what the
# first has stored; where its rows begin is aligned, or not.
# tolerance: 2e-2 5e-1
# grid: 1
# case: t = i32[2, 4] {128, 128, 192, 192, 128, 64, 128, 136}, a = fp16[128, 192] normal, b = fp16[192, 136] normal, c = fp16[128, 136] normal, d = fp16[128, 136] normal, e = fp16[128, 137] normal, LDE = 137, BM = 64, BN = 64, BK = 64
# want: c[:, :128] == a @ b[:, :128]; c[:, 128:] == c[:, 128:]; e[:, :64] == a @ b[:, :128] @ d[:, :64]; e[:, 64:] == e[:, 64:]
# options: num_warps = 4, num_stages = 3
# case: t = i32[2, 4] {128, 128, 192, 192, 128, 128, 128, 136}, a = fp16[128, 192] normal, b = fp16[192, 136] normal, c = fp16[128, 136] normal, d = fp16[128, 136] normal, e = fp16[128, 136] normal, LDE = 136, BM = 128, BN = 128, BK = 64
# want: c[:, :128] == a @ b[:, :128]; c[:, 128:] == c[:, 128:]; e[:, :128] == a @ b[:, :128] @ d[:, :128]; e[:, 128:] == e[:, 128:]
# options: num_warps = 8, num_stages = 4
import triton
import triton.language as tl


@triton.jit
def groups(t, a, b, c, d, e, LDE, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tile = 0
    end = 0
    for g in range(2):
        M = tl.load(t + g * 4)
        N = tl.load(t + g * 4 + 1)
        count = tl.cdiv(M, BM) * tl.cdiv(N, BN)
        while tile >= end and tile < end + count:
            K = tl.load(t + g * 4 + 2)
            ldx = tl.load(t + g * 4 + 3)
            x = tl.where(g == 0, a.to(tl.int64), c.to(tl.int64)).to(tl.pointer_type(tl.float16))
            y = tl.where(g == 0, b.to(tl.int64), d.to(tl.int64)).to(tl.pointer_type(tl.float16))
            z = tl.where(g == 0, c.to(tl.int64), e.to(tl.int64)).to(tl.pointer_type(tl.float16))
            i = (tile - end) // tl.cdiv(N, BN) * BM + tl.arange(0, BM)
            j = (tile - end) % tl.cdiv(N, BN) * BN + tl.arange(0, BN)
            k = tl.arange(0, BK)
            xs = x + i[:, None] * ldx + k[None, :]
            ys = y + k[:, None] * 136 + j[None, :]
            sums = tl.zeros((BM, BN), dtype=tl.float32)
            for n in range(0, tl.cdiv(K, BK)):
                tl.multiple_of(xs, [16, 16])
                tl.multiple_of(ys, [16, 16])
                sums += tl.dot(tl.load(xs), tl.load(ys))
                xs += BK
                ys += BK * 136
            ldz = tl.where(g == 0, 136, LDE)
            tl.store(z + i[:, None] * ldz + j[None, :], sums.to(tl.float16))
            tile += 1
        end = end + count
