# SPDX-License-Identifier: Apache-2.0
# Two loops of chained products, of which the first copies rows of numbers, too: on sm_90a its ring is waited for in two
# parts, and that of the second, which one thread copies, has its barriers behind those of the first.
# tolerance: 1e-2 2e-2
# grid: 1
# options: num_warps = 8, num_stages = 5
# case: q = fp16[128, 64] normal, k = fp16[320, 64] normal, v = fp16[320, 64] normal, f = fp32[320] normal, o = fp32[128, 64], H = 64, N = 320, D = 64, BM = 128, BN = 16
# want: p = (q @ trans(k)) * 0.0625; o == (p[:, :64] * trans(reshape(f[:64], 64, 1))) @ v[:64] + p[:, 64:] @ v[64:]
import triton
import triton.language as tl


@triton.jit
def two_loops(q, k, v, f, o, H, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.arange(0, BM)
    d = tl.arange(0, D)
    queries = tl.load(q + m[:, None] * D + d[None, :])
    out = tl.zeros((BM, D), tl.float32)
    for i in range(0, H, BN):
        n = i + tl.arange(0, BN)
        there = n[:, None] * D + d[None, :]
        p = tl.dot(queries, tl.trans(tl.load(k + there))) * 0.0625 * tl.load(f + n)[None, :]
        out = tl.dot(p.to(tl.float16), tl.load(v + there), out)
    for i in range(H, N, 2 * BN):
        n = i + tl.arange(0, 2 * BN)
        there = n[:, None] * D + d[None, :]
        p = tl.dot(queries, tl.trans(tl.load(k + there))) * 0.0625
        out = tl.dot(p.to(tl.float16), tl.load(v + there), out)
    tl.store(o + m[:, None] * D + d[None, :], out)
