# SPDX-License-Identifier: Apache-2.0
"""GELU in the tanh form: 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))."""
import triton
import triton.language as tl


@triton.jit
def gelu_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside).to(tl.float32)
    a = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    # 0.5 (1 + tanh a) is 1 - 1 / (e^2a + 1): right to the ends, where e^2a is 0 or infinite.
    y = x * (1.0 - 1.0 / (tl.exp(2.0 * a) + 1.0))
    tl.store(out_ptr + offsets, y.to(out_ptr.dtype.element_ty), mask=inside)
