# SPDX-License-Identifier: Apache-2.0
# Float sums by atomics: any order, within rounding.
# grid: 8
# tolerance: 1e-5 0
# case: x = fp32[1024] uniform, y = fp32[1] zero
# want: y == sum(x, 0)
# case: x = fp64[1024] uniform, y = fp64[1] zero
# tolerance: 1e-12 0
import triton
import triton.language as tl


@triton.jit
def total(x, y):
    i = tl.program_id(0) * 128 + tl.arange(0, 128)
    tl.atomic_add(y + i * 0, tl.load(x + i))
