# SPDX-License-Identifier: Apache-2.0
# jit functions that a plain function makes, each with its own closure, seen as it is at the call.
# case: y = i32[4]
# want: y == arange(4) * 2003 + 20030
import triton
import triton.language as tl


def make(n):
    factor = tl.constexpr(n)

    @triton.jit
    def scaled(x):
        return x * factor + later

    later = tl.constexpr(n * 10)
    return scaled


twice = make(2)
thrice = make(3)


@triton.jit
def both(f: tl.constexpr, g: tl.constexpr, x):
    return f(x) * 1000 + g(x)


@triton.jit
def made(y):
    i = tl.arange(0, 4)
    tl.store(y + i, both(twice, thrice, i))
