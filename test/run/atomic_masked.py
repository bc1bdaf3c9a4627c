# SPDX-License-Identifier: Apache-2.0
# What an atomic op without lanes to do converts is there for what follows all the same.
# case: x = bf16[64] small, y = bf16[64] zero, z = fp32[64]
# want: y == where(arange(64) < 5, x, 0); z == 2 * x
import triton
import triton.language as tl


@triton.jit
def add_some(x, y, z):
    i = tl.arange(0, 64)
    v = tl.load(x + i)
    tl.atomic_add(y + i, v, mask=i < 5)
    tl.store(z + i, v.to(tl.float32) * 2)
