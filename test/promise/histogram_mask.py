# SPDX-License-Identifier: Apache-2.0
# A histogram counts the lanes that its mask lets through, and no others.
# case: x = u8[256] any, y = i32[3, 16], n = 100
# want: y[0] == where(arange(16) < 8, histogram(x % 16, 16), 0)
# want: y[1] == histogram(where(arange(256) < n, x % 16, 16), 16)
# want: y[2] == histogram(x % 16, 16)
# case: x = u8[256] any, y = i32[3, 16], n = 0
# case: x = u8[256] any, y = i32[3, 16], n = 256
import triton
import triton.language as tl


@triton.jit
def count(x, y, n):
    i = tl.arange(0, 256)
    o = tl.arange(0, 16)
    v = (tl.load(x + i) % 16).to(tl.int32)
    tl.store(y + o, tl.histogram(v, 16, mask=v < 8))
    tl.store(y + 16 + o, tl.histogram(v, 16, mask=i < n))
    tl.store(y + 32 + o, tl.histogram(v, 16))
