# SPDX-License-Identifier: Apache-2.0
# The left neighbour of the first element.
# args: -a n=1024 -a 'x=randn(n)' -a 'y=empty(n)' -a BLOCK=256 --grid 'cdiv(n,BLOCK)'
# found: out-of-bounds @load
# found: uninitialised @load
import triton
import triton.language as tl


@triton.jit
def k(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(x + i - 1, mask=i < n, other=0.0)  # @load
    tl.store(y + i, left, mask=i < n)
