# SPDX-License-Identifier: Apache-2.0
# f8 rounds to nearest even and saturates.
# tolerance: 0 0
# case: x = fp32[256] normal, y = fp8e4nv[256], z = fp8e5[256]
# want: y == e4m3(x); z == e5m2(x)
import triton
import triton.language as tl


@triton.jit
def cast(x, y, z):
    i = tl.arange(0, 256)
    v = tl.load(x + i)
    tl.store(y + i, v.to(tl.float8e4nv))
    tl.store(z + i, v.to(tl.float8e5))
