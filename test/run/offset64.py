# SPDX-License-Identifier: Apache-2.0
# Offsets beyond 2^31 elements are not cut to 32 bits: the address comes back.
# case: x = fp32[16] normal, y = fp32[16], big = i64(6442450944)
# want: y == x
import triton
import triton.language as tl


@triton.jit
def far(x, y, big):
    i = tl.arange(0, 16)
    p = x + i + big
    q = p - big
    tl.store(y + i, tl.load(q))
