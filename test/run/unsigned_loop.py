# SPDX-License-Identifier: Apache-2.0
# The index of a loop over unsigned integers, taken as a signed one, may be negative: division then does not
# go by aligned runs.
# case: y = i32[1024] zero, n = u32(4294967295)
# want: y == where(arange(1024) == 0, 1, 0)
import triton
import triton.language as tl


@triton.jit
def signed_index(y, n):
    lanes = tl.arange(0, 1024)
    for i in range(0, n, 1073741824):
        x = i.to(tl.int32) + lanes
        tl.store(y + lanes, 1, mask=x // 4 == -536870912)
