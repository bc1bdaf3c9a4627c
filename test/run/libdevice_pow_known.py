# SPDX-License-Identifier: Apache-2.0
# libdevice.pow with an exponent that the text gives: products, with what C's pow makes of 0, infinity and NaN.
# case: x = fp32[16] {0, -0.0, 1, -1, inf, -inf, nan, 3e8, -3e8, 1e-9, -1e-9, 1.5, -2.5, 1e7, -1e-7, 2e5}, y = fp32[8, 16]
# want: y[0:1] == x * x
# want: y[1:2] == x ** 3
# want: y[2:3] == x ** 4
# want: y[3:4] == 1 / x
# want: y[4:5] == 1 / (x * x)
# want: y[5:6] == x
# want: y[6:7] == x ** 3 + x
# want: y[7:8] == 1
# case: x = fp32[16] normal, y = fp32[8, 16]
from triton.language.extra import libdevice
import triton
import triton.language as tl


@triton.jit
def powers(x, y):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.store(y + i, libdevice.pow(v, 2))
    tl.store(y + 16 + i, libdevice.pow(v, 3))
    tl.store(y + 32 + i, libdevice.pow(v, 4))
    tl.store(y + 48 + i, libdevice.pow(v, -1))
    tl.store(y + 64 + i, libdevice.pow(v, -2))
    tl.store(y + 80 + i, libdevice.pow(v, 1))
    tl.store(y + 96 + i, libdevice.pow(v, 3) + v)
    tl.store(y + 112 + i, libdevice.pow(v, 0))
