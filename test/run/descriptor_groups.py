# SPDX-License-Identifier: Apache-2.0
# Groups of products, as tutorial 08 has them, at addresses that nothing is known of: one program
# walks over the tiles of both groups, of which the second multiplies what the first has stored.
# Rows end inside of 16 bytes, or with them; what lies behind is no zero, and stays.
# tolerance: 2e-2 5e-1
# grid: 1
# case: t = i32[2, 3] {136, 72, 403, 70, 80, 72}, a = fp16[136, 408] normal, b = fp16[72, 408] normal, c = fp16[137, 80] normal, d = fp16[80, 72] normal, e = fp16[71, 88] normal, LDA = 408, LDC = 80, LDD = 72, LDE = 88, BM = 128, BN = 128, BK = 64
# want: c[:136, :72] == a[:, :403] @ trans(b[:, :403]); c[136:, :] == c[136:, :]; c[:, 72:] == c[:, 72:]; e[:70, :80] == a[:70, :403] @ trans(b[:, :403]) @ trans(d); e[70:, :] == e[70:, :]; e[:, 80:] == e[:, 80:]
# options: num_warps = 8, num_stages = 4
# case: t = i32[2, 3] {65, 61, 200, 65, 129, 61}, a = fp16[65, 200] normal, b = fp16[61, 200] normal, c = fp16[65, 64] normal, d = fp16[129, 64] normal, e = fp16[65, 136] normal, LDA = 200, LDC = 64, LDD = 64, LDE = 136, BM = 64, BN = 64, BK = 64
# want: c[:, :61] == a @ trans(b); c[:, 61:] == c[:, 61:]; e[:, :129] == a @ trans(b) @ trans(d[:, :61]); e[:, 129:] == e[:, 129:]
# options: num_warps = 4, num_stages = 3
import triton
import triton.language as tl


@triton.jit
def groups(t, a, b, c, d, e, LDA, LDC, LDD, LDE, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr):
    for g in range(2):
        M = tl.load(t + g * 3)
        N = tl.load(t + g * 3 + 1)
        K = tl.load(t + g * 3 + 2)
        x = tl.where(g == 0, a.to(tl.int64), c.to(tl.int64)).to(tl.pointer_type(tl.float16))
        y = tl.where(g == 0, b.to(tl.int64), d.to(tl.int64)).to(tl.pointer_type(tl.float16))
        z = tl.where(g == 0, c.to(tl.int64), e.to(tl.int64)).to(tl.pointer_type(tl.float16))
        ldx = tl.where(g == 0, LDA, LDC)
        ldy = tl.where(g == 0, LDA, LDD)
        ldz = tl.where(g == 0, LDC, LDE)
        left = tl.make_tensor_descriptor(x, [M, K], [ldx, 1], [BM, BK])
        right = tl.make_tensor_descriptor(y, [N, K], [ldy, 1], [BN, BK])
        out = tl.make_tensor_descriptor(z, [M, N], [ldz, 1], [BM, BN])
        tile = 0
        while tile < tl.cdiv(M, BM) * tl.cdiv(N, BN):
            i = tile // tl.cdiv(N, BN) * BM
            j = tile % tl.cdiv(N, BN) * BN
            sums = tl.zeros((BM, BN), dtype=tl.float32)
            for k in range(0, K, BK):
                sums = tl.dot(left.load([i, k]), right.load([j, k]).T, sums)
            out.store([i, j], sums.to(tl.float16))
            tile += 1
