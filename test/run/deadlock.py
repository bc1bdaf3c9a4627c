# SPDX-License-Identifier: Apache-2.0
# A program that waits for what nobody writes is reported, not hung.
# only: interp cpu
# case: flag = i32[1] zero
# grid: 3
# fails: deadlock
import triton
import triton.language as tl


@triton.jit
def wait(flag):
    while tl.atomic_add(flag, 0) == 0:
        pass
