# SPDX-License-Identifier: Apache-2.0
# The load is masked, the store is not.
# args: -a n=1024 -a 'x=randn(n)' -a 'y=empty(n)' -a BLOCK=256 --grid 'cdiv(n,BLOCK)'
# also: n=1025
# found: out-of-bounds @store
import triton
import triton.language as tl


@triton.jit
def k(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(y + i, v * 2)  # @store
