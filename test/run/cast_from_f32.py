# SPDX-License-Identifier: Apache-2.0
# f32 becomes every type: floats round to nearest even, integers truncate.
# tolerance: 0 0
# case: x = fp32[256] normal, y = fp16[256]
# want: y == f16(x)
# case: x = fp32[256] normal, y = bf16[256]
# want: y == bf16(x)
# case: x = fp32[256] normal, y = fp64[256]
# want: y == f64(x)
# case: x = fp32[256] normal, y = i8[256]
# want: y == trunc(x)
# case: x = fp32[256] normal, y = i16[256]
# want: y == trunc(x)
# case: x = fp32[256] normal, y = i32[256]
# want: y == trunc(x)
# case: x = fp32[256] normal, y = i64[256]
# want: y == trunc(x)
import triton
import triton.language as tl


@triton.jit
def cast(x, y):
    i = tl.arange(0, 256)
    tl.store(y + i, tl.load(x + i).to(y.dtype.element_ty))
