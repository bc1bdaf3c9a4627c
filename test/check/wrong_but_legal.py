# SPDX-License-Identifier: Apache-2.0
# max of negative numbers with other=0.0: legal, and wrong.
# args: -a n=100 -a 'x=full(n,-1.0)' -a 'y=empty(1)' -a 'BLOCK=next_power_of_2(n)' --grid 1
# found: nothing
import triton
import triton.language as tl


@triton.jit
def k(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y, tl.max(tl.load(x + i, mask=i < n, other=0.0), axis=0))
