# SPDX-License-Identifier: Apache-2.0
# cumsum and cumprod along both axes and from the end.
# case: x = fp32[8, 16] uniform, a = fp32[8, 16], b = fp32[8, 16], c = fp32[8, 16], d = fp32[8, 16]
# want: a == cumsum(x, 1); b == cumsum(x, 0); c == cumsum(x, 1, 1); d == cumprod(x, 1)
# case: x = i32[8, 16] small, a = i32[8, 16], b = i32[8, 16], c = i32[8, 16], d = i32[8, 16]
# want: a == cumsum(x, 1); b == cumsum(x, 0); c == cumsum(x, 1, 1); d == i32(cumprod(x, 1))
import triton
import triton.language as tl


@triton.jit
def scan(x, a, b, c, d):
    o = tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :]
    v = tl.load(x + o)
    tl.store(a + o, tl.cumsum(v, axis=1))
    tl.store(b + o, tl.cumsum(v, axis=0))
    tl.store(c + o, tl.cumsum(v, axis=1, reverse=True))
    tl.store(d + o, tl.cumprod(v, axis=1))
