# SPDX-License-Identifier: Apache-2.0
# No mask at all: right only for multiples of the block.
# args: -a n=1024 -a 'x=randn(n)' -a 'y=empty(n)' -a BLOCK=256 --grid 'cdiv(n,BLOCK)'
# also: n=1025
# found: out-of-bounds @load
import triton
import triton.language as tl


@triton.jit
def k(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i) * 2)  # @load
