# SPDX-License-Identifier: Apache-2.0
# Products of tiles in each type, with the accumulator's type.
# tolerance: 1e-5 1e-5
# case: a = fp32[32, 64] normal, b = fp32[64, 16] normal, c = fp32[32, 16], K = 64
# want: c == a @ b
# case: a = fp16[32, 64] normal, b = fp16[64, 16] normal, c = fp32[32, 16], K = 64
# case: a = bf16[32, 64] normal, b = bf16[64, 16] normal, c = fp32[32, 16], K = 64
# case: a = i8[32, 64] any, b = i8[64, 16] any, c = i32[32, 16], K = 64
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, K: tl.constexpr):
    m = tl.arange(0, 32)
    n = tl.arange(0, 16)
    k = tl.arange(0, K)
    x = tl.load(a + m[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * 16 + n[None, :])
    z = tl.dot(x, y, input_precision="ieee", out_dtype=c.dtype.element_ty)
    tl.store(c + m[:, None] * 16 + n[None, :], z)
