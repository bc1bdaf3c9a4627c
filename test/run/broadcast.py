# SPDX-License-Identifier: Apache-2.0
# [M, 1] and [1, N] meet as [M, N]; a scalar joins both.
# case: a = fp32[8] normal, b = fp32[16] normal, s = 0.5, y = fp32[8, 16]
# want: y == reshape(a, 8, 1) * b + s
# case: a = i32[8] small, b = i32[16] small, s = 7, y = i32[8, 16]
import triton
import triton.language as tl


@triton.jit
def outer(a, b, s, y):
    i = tl.arange(0, 8)
    j = tl.arange(0, 16)
    tl.store(y + i[:, None] * 16 + j[None, :], tl.load(a + i)[:, None] * tl.load(b + j)[None, :] + s)
