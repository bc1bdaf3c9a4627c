# SPDX-License-Identifier: Apache-2.0
# batch * stride in int32: a stride of 2^30 wraps from the third batch on.
# args: -a stride=1073741824 -a 'x=zeros(4,64)' -a 'y=empty(4,64)' -a BLOCK=64 --grid 4
# found: overflow @load
# found: out-of-bounds @load
import triton
import triton.language as tl


@triton.jit
def k(x, y, stride, BLOCK: tl.constexpr):
    batch = tl.program_id(0) * 2
    i = tl.arange(0, BLOCK)
    v = tl.load(x + batch * stride + i)  # @load
    tl.store(y + tl.program_id(0) * BLOCK + i, v)
