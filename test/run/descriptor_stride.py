# SPDX-License-Identifier: Apache-2.0
# Rows of a descriptor are multiples of 16 bytes apart, or the launch fails where it is made.
# grid: 1
# case: x = fp16[16, 24] normal, N = 24, y = fp16[16, 16]
# want: y == x[:, :16]
# case: x = fp16[16, 20] normal, N = 20, y = fp16[16, 16]
# fails: must be multiples of 16 bytes
import triton
import triton.language as tl


@triton.jit
def rows(x, N, y):
    a = tl.make_tensor_descriptor(x, shape=[16, 16], strides=[N, 1], block_shape=[16, 16])
    i = tl.arange(0, 16)
    tl.store(y + i[:, None] * 16 + i[None, :], a.load([0, 0]))
