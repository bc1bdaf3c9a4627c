# SPDX-License-Identifier: Apache-2.0
# A row and a column make a tile in either order, where there are many rows; rows alone and columns
# alone are stored as they are.
# case: x = f32[8] normal, c = f32[16] normal, y = f32[8, 16], z = f32[8, 16], r = f32[8, 1], s = f32[1, 16]
# want: y == reshape(x, 8, 1) + reshape(c, 1, 16); z == reshape(c, 1, 16) - reshape(x, 8, 1)
# want: r == reshape(x, 8, 1) * 2; s == reshape(c, 1, 16) * 2
# case: x = f32[8] normal, c = f32[16] normal, y = f32[8, 16], z = f32[8, 16], r = f32[8, 1], s = f32[1, 16]
# options: num_warps = 1
import triton
import triton.language as tl


@triton.jit
def outer(x, c, y, z, r, s):
    i = tl.arange(0, 8)[:, None]
    k = tl.arange(0, 16)[None, :]
    a = tl.load(x + i)
    b = tl.load(c + k)
    tl.store(y + i * 16 + k, a + b)
    tl.store(z + i * 16 + k, b - a)
    tl.store(r + i, a * 2)
    tl.store(s + k, b * 2)
