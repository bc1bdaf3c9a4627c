# SPDX-License-Identifier: Apache-2.0
# Scans of columns and of rows of tiles that a GPU's text makes a piece at a time, along the scan or across
# it: with a loop of rows around them, and where what is reduced of the scan is stored beside it.
# options: num_warps = 1
# case: x = i32[2, 8192] small, a = i32[2, 8192], b = i32[2, 8192], c = i32[2, 8192], d = i32[2, 128], R = 64, C = 128, AXIS = 0, ROWS = 2
# want: a == reshape(cumsum(reshape(x, 2, 64, 128), 1, 0), 2, 8192); b == reshape(cumsum(reshape(x, 2, 64, 128), 1, 1), 2, 8192); c == reshape(cummax(reshape(x, 2, 64, 128), 1, 0), 2, 8192); d == reshape(max(cumsum(reshape(x, 2, 64, 128), 1, 0), 1), 2, 128)
# case: x = i32[2, 8192] small, a = i32[2, 8192], b = i32[2, 8192], c = i32[2, 8192], d = i32[2, 4], R = 4, C = 2048, AXIS = 1, ROWS = 2
# want: a == reshape(cumsum(reshape(x, 2, 4, 2048), 2, 0), 2, 8192); b == reshape(cumsum(reshape(x, 2, 4, 2048), 2, 1), 2, 8192); c == reshape(cummax(reshape(x, 2, 4, 2048), 2, 0), 2, 8192); d == reshape(max(cumsum(reshape(x, 2, 4, 2048), 2, 0), 2), 2, 4)
# case: x = i32[2, 8192] small, a = i32[2, 8192], b = i32[2, 8192], c = i32[2, 8192], d = i32[2, 2048], R = 4, C = 2048, AXIS = 0, ROWS = 2
# want: a == reshape(cumsum(reshape(x, 2, 4, 2048), 1, 0), 2, 8192); b == reshape(cumsum(reshape(x, 2, 4, 2048), 1, 1), 2, 8192); c == reshape(cummax(reshape(x, 2, 4, 2048), 1, 0), 2, 8192); d == reshape(max(cumsum(reshape(x, 2, 4, 2048), 1, 0), 1), 2, 2048)
import triton
import triton.language as tl


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def scans(x, a, b, c, d, R: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr, ROWS: tl.constexpr):
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    L: tl.constexpr = C if AXIS == 0 else R
    for row in range(ROWS):
        here = row * R * C + at
        v = tl.load(x + here)
        sums = tl.cumsum(v, AXIS)
        tl.store(a + here, sums)
        tl.store(b + here, tl.cumsum(v, AXIS, reverse=True))
        tl.store(c + here, tl.associative_scan(v, AXIS, larger))
        tl.store(d + row * L + tl.arange(0, L), tl.max(sums, AXIS))
