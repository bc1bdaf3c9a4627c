# SPDX-License-Identifier: Apache-2.0
# Long rows, where a mask is not asked again behind a load or a store that has asked it: what is chosen by
# another mask, for another number, or of lanes that were loaded otherwise, is asked for, and so is what
# other lanes are made of.
# options: num_warps = 8
# case: x = fp16[32768] normal, y = fp32[32768], n = 30001, k = 20003, B = 32768
# kernel: stored_by_another
# want: i = arange(32768); y[:30001] == (where(i < k, x * 2, 7) + 1)[:30001]
# case: x = fp16[32768] normal, y = fp32[32768], n = 30001, k = 20003, B = 32768
# kernel: other_lanes
# want: i = arange(32768); s = sum(where(i < n, x + 1, 0), 0); y[:30001] == (x + 1)[:30001] + s
# tolerance: 1e-3 1e-2
# case: x = fp16[32768] normal, y = fp32[4], n = 30000, k = 20000, B = 32768
# kernel: differences
# tolerance: 1e-3 1e-2
# want: i = arange(32768); m = sum(where(i < n, x, 0), 0) / n; t = where(i < n, x - m, 0); y[0] == sum(t * t, 0)
# want: u = where(i < k, x - m, 0); y[1] == sum(where(i < n, u * u, 0), 0); v = where(i < n, x - m, 3); y[2] == sum(v * v + 3 * v, 0)
# want: w = where(i < n, x - m, 0); y[3] == sum(w * w, 0)
import triton
import triton.language as tl


@triton.jit
def stored_by_another(x, y, n, k, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0).to(tl.float32)
    tl.store(y + i, tl.where(i < k, v * 2, 7.0) + 1, mask=i < n)


@triton.jit
def other_lanes(x, y, n, k, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0).to(tl.float32)
    d = tl.where(i < n, v + 1, 0.0)
    tl.store(y + i, d + tl.sum(d, 0), mask=i < n)


@triton.jit
def differences(x, y, n, k, B: tl.constexpr):
    i = tl.arange(0, B)
    m = tl.sum(tl.load(x + i, mask=i < n, other=0).to(tl.float32), 0) / n
    v = tl.load(x + i, mask=i < n, other=0).to(tl.float32)
    t = tl.where(i < n, v - m, 0.0)
    tl.store(y, tl.sum(t * t, 0))
    u = tl.where(i < k, v - m, 0.0)
    tl.store(y + 1, tl.sum(u * u, 0))
    c = tl.where(i < n, v - m, 3.0)
    tl.store(y + 2, tl.sum(c * c + 3 * c, 0))
    w = tl.load(x + i, mask=i < n, other=2).to(tl.float32)
    d = tl.where(i < n, w - m, 0.0)
    tl.store(y + 3, tl.sum(d * d, 0))
