# SPDX-License-Identifier: Apache-2.0
# Integers widen by their own sign and narrow to low bits.
# case: x = i8[64] any, y = i64[64], z = i16[64]
# want: y == x; z == i16(x)
# case: x = u8[64] any, y = i64[64], z = i16[64]
# case: x = i64[64] any, y = i64[64], z = i16[64]
# case: x = u32[64] any, y = i64[64], z = i16[64]
import triton
import triton.language as tl


@triton.jit
def cast(x, y, z):
    i = tl.arange(0, 64)
    v = tl.load(x + i)
    tl.store(y + i, v.to(tl.int64))
    tl.store(z + i, v.to(tl.int16))
