# SPDX-License-Identifier: Apache-2.0
# A row of which all is masked: -inf - -inf.
# args: -a n=64 -a 'x=randn(n)' -a 'keep=zeros(n,i32)' -a 'y=empty(n)' -a 'BLOCK=next_power_of_2(n)' --grid 1
# found: nan @sub
import triton
import triton.language as tl


@triton.jit
def k(x, keep, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    v = tl.where(tl.load(keep + i, mask=i < n, other=0) != 0, v, -float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))  # @sub
    tl.store(y + i, e / tl.sum(e, axis=0), mask=i < n)
