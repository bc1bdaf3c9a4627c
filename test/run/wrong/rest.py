# SPDX-License-Identifier: Apache-2.0
# What a slice leaves out changes.
# case: x = f32[16] normal, y = f32[16], n = 16
# want: y[:15] == x[:15]
import triton
import triton.language as tl


@triton.jit
def copy(x, y, n):
    i = tl.arange(0, 16)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)
