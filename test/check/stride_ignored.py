# SPDX-License-Identifier: Apache-2.0
# columns taken for the stride: wrong as soon as rows have gaps.
# args: -x rows=8 -a columns=64 -a 'x=randn(rows,columns)' -a 'y=empty(rows,columns)' -a 'x_stride=stride(x,0)' -a 'y_stride=stride(y,0)' -a BLOCK=64 --grid rows
# also: 'x=randn(8,64,strides=(67,1))'
# found: uninitialised @load
import triton
import triton.language as tl


@triton.jit
def k(x, y, x_stride, y_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=0.0)  # @load
    tl.store(y + row * y_stride + i, v, mask=i < columns)
