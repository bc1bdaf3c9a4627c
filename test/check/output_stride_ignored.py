# SPDX-License-Identifier: Apache-2.0
# The same of the output: it is written between its rows.
# args: -x rows=8 -a columns=64 -a 'x=randn(rows,columns)' -a 'y=empty(rows,columns)' -a 'x_stride=stride(x,0)' -a 'y_stride=stride(y,0)' -a BLOCK=64 --grid rows
# also: 'y=empty(8,64,strides=(67,1))'
# found: out-of-bounds
# found: not-written
import triton
import triton.language as tl


@triton.jit
def k(x, y, x_stride, y_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * x_stride + i, mask=i < columns, other=0.0)
    tl.store(y + row * columns + i, v, mask=i < columns)
