# SPDX-License-Identifier: Apache-2.0
# exp of large numbers overflows: inf / inf.
# args: -a n=64 -a 'x=full(n,100.0)' -a 'y=empty(n)' -a 'BLOCK=next_power_of_2(n)' --grid 1
# found: nan @div
import triton
import triton.language as tl


@triton.jit
def k(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    e = tl.exp(tl.load(x + i, mask=i < n, other=-float("inf")))
    s = e / tl.sum(e, axis=0)  # @div
    tl.store(y + i, s, mask=i < n)
