# SPDX-License-Identifier: Apache-2.0
# Mean of each row of a matrix of any width: one program walks its row block by block and keeps a
# tile of partial sums, so that the loop has one addition per element and one reduction at the end.
#
#     tern run row_mean.py --grid 10000 -a 'x=randn(10000,10000)' -a 'y=empty(10000)' \
#         -a 'stride=stride(x,0)' -a 'columns=size(x,1)' -a BLOCK=1024
import triton
import triton.language as tl


@triton.jit
def row_mean_kernel(x, y, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    partial = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        inside = start + column < columns
        partial += tl.load(x + row * stride + start + column, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + row, tl.sum(partial, axis=0) / columns)
