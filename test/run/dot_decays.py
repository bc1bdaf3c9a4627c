# SPDX-License-Identifier: Apache-2.0
# States that decay: what a turn scales by, a number and a row, is loaded a turn ahead and ends with
# the last turn's; forwards with a pointer that moves, backwards, and for no turn at all. A turn
# begins by storing the sums. DEEP: loops of two and three turns, whose tiles are copied before them.
# tolerance: 1e-2 5e-2
# case: T = 3, DEEP = 128, q = fp16[192, 64] normal, v = fp16[192, 32] normal, g = fp32[192] uniform, c = fp32[3] uniform, w = fp16[64, DEEP] normal, h = fp32[192, 32], b = fp32[192, 32], o = fp32[64, 32]
# want: r = f16(v * reshape(g, 192, 1)); x = trans(q[0:64, :]) @ r[0:64, :]; y = trans(q[64:128, :]) @ r[64:128, :]; z = trans(q[128:192, :]) @ r[128:192, :]; h[0:64, :] == 0 * x; h[64:128, :] == x; h[128:192, :] == x * c[1] + y; b[128:192, :] == 0 * x; b[64:128, :] == z; b[0:64, :] == z * c[1] + y; o == w @ v[0:128, :]
# case: T = 1, DEEP = 192, q = fp16[64, 64] normal, v = fp16[192, 32] normal, g = fp32[64] uniform, c = fp32[1] uniform, w = fp16[64, DEEP] normal, h = fp32[64, 32], b = fp32[64, 32], o = fp32[64, 32]
# want: h == 0; b == 0; o == w @ v
# case: T = 0, DEEP = 128, q = fp16[1, 64] normal, v = fp16[128, 32] normal, g = fp32[1] uniform, c = fp32[1] uniform, w = fp16[64, DEEP] normal, h = fp32[1, 32], b = fp32[1, 32], o = fp32[64, 32]
# options: num_stages = 2
# want: o == w @ v
import triton
import triton.language as tl


@triton.jit
def decays(q, v, g, c, w, h, b, o, T, DEEP: tl.constexpr):
    m, n = tl.arange(0, 64), tl.arange(0, 32)
    state = tl.zeros((64, 32), dtype=tl.float32)
    numbers = c
    for i in range(0, T):
        row = i * 64 + m
        tl.store(h + row[:, None] * 32 + n[None, :], state)
        keys = tl.load(q + row[None, :] * 64 + m[:, None])
        values = tl.load(v + row[:, None] * 32 + n[None, :])
        state *= tl.load(numbers)
        values = (values * tl.load(g + row)[:, None]).to(tl.float16)
        state = tl.dot(keys, values, state)
        numbers += 1
    state = tl.zeros((64, 32), dtype=tl.float32)
    for i in range(T - 1, -1, -1):
        row = i * 64 + m
        tl.store(b + row[:, None] * 32 + n[None, :], state)
        values = tl.load(v + row[:, None] * 32 + n[None, :])
        values = (values * tl.load(g + row, mask=row < T * 64, other=0)[:, None]).to(tl.float16)
        state *= tl.load(c + i)
        state = tl.dot(tl.load(q + row[None, :] * 64 + m[:, None]), values, state)
    state = tl.zeros((64, 32), dtype=tl.float32)
    for i in range(0, DEEP, 64):
        left = tl.load(w + m[:, None] * DEEP + i + m[None, :])
        state = tl.dot(left, tl.load(v + (i + m[:, None]) * 32 + n[None, :]), state)
    tl.store(o + m[:, None] * 32 + n[None, :], state)
