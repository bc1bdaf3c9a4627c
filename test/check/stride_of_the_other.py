# SPDX-License-Identifier: Apache-2.0
# Rows of y are stored with the stride of x.
# args: -x rows=8 -a columns=64 -a 'x=randn(rows,2*columns)' -a 'y=empty(rows,columns)' -a 'x_stride=stride(x,0)' -a BLOCK=64 --grid rows
# found: out-of-bounds @store
import triton
import triton.language as tl


@triton.jit
def k(x, y, x_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * x_stride + i, mask=i < columns, other=0.0)
    tl.store(y + row * x_stride + i, v, mask=i < columns)  # @store
