# SPDX-License-Identifier: Apache-2.0
# Row-major indices of a size_i x size_j matrix to indices that go down the columns of each group of
# size_g rows: neighbouring programs share columns.
import triton
import triton.language as tl


@triton.jit
def swizzle2d(i, j, size_i, size_j, size_g):
    position = i * size_j + j
    in_group = size_g * size_j
    first_row = position // in_group * size_g
    rows = tl.minimum(size_i - first_row, size_g)
    position = position % in_group
    return first_row + position % rows, position // rows
