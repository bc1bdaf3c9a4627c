# SPDX-License-Identifier: Apache-2.0
# device_assert stops the launch in debug mode and is not there else. The failure comes last: after
# one a GPU takes no more work from the process.
# case: x = i32[4] {1, 2, 0, 4}
# case: x = i32[4] {1, 2, 3, 4}
# options: debug = 1
# case: x = i32[4] {1, 2, 0, 4}
# options: debug = 1
# fails: all of x must be positive
import triton
import triton.language as tl


@triton.jit
def check(x):
    tl.device_assert(tl.load(x + tl.arange(0, 4)) > 0, "all of x must be positive")
