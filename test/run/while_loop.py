# SPDX-License-Identifier: Apache-2.0
# A while loop on scalars: the Collatz steps of each number.
# case: x = i32[8] {1, 2, 3, 7, 27, 97, 871, 6171}, y = i32[8]
# grid: 8
# want: y[0] == 0; y[1] == 1; y[2] == 7; y[3] == 16; y[4] == 111; y[5] == 118; y[6] == 178; y[7] == 261
import triton
import triton.language as tl


@triton.jit
def collatz(x, y):
    n = tl.load(x + tl.program_id(0))
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    tl.store(y + tl.program_id(0), steps)
