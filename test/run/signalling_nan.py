# SPDX-License-Identifier: Apache-2.0
# A signalling NaN (0x7f800001, 0xff800001) is a NaN like others: minimum and maximum drop it.
# case: bits = i32[2] {2139095041, -8388607}, b = fp32[1] {1.5}, y = fp32[4, 32]
# want: y == 1.5
import triton
import triton.language as tl


@triton.jit
def signalling(bits, b, y):
    i = tl.arange(0, 32)
    u = tl.load(bits + i % 2).to(tl.float32, bitcast=True)
    v = tl.load(b)
    tl.store(y + i, tl.minimum(u, v))
    tl.store(y + 32 + i, tl.minimum(v, u))
    tl.store(y + 64 + i, tl.maximum(u, v))
    tl.store(y + 96 + i, tl.maximum(v, u))
