# SPDX-License-Identifier: Apache-2.0
# Attention of two heads that lie side by side in rows of R: heads and rows are apart by strides that
# the launch gives. Keys up to the query's own, or all of them. By 8 warps on an H100 boxes of tensors
# of three dimensions are copied, whose rows end at N, if they begin at multiples of 16 bytes.
# tolerance: 1e-2 2e-3
# grid: cdiv(N, BM), 2
# options: num_warps = 8
# want: s = q[:, 0:64] @ trans(k[:, 0:64]) * 0.125; s = where(CAUSAL * (reshape(arange(N), 1, N) > reshape(arange(N), N, 1)), -1e30, s); e = exp(s - max(s, 1)); o[:, 0:64] == e @ v[:, 0:64] / sum(e, 1); t = q[:, 80:144] @ trans(k[:, 80:144]) * 0.125; t = where(CAUSAL * (reshape(arange(N), 1, N) > reshape(arange(N), N, 1)), -1e30, t); f = exp(t - max(t, 1)); o[:, 80:144] == f @ v[:, 80:144] / sum(f, 1)
# case: N = 256, R = 160, HEAD = 80, q = fp16[N, R] normal, k = fp16[N, R] normal, v = fp16[N, R] normal, o = fp32[N, R], D = 64, BM = 128, BN = 128, CAUSAL = 0
# case: N = 330, R = 160, HEAD = 80, q = fp16[N, R] normal, k = fp16[N, R] normal, v = fp16[N, R] normal, o = fp32[N, R], D = 64, BM = 128, BN = 128, CAUSAL = 1
# case: N = 1, R = 160, HEAD = 80, q = fp16[N, R] normal, k = fp16[N, R] normal, v = fp16[N, R] normal, o = fp32[N, R], D = 64, BM = 128, BN = 128, CAUSAL = 0
# case: N = 250, R = 161, HEAD = 80, q = fp16[N, R] normal, k = fp16[N, R] normal, v = fp16[N, R] normal, o = fp32[N, R], D = 64, BM = 128, BN = 64, CAUSAL = 0
# case: N = 250, R = 160, HEAD = 80, q = fp16[N, R] normal, k = fp16[N, R] normal +1, v = fp16[N, R] normal, o = fp32[N, R], D = 64, BM = 128, BN = 128, CAUSAL = 0
# options: num_warps = 8, num_stages = 2
# case: N = 200, R = 160, HEAD = 80, q = bf16[N, R] normal, k = bf16[N, R] normal, v = bf16[N, R] normal, o = fp32[N, R], D = 64, BM = 128, BN = 128, CAUSAL = 1
# tolerance: 3e-2 2e-2
import triton
import triton.language as tl


@triton.jit
def attention(q, k, v, o, N, R, HEAD, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
              CAUSAL: tl.constexpr):
    start = tl.program_id(0) * BM
    head = tl.program_id(1).to(tl.int64) * HEAD
    m = start + tl.arange(0, BM)
    d = tl.arange(0, D)
    x = tl.load(q + head + m[:, None] * R + d[None, :], mask=m[:, None] < N, other=0)
    top = tl.full((BM,), -1e30, tl.float32)
    total = tl.zeros((BM,), tl.float32)
    out = tl.zeros((BM, D), tl.float32)
    end = min(start + BM, N) if CAUSAL else N
    for at in range(0, end, BN):
        n = at + tl.arange(0, BN)
        rows = n[:, None] * R + d[None, :]
        keys = tl.load(k + head + rows, mask=n[:, None] < N, other=0)
        values = tl.load(v + head + rows, mask=n[:, None] < N, other=0)
        s = tl.dot(x, tl.trans(keys)) * (0.125 * 1.44269504)
        s = tl.where(n[None, :] < N, s, -1e30)
        if CAUSAL:
            s = tl.where(n[None, :] <= m[:, None], s, -1e30)
        new = tl.maximum(top, tl.max(s, 1))
        less = tl.math.exp2(top - new)
        p = tl.math.exp2(s - new[:, None])
        total = total * less + tl.sum(p, 1)
        out = tl.dot(p.to(values.dtype), values, out * less[:, None])
        top = new
    tl.store(o + head + m[:, None] * R + d[None, :], out / total[:, None], mask=m[:, None] < N)
