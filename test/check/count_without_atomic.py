# SPDX-License-Identifier: Apache-2.0
# A histogram by load and store: counts are lost.
# args: -a n=256 -a 'x=randint(n,i32,low=0,high=4)' -a 'y=zeros(4,i32)' --grid n
# found: race @load
# found: race @store
import triton
import triton.language as tl


@triton.jit
def k(x, y, n):
    bin = tl.load(x + tl.program_id(0))
    count = tl.load(y + bin)  # @load
    tl.store(y + bin, count + 1)  # @store
