# SPDX-License-Identifier: Apache-2.0
# A failure inside a while loop, in its condition and in its body, ends the launch with its words.
# only: interp sim
# case: x = i32[4] {1, 2, 3, 4}, k = 0
# fails: outside
# case: x = i32[4] {1, 2, 3, 4}, k = 1
# fails: outside
import triton
import triton.language as tl


@triton.jit
def run(x, k):
    n = 0
    if k == 0:
        while tl.load(x + n) < 100:
            n += 1
    else:
        while n < 100:
            tl.store(x + n, n)
            n += 1
