# SPDX-License-Identifier: Apache-2.0
# Sines of numbers so large that only an exact remainder helps.
# case: x = f32[16] {1e9, 1e15, 1e20, 1e25, 1.2676506e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36, 1e37, 1e38, 3e38, -1e30, -3e38}, y = f32[16], z = f32[16]
# want: y == sin(x); z == cos(x)
import triton
import triton.language as tl


@triton.jit
def far(x, y, z):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.store(y + i, tl.sin(v))
    tl.store(z + i, tl.cos(v))
