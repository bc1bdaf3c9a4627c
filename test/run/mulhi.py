# SPDX-License-Identifier: Apache-2.0
# The upper half of signed products; 64-bit ones from 32-bit ones: a * 2^32 * b * 2^31 / 2^64.
# case: a = i32[64] any, b = i32[64] any, y = i32[64], z = i64[64]
# want: y == floor(a * b / 4294967296)
# want: z == floor(a * b / 2)
from triton.language.extra import libdevice
import triton
import triton.language as tl


@triton.jit
def high(a, b, y, z):
    i = tl.arange(0, 64)
    x, w = tl.load(a + i), tl.load(b + i)
    tl.store(y + i, libdevice.mulhi(x, w))
    tl.store(z + i, libdevice.mulhi(x.to(tl.int64) << 32, w.to(tl.int64) << 31))
