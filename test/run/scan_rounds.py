# SPDX-License-Identifier: Apache-2.0
# Scans that are not made a piece at a time, as their rows are of a tile in another shape: what the warps have to
# tell each other goes through shared memory in rounds, at each bit of the axis or once.
# case: x = i32[32768] small, y = i32[32768], z = i32[32768], ROWS = 2, N = 16384, REVERSE = True
# options: num_warps = 16
# want: y == reshape(cumsum(reshape(x, 2, 16384), 1, 1), 32768); z == reshape(reshape(x, 2, 16384)[:, 16383:16384] + 0 * reshape(x, 2, 16384), 32768)
# case: x = i32[32768] small, y = i32[32768], z = i32[32768], ROWS = 64, N = 512, REVERSE = False
# options: num_warps = 8
# want: y == reshape(cumsum(reshape(x, 64, 512), 1, 0), 32768); z == reshape(reshape(x, 64, 512)[:, 0:1] + 0 * reshape(x, 64, 512), 32768)
import triton
import triton.language as tl


@triton.jit
def outer(a, b, c, d, e, f, g, h):
    return a, f, c, h


@triton.jit
def scans(x, y, z, ROWS: tl.constexpr, N: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, ROWS * N)
    v = tl.load(x + i)
    rows = tl.reshape(v, (ROWS, N))
    tl.store(y + i, tl.reshape(tl.cumsum(rows, 1, reverse=REVERSE), (ROWS * N,)))
    a, b, c, d = tl.associative_scan((rows, rows + 1, rows + 2, rows + 3), 1, outer, reverse=REVERSE)
    wrong = (b - rows - 1) | (c - a - 2) | (d - rows - 3)
    tl.store(z + i, tl.reshape(a + 1000 * wrong, (ROWS * N,)))
