# SPDX-License-Identifier: Apache-2.0
# The sign of one number on another, of 32 and of 64 bits.
# case: x = fp64[64] normal, y = fp64[64] uniform, z = fp64[64]
# want: z == where(y - 0.5 < 0, -abs(x), abs(x))
# case: x = fp32[64] normal, y = fp32[64] uniform, z = fp32[64]
# want: z == where(y - 0.5 < 0, -abs(x), abs(x))
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def sign(x, y, z):
    i = tl.arange(0, 64)
    half = tl.full([64], 0.5, y.dtype.element_ty)
    tl.store(z + i, libdevice.copysign(tl.load(x + i), tl.load(y + i) - half))
