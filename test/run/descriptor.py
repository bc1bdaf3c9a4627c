# SPDX-License-Identifier: Apache-2.0
# Tensor descriptors made in the kernel: loads beyond the edge give 0, stores there do nothing.
# case: M = 20, N = 24, x = fp32[M, N] normal, y = fp32[M, N]
# grid: cdiv(M, 16), cdiv(N, 16)
# want: y == x + 1
import triton
import triton.language as tl


@triton.jit
def add_one(x, y, M, N):
    a = tl.make_tensor_descriptor(x, shape=[M, N], strides=[N, 1], block_shape=[16, 16])
    b = tl.make_tensor_descriptor(y, shape=[M, N], strides=[N, 1], block_shape=[16, 16])
    i = tl.program_id(0) * 16
    j = tl.program_id(1) * 16
    b.store([i, j], a.load([i, j]) + 1)
