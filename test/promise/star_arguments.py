# SPDX-License-Identifier: Apache-2.0
# Calls of jit functions: by place, by name, by default, from a tuple, and with any number of values.
# case: y = i32[7], n = 5
# want: y[0] == 123; y[1] == 125; y[2] == 527; y[3] == 345; y[4] == 10; y[5] == 0; y[6] == 453
import triton
import triton.language as tl


@triton.jit
def digits(a, b=2, c=3):
    return a * 100 + b * 10 + c


@triton.jit
def total(*values):
    result = 0
    for i in tl.static_range(len(values)):
        result += values[i]
    return result


@triton.jit
def starred(y, n):
    t = (3, 4, n)
    tl.store(y, digits(1))
    tl.store(y + 1, digits(1, c=n))
    tl.store(y + 2, digits(n, c=7))
    tl.store(y + 3, digits(*t))
    tl.store(y + 4, total(1, 2, 3, 4))
    tl.store(y + 5, total())
    tl.store(y + 6, digits(4, *(n, )))
