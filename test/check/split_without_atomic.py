# SPDX-License-Identifier: Apache-2.0
# Programs that share an output add to it by load and store.
# args: -a n=256 -a 'x=ones(n)' -a 'y=zeros(1)' -a BLOCK=64 --grid 'cdiv(n,BLOCK)'
# found: race @load
import triton
import triton.language as tl


@triton.jit
def k(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0)
    tl.store(y, tl.load(y) + part)  # @load
