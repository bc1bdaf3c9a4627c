# SPDX-License-Identifier: Apache-2.0
# The variance as a difference of means may be below 0.
# args: -a n=64 -a 'x=full(n,-1.0)' -a 'y=empty(n)' -a BLOCK=64 --grid 'cdiv(n,BLOCK)'
# found: nan @sqrt
import triton
import triton.language as tl


@triton.jit
def k(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(y + i, tl.sqrt(v), mask=i < n)  # @sqrt
