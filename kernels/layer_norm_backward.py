# SPDX-License-Identifier: Apache-2.0
"""Gradients of layer norm: of the input, of the weight and of the bias.

The first kernel runs a fixed number of programs. Each takes every num_programs-th row, writes the
row's input gradient, and sums its share of the weight's and bias's gradients in registers, which
it leaves in two matrices with a row for each program. The second kernel adds up their columns. No
locks, and the same result in every run."""
import triton
import triton.language as tl


@triton.jit
def layer_norm_backward_kernel(dy_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, dx_ptr,
                               dweight_parts_ptr, dbias_parts_ptr, stride, rows, columns,
                               BLOCK: tl.constexpr):
    program = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    weight = tl.load(weight_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
    dweight = tl.zeros((BLOCK,), dtype=tl.float32)
    dbias = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(program, rows, tl.num_programs(0)):
        start = row.to(tl.int64) * stride
        dy = tl.load(dy_ptr + start + offsets, mask=inside, other=0.0).to(tl.float32)
        x = tl.load(x_ptr + start + offsets, mask=inside, other=0.0).to(tl.float32)
        mean = tl.load(mean_ptr + row)
        rstd = tl.load(rstd_ptr + row)
        normal = tl.where(inside, (x - mean) * rstd, 0.0)
        scaled = dy * weight
        along_normal = tl.sum(normal * scaled, axis=0) / columns
        along_one = tl.sum(scaled, axis=0) / columns
        dx = (scaled - normal * along_normal - along_one) * rstd
        tl.store(dx_ptr + start + offsets, dx.to(dx_ptr.dtype.element_ty), mask=inside)
        dweight += dy * normal
        dbias += dy
    part = program.to(tl.int64) * columns + offsets
    tl.store(dweight_parts_ptr + part, dweight, mask=inside)
    tl.store(dbias_parts_ptr + part, dbias, mask=inside)


@triton.jit
def sum_parts_kernel(dweight_parts_ptr, dbias_parts_ptr, dweight_ptr, dbias_ptr, parts, columns,
                     PARTS: tl.constexpr, BLOCK: tl.constexpr):
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    dweight = tl.zeros((PARTS, BLOCK), dtype=tl.float32)
    dbias = tl.zeros((PARTS, BLOCK), dtype=tl.float32)
    for start in range(0, parts, PARTS):
        part = start + tl.arange(0, PARTS)
        inside = (part[:, None] < parts) & (column[None, :] < columns)
        at = part[:, None] * columns + column[None, :]
        dweight += tl.load(dweight_parts_ptr + at, mask=inside, other=0.0)
        dbias += tl.load(dbias_parts_ptr + at, mask=inside, other=0.0)
    dweight_sum = tl.sum(dweight, axis=0)
    dbias_sum = tl.sum(dbias, axis=0)
    tl.store(dweight_ptr + column, dweight_sum.to(dweight_ptr.dtype.element_ty), mask=column < columns)
    tl.store(dbias_ptr + column, dbias_sum.to(dbias_ptr.dtype.element_ty), mask=column < columns)
