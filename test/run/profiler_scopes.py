# SPDX-License-Identifier: Apache-2.0
# Scopes of Triton's profiler name a part of a kernel and change no answer.
# case: x = f32[8] {0, 1, 2, 3, 4, 5, 6, 7}, o = f32[8], n = 8, BLOCK = 8
# want: o == x + 28
import triton
import triton.language as tl
import triton.profiler as proton
import triton.profiler.language as pl
from triton.profiler.language import scope


@triton.jit
def scopes(x, o, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    with pl.scope("load"), scope("of x"):
        pl.enter_scope("inner")
        v = tl.load(x + i, mask=i < n)
        pl.exit_scope("inner")
    total = 0
    for j in range(n):
        with proton.language.scope("turn"):
            total += j
    tl.store(o + i, v + total, mask=i < n)
