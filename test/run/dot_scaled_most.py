# SPDX-License-Identifier: Apache-2.0
# The most of products that are scaled, itself stored: by numbers above 0, below, 0, infinite, given in
# the text or by the launch; the least; a combination that changes numbers first.
# options: num_warps = 4, num_stages = 2
# case: q = fp16[64, 64] small, k = fp16[128, 64] small, y = fp32[64], N = 128, by = 0.0, C = 0.5, HOW = 0
# want: y == max(q @ trans(k) * C, 1)[:, 0]
# case: q = fp16[64, 64] small, k = fp16[128, 64] small, y = fp32[64], N = 128, by = 0.0, C = -0.5, HOW = 0
# case: q = fp16[64, 64] small, k = fp16[128, 64] small, y = fp32[64], N = 128, by = 0.25, C = 0, HOW = 1
# want: y == max(q @ trans(k) * by, 1)[:, 0]
# case: q = fp16[64, 64] small, k = fp16[128, 64] small, y = fp32[64], N = 128, by = -0.25, C = 0, HOW = 1
# case: q = fp16[64, 64] small, k = fp16[128, 64] small, y = fp32[64], N = 128, by = 0.0, C = 0, HOW = 1
# case: q = fp16[64, 64] small, k = fp16[128, 64] small, y = fp32[64], N = 128, by = 0.0, C = 0.5, HOW = 2
# want: y == max(0 - abs(q @ trans(k) * C), 1)[:, 0]
# case: q = fp16[64, 64] zero, k = fp16[128, 64] small, y = fp32[64], N = 128, by = 0.25, C = 1e39, HOW = 0
# want: y == -inf
# case: q = fp16[64, 64] small, k = fp16[64, 64] small, y = fp32[64], N = 64, by = 0.25, C = 1e39, HOW = 3
# case: q = fp16[64, 64] small, k = fp16[64, 64] small, y = fp32[64], N = 64, by = 0.25, C = 0.5, HOW = 4
# want: y == max(floor(q @ trans(k) * 0.5), 1)[:, 0]
import triton
import triton.language as tl


@triton.jit
def nearest(a, b):
    return -tl.minimum(tl.abs(a), tl.abs(b))


@triton.jit
def greatest_whole(a, b):
    return tl.maximum(tl.floor(a), tl.floor(b))


@triton.jit
def most(q, k, y, N, by, C: tl.constexpr, HOW: tl.constexpr):
    i = tl.arange(0, 64)
    at = i[:, None] * 64 + i[None, :]
    rows = tl.load(q + at)
    a = tl.full((64,), float("-inf"), tl.float32)
    for n in range(0, N, 64):
        s = tl.dot(rows, tl.trans(tl.load(k + n * 64 + at)))
        if HOW == 0:
            a = tl.maximum(a, tl.max(s * C, 1))
        elif HOW == 1:
            a = tl.maximum(a, tl.max(s * by, 1))
        elif HOW == 3:  # nan, left out, and -inf
            a = tl.max(tl.minimum(s, 0) * C, 1)
        elif HOW == 4:
            a = tl.reduce(s * C, 1, greatest_whole)
        else:
            a = tl.maximum(a, tl.reduce(s * C, 1, nearest))
    tl.store(y + i, a)
