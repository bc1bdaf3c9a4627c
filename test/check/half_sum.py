# SPDX-License-Identifier: Apache-2.0
# A sum in fp16 overflows at 65504.
# args: -a n=512 -a 'x=full(n,200.0,f16)' -a 'y=empty(1,f16)' -a 'BLOCK=next_power_of_2(n)' --grid 1
# found: infinity @store
import triton
import triton.language as tl


@triton.jit
def k(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    total = tl.sum(v, axis=0)
    tl.store(y, total)  # @store
