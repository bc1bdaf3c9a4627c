# SPDX-License-Identifier: Apache-2.0
# Integer arithmetic wraps.
# case: a = i32[64] any, b = i32[64] any, s = i32[64], p = i32[64], d = i32[64]
# want: s == i32(a + b); p == i32(a * b); d == i32(a - b)
# case: a = i16[64] any, b = i16[64] any, s = i16[64], p = i16[64], d = i16[64]
# want: s == i16(a + b); p == i16(a * b); d == i16(a - b)
# case: a = u32[64] any, b = u32[64] any, s = u32[64], p = u32[64], d = u32[64]
# want: s == u32(a + b); p == u32(a * b); d == u32(a + 4294967296 - b)
import triton
import triton.language as tl


@triton.jit
def wrap(a, b, s, p, d):
    i = tl.arange(0, 64)
    u = tl.load(a + i)
    v = tl.load(b + i)
    tl.store(s + i, u + v)
    tl.store(p + i, u * v)
    tl.store(d + i, u - v)
