# SPDX-License-Identifier: Apache-2.0
# What several products of a turn read of registers: scores of one product that two others multiply
# from the left and one from the right, also as f32, under an `if`, and behind the loop.
# tolerance: 1e-2 1e-2
# case: N = 192, D = 64, q = fp16[64, D] normal, k = fp16[N, D] normal, g = fp16[64, 64] normal, r = fp16[64, 64] normal, x = fp32[64, N], y = fp32[64, N], z = fp32[64, N], s = fp32[64, 64], t = fp32[64, 64], u = fp32[64, 64], ODD = 0
# want: p = f16(q @ trans(k) * 0.1); x == g @ p; y == r @ p; z == f32(r) @ (q @ trans(k) * 0.1); w = f16(p @ k * 0.1); s == g @ w; t == r @ w; u == 0 * f32(g)
# case: N = 130, D = 64, q = bf16[64, D] normal, k = bf16[N, D] normal, g = bf16[64, 64] normal, r = bf16[64, 64] normal, x = fp32[64, N], y = fp32[64, N], z = fp32[64, N], s = fp32[64, 64], t = fp32[64, 64], u = fp32[64, 64], ODD = 1
# tolerance: 3e-2 1e-1
# want: p = bf16(q @ trans(k) * 0.1); x == g @ p; y == r @ p; z == f32(r) @ (q @ trans(k) * 0.1); w = bf16(p @ k * 0.1); s == g @ w; t == r @ w; u == 0 * f32(g)
# case: N = 192, D = 64, q = fp16[64, D] normal, k = fp16[N, D] normal, g = fp16[64, 64] normal, r = fp16[64, 64] normal, x = fp32[64, N], y = fp32[64, N], z = fp32[64, N], s = fp32[64, 64], t = fp32[64, 64], u = fp32[64, 64], ODD = 0
# options: num_stages = 1
# tolerance: 1e-2 1e-2
# want: p = f16(q @ trans(k) * 0.1); x == g @ p; y == r @ p; z == f32(r) @ (q @ trans(k) * 0.1); w = f16(p @ k * 0.1); s == g @ w; t == r @ w; u == 0 * f32(g)
import triton
import triton.language as tl


@triton.jit
def shared(q, k, g, r, x, y, z, s, t, u, N, D: tl.constexpr, ODD: tl.constexpr):
    m = tl.arange(0, 64)
    d = tl.arange(0, D)
    square = m[:, None] * 64 + m[None, :]
    queries = tl.load(q + m[:, None] * D + d[None, :])
    left, right = tl.load(g + square), tl.load(r + square)
    total = tl.zeros((64, D), dtype=tl.float32)
    for start in range(0, N, 64):
        tl.store(u + square, total * 0)
        n = start + m
        inside = n < N
        keys = tl.load(k + n[:, None] * D + d[None, :], mask=inside[:, None], other=0)
        scores = tl.dot(queries, tl.trans(keys)) * 0.1
        p = scores.to(keys.dtype)
        at, mask = m[:, None] * N + n[None, :], inside[None, :]
        tl.store(x + at, tl.dot(left, p), mask=mask)
        tl.store(y + at, tl.dot(right, p), mask=mask)
        total = tl.dot(p, keys, total)
        if ODD == 0 or start > 0:
            tl.store(z + at, tl.dot(right.to(tl.float32), scores, input_precision="tf32"), mask=mask)
        else:
            tl.store(z + at, tl.dot(right.to(tl.float32) * 2, scores, input_precision="tf32") * 0.5, mask=mask)
    w = (total * 0.1).to(queries.dtype)
    tl.store(s + square, tl.dot(left, w))
    tl.store(t + square, tl.dot(right, w))
