# SPDX-License-Identifier: Apache-2.0
# device_print writes a line for each lane.
# only: interp cpu
# case: x = i32[2] {5, -6}
# grid: 2
# prints: pid (0, 0, 0) idx (0) x: 5
# prints: pid (0, 0, 0) idx (1) x: -6
# prints: pid (1, 0, 0) idx (0) x: 5
# prints: pid (1, 0, 0) idx (1) x: -6
import triton
import triton.language as tl


@triton.jit
def show(x):
    tl.device_print("x", tl.load(x + tl.arange(0, 2)))
