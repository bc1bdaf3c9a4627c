# SPDX-License-Identifier: Apache-2.0
# out = x * x, a program for each row of a matrix.
import triton
import triton.language as tl


@triton.jit
def square_kernel(x_ptr, out_ptr, x_stride, out_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    v = tl.load(x_ptr + row * x_stride + column, mask=inside)
    tl.store(out_ptr + row * out_stride + column, v * v, mask=inside)
