# SPDX-License-Identifier: Apache-2.0
# n // BLOCK programs: the rest is never written.
# args: -a n=1024 -a 'x=randn(n)' -a 'y=empty(n)' -a BLOCK=256 --grid 'max(n//BLOCK,1)'
# also: n=1025
# found: not-written
import triton
import triton.language as tl


@triton.jit
def k(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(y + i, v * 2, mask=i < n)
