# SPDX-License-Identifier: Apache-2.0
# A name is not defined.
# case: x = f32[16] normal
# want: x == x
import triton
import triton.language as tl


@triton.jit
def bad(x):
    tl.store(x, nothing)
