# SPDX-License-Identifier: Apache-2.0
# Lanes that the mask leaves out are summed, too.
# args: -a n=100 -a 'x=randn(n)' -a 'y=empty(1)' -a 'BLOCK=next_power_of_2(n)' --grid 1
# found: no-other @load
import triton
import triton.language as tl


@triton.jit
def k(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)  # @load
    tl.store(y, tl.sum(v, axis=0))
