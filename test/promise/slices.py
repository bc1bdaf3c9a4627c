# SPDX-License-Identifier: Apache-2.0
# Slices of tuples and lists keep their kind and their order; lists of types stay lists.
# case: y = i32[6]
# want: y[0] == 2; y[1] == 3; y[2] == 3; y[3] == 2; y[4] == 4; y[5] == 12
import triton
import triton.language as tl


@triton.jit
def second(pair):
    return pair[1]


@triton.jit
def slices(y):
    t = (1, 2, 3, 4)
    tl.store(y, len(t[1:3]))
    tl.store(y + 1, t[1:][1])
    tl.store(y + 2, second(t[1:3]))
    tl.store(y + 3, t[-3:-1][0])
    tl.store(y + 4, t[::-1][0])
    u = [5, 6] + [1]
    tl.store(y + 5, u[0:2][0] + u[1] + u[2:][0])
    tl.static_assert(isinstance(t[1:], tuple))
