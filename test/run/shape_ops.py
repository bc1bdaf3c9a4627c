# SPDX-License-Identifier: Apache-2.0
# reshape, trans, split and interleave move lanes only.
# case: x = i32[8, 16] any, t = i32[16, 8], s = i32[4, 32], e = i32[64], o = i32[64], v = i32[256]
# want: t == trans(x); s == reshape(x, 4, 32); f = reshape(x, 64, 2); e == f[:, 0]; o == f[:, 1]
# want: v == reshape(take(x, reshape(arange(128), 128, 1) + full(0, 128, 2)), 256)
import triton
import triton.language as tl


@triton.jit
def shapes(x, t, s, e, o, v):
    i = tl.arange(0, 8)[:, None]
    j = tl.arange(0, 16)[None, :]
    a = tl.load(x + i * 16 + j)
    tl.store(t + tl.arange(0, 16)[:, None] * 8 + tl.arange(0, 8)[None, :], tl.trans(a))
    tl.store(s + tl.arange(0, 4)[:, None] * 32 + tl.arange(0, 32)[None, :], tl.reshape(a, (4, 32)))
    low, high = tl.split(tl.reshape(a, (64, 2)))
    k = tl.arange(0, 64)
    tl.store(e + k, low)
    tl.store(o + k, high)
    flat = tl.reshape(a, (128,))
    tl.store(v + tl.arange(0, 256), tl.interleave(flat, flat))
