# SPDX-License-Identifier: Apache-2.0
# Of two assertions the second fails, in its own words; a masked scalar one looks only where it should.
# On a GPU a failed assertion ends the process's use of it, and its words go to the driver's output.
# only: interp cpu sim
# case: x = i32[4] {1, 2, 0, 4}, c = 0
# options: debug = 1
# fails: the second
# case: x = i32[4] {1, 2, 3, 4}, c = 1
# fails: the third
# case: x = i32[4] {1, 2, 3, 4}, c = 0
# fails:
import triton
import triton.language as tl


@triton.jit
def second(x, c):
    i = tl.arange(0, 4)
    tl.device_assert(tl.load(x + i) >= 0, "the first")
    tl.device_assert(tl.load(x + i) > 0, "the second")
    tl.device_assert(tl.load(x) > 5, "the third", mask=c > 0)
