# SPDX-License-Identifier: Apache-2.0
# The largest and smallest of f16 and bf16, which Triton compares as f32: of one tile, of several,
# with NaNs, zeros of either sign and subnormal numbers; sums of pairs that lie in words.
# case: x = bf16[3001] normal, most = bf16[1], least = bf16[1], n = 3001, B = 4096
# kernel: extremes
# grid: 1
# want: most == max(x, 0); least == min(x, 0)
# case: x = fp16[3001] normal, most = fp16[1], least = fp16[1], n = 3001, B = 4096
# case: x = bf16[5] {-3, -1, -2, -4, -1.5}, most = bf16[1], least = bf16[1], n = 5, B = 1024
# case: x = fp16[3] {6e-8, 1.2e-7, 0}, most = fp16[1], least = fp16[1], n = 3, B = 512
# case: x = bf16[3] {1e-40, 3e-40, 2e-40}, most = bf16[1], least = bf16[1], n = 3, B = 512
# want: most[0] == 3e-40; least[0] == 1e-40
# case: x = bf16[4] {nan, 2, nan, -7}, most = bf16[1], least = bf16[1], n = 4, B = 256
# want: most[0] == 2; least[0] == -7
# case: x = fp16[2] {nan, nan}, most = fp16[1], least = fp16[1], n = 2, B = 2
# want: most[0] == nan; least[0] == nan
# case: x = bf16[2, 777] normal, y = bf16[2, 777] normal, most = bf16[2], n = 777, B = 1024
# kernel: of_two
# grid: 2
# want: a = max(x, 1); b = max(y, 1); most == where(a > b, a, b)[:, 0]
# case: x = fp16[2, 777] normal, y = fp16[2, 777] normal, most = fp16[2], n = 777, B = 1024
# case: x = bf16[16, 64] normal, most = bf16[64], total = fp16[64], B = 16, C = 64
# kernel: columns
# grid: 1
# tolerance: 1e-2 1e-2
# want: most == max(x, 0)[0]; total == sum(x, 0)[0]
import triton
import triton.language as tl


@triton.jit
def extremes(x, most, least, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(most, tl.max(tl.load(x + i, mask=i < n, other=-float("inf")), axis=0))
    tl.store(least, tl.min(tl.load(x + i, mask=i < n, other=float("inf")), axis=0))


@triton.jit
def of_two(x, y, most, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf")).to(tl.float32)
    w = tl.load(y + row * n + i, mask=i < n, other=-float("inf")).to(tl.float32)
    tl.store(most + row, tl.max(tl.maximum(v, w), axis=0))


@triton.jit
def columns(x, most, total, B: tl.constexpr, C: tl.constexpr):
    j = tl.arange(0, C)
    v = tl.load(x + tl.arange(0, B)[:, None] * C + j[None, :])
    tl.store(most + j, tl.max(v, axis=0))
    tl.store(total + j, tl.sum(v.to(tl.float16), axis=0))
