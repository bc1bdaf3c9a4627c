# SPDX-License-Identifier: Apache-2.0
# Compile-time control: constexpr if, static_range, helpers, default arguments.
# case: y = i32[3], FLAG = True, N = 4
# want: y[0] == 1; y[1] == 10; y[2] == 14
# case: y = i32[3], FLAG = False, N = 3
# want: y[0] == 2; y[1] == 4; y[2] == 9
import triton
import triton.language as tl


@triton.jit
def weigh(a, b=3):
    return a * 2 + b


@triton.jit
def static(y, FLAG: tl.constexpr, N: tl.constexpr):
    if FLAG:
        tl.store(y, 1)
    else:
        tl.store(y, 2)
    s = 0
    for i in tl.static_range(N):
        s += i
    tl.store(y + 1, s + N if FLAG else s + 1)
    tl.store(y + 2, weigh(N, b=6) if N == 4 else weigh(N))
