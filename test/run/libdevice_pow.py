# SPDX-License-Identifier: Apache-2.0
# libdevice.pow takes exponents of all integer types: int32 as it is, others promoted to fp32.
# case: x = fp32[64] uniform, y = fp32[4, 64]
# want: y[0:1] == x ** 3
# want: y[1:2] == 1 / (x * x)
# want: y[2:3] == x ** 5
# want: y[3:4] == x ** 4
from triton.language.extra import libdevice
import triton
import triton.language as tl


@triton.jit
def powers(x, y):
    i = tl.arange(0, 64)
    v = tl.load(x + i)
    tl.store(y + i, libdevice.pow(v, (i * 0 + 3).to(tl.int8)))
    tl.store(y + 64 + i, libdevice.pow(v, (i * 0 - 2).to(tl.int64)))
    tl.store(y + 128 + i, libdevice.pow(v, (i * 0 + 5).to(tl.uint16)))
    tl.store(y + 192 + i, libdevice.pow(v, i * 0 + 4))
