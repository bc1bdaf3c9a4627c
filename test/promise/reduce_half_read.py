# SPDX-License-Identifier: Apache-2.0
# A reduction and a scan of two values of which one result is never read; the other is right.
# case: x = i32[4, 16] small, y = i32[4, 1], z = i32[4, 1], s = i32[4, 16]
# want: y == sum(x, 1); z == max(x * 3, 1); s == cumsum(x, 1)
import triton
import triton.language as tl


@triton.jit
def both(a, b, c, d):
    return a + c, tl.maximum(b, d)


@triton.jit
def half_read(x, y, z, s):
    i = tl.arange(0, 4)
    at = i[:, None] * 16 + tl.arange(0, 16)[None, :]
    v = tl.load(x + at)
    total, _ = tl.reduce((v, v * 3), 1, both)
    tl.store(y + i, total)
    _, most = tl.reduce((v, v * 3), 1, both)
    tl.store(z + i, most)
    run, _ = tl.associative_scan((v, v * 3), 1, both)
    tl.store(s + at, run)
