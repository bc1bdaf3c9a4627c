# SPDX-License-Identifier: Apache-2.0
# The bits of a float as an integer, and back.
# case: x = fp32[64] normal, y = i32[64], z = fp32[64]
# tolerance: 0 0
# want: y == i32(float_bits(x)); z == x
import triton
import triton.language as tl


@triton.jit
def bits(x, y, z):
    i = tl.arange(0, 64)
    b = tl.load(x + i).to(tl.int32, bitcast=True)
    tl.store(y + i, b)
    tl.store(z + i, b.to(tl.float32, bitcast=True))
