# SPDX-License-Identifier: Apache-2.0
# Each turn reads what the turn before wrote through another pointer, whose distance no one knows; a load
# that looks the same in each turn is not.
# case: t = i32[16] one, d = 0
# want: t == where(arange(16) == 0, 256, 1)
# case: t = i32[16] one, d = 4
# want: t == where(arange(16) == 4, 2, 1)
import triton
import triton.language as tl


@triton.jit
def loop_distance(t, d):
    for k in range(8):
        v = tl.load(t)
        tl.store(t + d, v * 2)
