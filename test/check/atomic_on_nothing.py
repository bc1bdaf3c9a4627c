# SPDX-License-Identifier: Apache-2.0
# The same by an atomic.
# args: -a n=256 -a 'x=randn(n)' -a 'y=empty(1)' -a BLOCK=64 --grid 'cdiv(n,BLOCK)'
# found: uninitialised @add
import triton
import triton.language as tl


@triton.jit
def k(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0)
    tl.atomic_add(y, part)  # @add
