# SPDX-License-Identifier: Apache-2.0
# exp(x - max) / sum, along dimension 0 unless told.
import triton
import triton.language as tl


@triton.jit
def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    axis: tl.constexpr = 0 if dim is None else dim
    power = tl.exp(x - tl.max(x, axis, keep_dims=keep_dims))
    return tl.fdiv(power, tl.sum(power, axis, keep_dims=keep_dims), ieee_rounding)
