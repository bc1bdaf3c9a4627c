# SPDX-License-Identifier: Apache-2.0
# Quotients by a number plus an exponential where that overflows, and where it or the quotient is denormal; the exponential
# beside, and with small numbers, stays denormal. The tolerance is that of exp at 89 on a GPU: 2 + 1.2 * 89 ulp.
# case: x = f32[24] {-inf, -104, -103.9, -89, -88.7, -88.5, -88.1, -87.9, -87.5, -87.3, -80, -17, -1, -1e-40, 0, 1e-40, 1, 17, 80, 87.5, 88.5, 104, inf, nan}, y = f32[24, 9]
# want: y[:, 0] == where(x < -88.72, 0, 1 / (1 + exp(0 - x))); y[:, 1] == where(x < -88.72, x / inf, x / (1 + exp(0 - x)))
# want: y[:, 2] == where(x < -88.72, 0, -3 / (2 + exp(0 - x))); y[:, 3] == f32(exp(x)); y[:, 4] == 1 / (1 + f32(exp(x)))
# want: y[:, 5] == f32(exp(0 - x)) + f32(1e-38); y[:, 6] == where(f32(exp2(x)) == inf, 0, 1e-40 / (1 + exp2(x)))
# want: y[:, 7] == f32(exp(x)) - 1; y[:, 8] == where(x < -88.72, 0, 1e37 / (1 + exp(0 - x)))
# tolerance: 1.3e-5 2e-45
import triton
import triton.language as tl


@triton.jit
def sigmoid_edges(x, y):
    lanes = tl.arange(0, 32)
    inside = lanes < 24
    v = tl.load(x + lanes, mask=inside)
    o = y + lanes * 9
    tl.store(o, tl.sigmoid(v), mask=inside)
    tl.store(o + 1, v / (1 + tl.exp(-v)), mask=inside)
    tl.store(o + 2, -3 / (2 + tl.exp(-v)), mask=inside)
    e = tl.exp(v)
    tl.store(o + 3, e, mask=inside)
    tl.store(o + 4, 1 / (1 + e), mask=inside)
    tl.store(o + 5, tl.exp(-v) + 1e-38, mask=inside)
    tl.store(o + 6, 1e-40 / (1 + tl.exp2(v)), mask=inside)
    tl.store(o + 7, tl.exp(v) - 1, mask=inside)
    tl.store(o + 8, 1e37 / (1 + tl.exp(-v)), mask=inside)
