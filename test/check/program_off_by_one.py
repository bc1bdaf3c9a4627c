# SPDX-License-Identifier: Apache-2.0
# Programs count from 1.
# args: -a n=1024 -a 'x=randn(n)' -a 'y=empty(n)' -a BLOCK=256 --grid 'cdiv(n,BLOCK)'
# found: not-written
import triton
import triton.language as tl


@triton.jit
def k(x, y, n, BLOCK: tl.constexpr):
    i = (tl.program_id(0) + 1) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n, other=0.0) * 2, mask=i < n)
