# SPDX-License-Identifier: Apache-2.0
# The base of a descriptor is a multiple of 16 bytes, or the launch fails where it is made. The
# failure comes last: after one a GPU takes no more work from the process.
# grid: 1
# case: x = fp32[40] normal, t = i64[1] {8}, y = fp32[16]
# want: y == x[8:24]
# case: x = fp32[40] normal, t = i64[1] {9}, y = fp32[16]
# fails: must be multiples of 16 bytes
import triton
import triton.language as tl


@triton.jit
def row(x, t, y):
    a = tl.make_tensor_descriptor(x + tl.load(t), shape=[16], strides=[1], block_shape=[16])
    tl.store(y + tl.arange(0, 16), a.load([0]))
