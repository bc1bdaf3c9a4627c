# SPDX-License-Identifier: Apache-2.0
# Rows of a descriptor by number: numbers and columns outside give 0, and nothing is stored there.
# case: M = 20, N = 24, k = i32[8] {0, 19, 20, -1, 7, 7, 3, 1000}, x = fp32[M, N] normal, y = fp32[8, 16], z = fp32[M, N] zero
# want: y[:, 8:] == 0; y[0, :8] == x[0, 16:]; y[1, :8] == x[19, 16:]; y[2:4] == 0; y[4, :8] == x[7, 16:]; y[5, :8] == x[7, 16:]; y[6, :8] == x[3, 16:]; y[7] == 0; z[7, 16:] == 7; z[3, 16:] == 7; z[19, 16:] == 7; z[0, 16:] == 7; z[:, :16] == 0; z[8:19] == 0; z[1:3] == 0
import triton
import triton.language as tl


@triton.jit
def rows(M, N, k, x, y, z):
    a = tl.make_tensor_descriptor(x, shape=[M, N], strides=[N, 1], block_shape=[1, 16])
    b = tl.make_tensor_descriptor(z, shape=[M, N], strides=[N, 1], block_shape=[1, 16])
    i = tl.load(k + tl.arange(0, 8))
    tl.store(y + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :], a.gather(i, 16))
    b.scatter(tl.full((8, 16), 7, tl.float32), i, 16)
