# SPDX-License-Identifier: Apache-2.0
# The pointers of Triton's matmul: rows and columns modulo the matrix, moved on in a loop.
# case: x = f32[6000] normal, y = f32[64,64], rows = 50, columns = 60, row = 0, column = 0, stride = 60
# want: o = reshape(trans(reshape(fmod(row + arange(64), rows), 1, 64)) * stride + reshape(fmod(column + arange(64), columns), 1, 64), 4096); y == reshape(take(x, o) + take(x, o + 64) * 2 + take(x, o + 128) * 3, 64, 64)
# case: x = f32[6000] normal, y = f32[64,64], rows = 50, columns = 60, row = 40, column = 50, stride = 60
# case: x = f32[6000] normal, y = f32[64,64], rows = 3, columns = 5, row = 2, column = 4, stride = 5
# case: x = f32[6000] normal, y = f32[64,64], rows = 64, columns = 64, row = 64, column = 128, stride = 64
import triton
import triton.language as tl


@triton.jit
def remainder_rows(x, y, rows, columns, row, column, stride):
    lanes = tl.arange(0, 64)
    r = (row + lanes) % rows
    c = (column + lanes) % columns
    pointers = x + (r[:, None] * stride + c[None, :])
    sums = tl.zeros([64, 64], dtype=tl.float32)
    for k in range(0, 3):
        sums += tl.load(pointers) * (k + 1)
        pointers += 64
    tl.store(y + lanes[:, None] * 64 + lanes[None, :], sums)
