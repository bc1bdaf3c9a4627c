# SPDX-License-Identifier: Apache-2.0
# Products of a batch whose operands differ in size: each has its own distance between matrices.
# case: x = f32[2, 16, 32] small, y = f32[2, 32, 64] small, z = f32[2, 16, 64]
# want: z == x @ y
# tolerance: 1e-5 1e-5
import triton
import triton.language as tl


@triton.jit
def dot_batches(x, y, z):
    n, m = tl.arange(0, 2)[:, None, None], tl.arange(0, 16)
    k, o = tl.arange(0, 32), tl.arange(0, 64)
    a = tl.load(x + n * 512 + m[None, :, None] * 32 + k[None, None, :])
    b = tl.load(y + n * 2048 + k[None, :, None] * 64 + o[None, None, :])
    tl.store(z + n * 1024 + m[None, :, None] * 64 + o[None, None, :], tl.dot(a, b, input_precision="ieee"))
