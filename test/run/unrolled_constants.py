# SPDX-License-Identifier: Apache-2.0
# Pieces of an unrolled kernel that are alike but for their numbers, and some that are alike but twice:
# generated code may share them, not mix them up.
# tolerance: 1e-5 1e-6
# case: x = fp32[64, 64] normal, y = fp32[64, 64], z = fp32[4, 64], n = 50
# want: i = arange(64); s = arange(24); c = s * 0.00002 + 1; y[:24] == where(i < n, x[:24] * reshape(c, 24, 1) + 0.5, 9); y[24:40] == where(i < 40, x[24:40] * 10000000000, 0 - 20000000000); y[40:64] == x[40:64] - 300; z[0] == exp(x[0]) * 3; z[1] == exp(x[1]) * 5; z[2] == floor(x[2]) - 7; z[3] == floor(x[3]) - 7
import triton
import triton.language as tl


@triton.jit
def unrolled_constants(x, y, z, n):
    i = tl.arange(0, 64)
    for k in tl.static_range(24):
        a = tl.load(x + k * 64 + i, mask=i < n, other=0.0)
        b = tl.where(i < n, a * (k * 0.00002 + 1) + 0.5, 9.0)
        tl.store(y + k * 64 + i, b)
    for k in tl.static_range(24, 40):
        a = tl.load(x + k * 64 + i, mask=i < 40, other=-2.0)
        tl.store(y + k * 64 + i, a * 1e10)
    for k in tl.static_range(40, 64):
        tl.store(y + k * 64 + i, tl.load(x + k * 64 + i) - 300)
    tl.store(z + i, tl.exp(tl.load(x + i)) * 3)
    tl.store(z + 64 + i, tl.exp(tl.load(x + 64 + i)) * 5)
    for k in tl.static_range(2, 4):
        tl.store(z + k * 64 + i, tl.floor(tl.load(x + k * 64 + i)) - 7)
