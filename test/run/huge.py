# SPDX-License-Identifier: Apache-2.0
# The largest tile there is, 2^20 lanes, over a row of 10^6 columns; the same row in turns of 8192.
# A GPU takes the tile a piece at a time.
# only: cpu sim:a100 cuda
# case: x_ptr = fp32[1000000] small, out_ptr = fp32[1000000], columns = 1000000, BLOCK = 1048576
# kernel: center_kernel
# options: num_warps = 32
# want: out_ptr == x_ptr - max(x_ptr)
# case: x_ptr = fp32[1000000] normal, value_ptr = fp32[1], index_ptr = i32[1], columns = 1000000, BLOCK = 8192
# kernel: argmax_kernel
# want: value_ptr == max(x_ptr); index_ptr == argmax(x_ptr, 0)
# case: x_ptr = fp32[1000000] small, out_ptr = fp32[1000000], columns = 1000000, BLOCK = 1048576
# kernel: sums_kernel
# want: out_ptr == cumsum(x_ptr, 0)
# case: x_ptr = fp32[1000000] small, out_ptr = fp32[1000000], columns = 1000000, BLOCK = 1048576
# kernel: both_kernel
# options: num_warps = 4
# want: out_ptr == cumsum(x_ptr, 0) - cumsum(x_ptr, 0, 1)
import triton
import triton.language as tl


@triton.jit
def center_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < columns, other=float("-inf"))
    tl.store(out_ptr + i, x - tl.max(x, axis=0), mask=i < columns)


@triton.jit
def argmax_kernel(x_ptr, value_ptr, index_ptr, columns, BLOCK: tl.constexpr):
    most = float("-inf")
    at = 0
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < columns, other=float("-inf"))
        value, index = tl.max(x, axis=0, return_indices=True)
        if value > most:
            most = value
            at = start + index
    tl.store(value_ptr, most)
    tl.store(index_ptr, at)


@triton.jit
def sums_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < columns, other=0)
    tl.store(out_ptr + i, tl.cumsum(x, axis=0), mask=i < columns)


@triton.jit
def both_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < columns, other=0)
    tl.store(out_ptr + i, tl.cumsum(x, axis=0) - tl.cumsum(x, axis=0, reverse=True), mask=i < columns)
