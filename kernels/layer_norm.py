# SPDX-License-Identifier: Apache-2.0
"""Layer norm of each row: (x - mean) / sqrt(variance + eps) * weight + bias.

One program a row, which stays on the chip: BLOCK >= columns. The variance is summed from the
differences, not from the squares: as accurate as two passes over memory, at the price of one."""
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(x_ptr, out_ptr, weight_ptr, bias_ptr, mean_ptr, rstd_ptr, stride, columns, eps,
                      BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    start = row.to(tl.int64) * stride
    x = tl.load(x_ptr + start + offsets, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(inside, x - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    weight = tl.load(weight_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
    y = tl.fma(centred * rstd, weight, bias)
    tl.store(out_ptr + start + offsets, y.to(out_ptr.dtype.element_ty), mask=inside)
