# SPDX-License-Identifier: Apache-2.0
# A product of two different f8 types.
# case: a = f8e4m3[32, 32] small, b = f8e5m2[32, 32] small, c = f32[32, 32]
# want: c == a @ b
import triton
import triton.language as tl


@triton.jit
def mixed(a, b, c):
    i = tl.arange(0, 32)
    at = i[:, None] * 32 + i[None, :]
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at)))
