# SPDX-License-Identifier: Apache-2.0
# An output that is added to before anybody set it to 0.
# args: -a n=256 -a 'x=randn(n)' -a 'y=empty(n)' -a BLOCK=64 --grid 'cdiv(n,BLOCK)'
# found: uninitialised @load
import triton
import triton.language as tl


@triton.jit
def k(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    old = tl.load(y + i, mask=i < n, other=0.0)  # @load
    tl.store(y + i, old + tl.load(x + i, mask=i < n, other=0.0), mask=i < n)
