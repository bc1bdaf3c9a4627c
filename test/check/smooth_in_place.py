# SPDX-License-Identifier: Apache-2.0
# Neighbours are read while another program writes them.
# args: -a n=256 -a 'x=randn(n)' -a BLOCK=64 --grid 'cdiv(n,BLOCK)'
# found: race @load
import triton
import triton.language as tl


@triton.jit
def k(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(x + i - 1, mask=(i > 0) & (i < n), other=0.0)  # @load
    here = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(x + i, (left + here) / 2, mask=i < n)
