# SPDX-License-Identifier: Apache-2.0
# Lanes walk down a column: each takes a sector of its own.
# args: -a n=128 -a 'x=randn(n,n)' -a 'y=empty(n)' -a BLOCK=128 --grid 'n'
# found: uncoalesced @load
import triton
import triton.language as tl


@triton.jit
def k(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    column = tl.load(x + i * n + tl.program_id(0), mask=i < n, other=0.0)  # @load
    tl.store(y + tl.program_id(0), tl.sum(column, axis=0))
