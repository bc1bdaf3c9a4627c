# SPDX-License-Identifier: Apache-2.0
# Offsets in int8: from 128 on they are negative.
# args: -a 'x=randn(256)' -a 'y=empty(256)' -a BLOCK=256 --grid 1
# found: out-of-bounds @load
import triton
import triton.language as tl


@triton.jit
def k(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK).to(tl.int8)
    v = tl.load(x + i)  # @load
    tl.store(y + tl.arange(0, BLOCK), v)
