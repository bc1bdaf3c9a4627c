# SPDX-License-Identifier: Apache-2.0
# A load that nothing needs, and a mask that never matters.
# args: -a n=1024 -a 'x=randn(n)' -a 'y=empty(n)' -a BLOCK=256 --grid 'cdiv(n,BLOCK)'
# found: unused-load @vain
# found: idle-mask @mask
import triton
import triton.language as tl


@triton.jit
def k(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    old = tl.load(y + i, mask=i < n, other=0.0)  # @vain
    v = tl.load(x + tl.minimum(i, n - 1), mask=i >= 0, other=0.0)  # @mask
    tl.store(y + i, v, mask=i < n)
