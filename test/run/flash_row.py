# SPDX-License-Identifier: Apache-2.0
# An online softmax over blocks of keys: attention for one block of queries.
# tolerance: 1e-5 1e-5
# case: q = fp32[16, 32] normal, k = fp32[64, 32] normal, v = fp32[64, 32] normal, o = fp32[16, 32], scale = 0.25, N = 64, BLOCK = 16
# want: s = q @ trans(k) * scale; e = exp(s - max(s, 1)); o == (e / sum(e, 1)) @ v
import triton
import triton.language as tl


@triton.jit
def attend(q, k, v, o, scale, N, BLOCK: tl.constexpr):
    m = tl.arange(0, 16)
    d = tl.arange(0, 32)
    n = tl.arange(0, BLOCK)
    queries = tl.load(q + m[:, None] * 32 + d[None, :])
    top = tl.full((16,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((16,), dtype=tl.float32)
    acc = tl.zeros((16, 32), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        keys = tl.load(k + (start + n)[None, :] * 32 + d[:, None])
        s = tl.dot(queries, keys, input_precision="ieee") * scale
        new = tl.maximum(top, tl.max(s, axis=1))
        p = tl.exp(s - new[:, None])
        fix = tl.exp(top - new)
        total = total * fix + tl.sum(p, axis=1)
        values = tl.load(v + (start + n)[:, None] * 32 + d[None, :])
        acc = tl.dot(p, values, acc * fix[:, None], input_precision="ieee")
        top = new
    tl.store(o + m[:, None] * 32 + d[None, :], acc / total[:, None])
