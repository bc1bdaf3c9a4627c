# SPDX-License-Identifier: Apache-2.0
# The functions of libdevice that are written in the Triton language, against long double.
# case: x = fp32[300] uniform, y = fp32[10, 300], n = 300, BLOCK = 512
# want: y[0:1] == atan(x)
# want: y[1:2] == asin(x)
# want: y[2:3] == acos(x)
# want: y[3:4] == sinh(x)
# want: y[4:5] == cosh(x)
# want: y[5:6] == tan(x)
# want: y[6:7] == expm1(x)
# want: y[7:8] == log1p(x)
# want: y[8:9] == cbrt(x)
# want: y[9:10] == atanh(x / 2)
# tolerance: 1.2e-7 0
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def functions(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(x + i, mask=mask)
    tl.store(y + i, libdevice.atan(v), mask=mask)
    tl.store(y + n + i, libdevice.asin(v), mask=mask)
    tl.store(y + 2 * n + i, libdevice.acos(v), mask=mask)
    tl.store(y + 3 * n + i, libdevice.sinh(v), mask=mask)
    tl.store(y + 4 * n + i, libdevice.cosh(v), mask=mask)
    tl.store(y + 5 * n + i, libdevice.tan(v), mask=mask)
    tl.store(y + 6 * n + i, libdevice.expm1(v), mask=mask)
    tl.store(y + 7 * n + i, libdevice.log1p(v), mask=mask)
    tl.store(y + 8 * n + i, libdevice.cbrt(v), mask=mask)
    tl.store(y + 9 * n + i, libdevice.atanh(v / 2), mask=mask)
