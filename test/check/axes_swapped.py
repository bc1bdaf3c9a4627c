# SPDX-License-Identifier: Apache-2.0
# Rows and columns of the grid are exchanged.
# args: -a m=96 -a n=32 -a 'x=randn(m,n)' -a 'y=empty(m,n)' -a BM=32 -a BN=32 --grid 'cdiv(m,BM),cdiv(n,BN)'
# found: not-written
import triton
import triton.language as tl


@triton.jit
def k(x, y, m, n, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(1) * BM + tl.arange(0, BM)[:, None]
    c = tl.program_id(0) * BN + tl.arange(0, BN)[None, :]
    inside = (r < m) & (c < n)
    tl.store(y + r * n + c, tl.load(x + r * n + c, mask=inside, other=0.0), mask=inside)
