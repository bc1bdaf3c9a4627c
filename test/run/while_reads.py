# SPDX-License-Identifier: Apache-2.0
# While loops whose condition and whose body both need the block: loads of what the loop stores,
# and sums. On a GPU the body's scratch lies behind the condition's, for which it need not wait.
# case: x = i32[2] {3, 0}
# kernel: counts
# grid: 1
# want: x[0] == 101; x[1] == 14
# case: x = i32[300] small, y = i32[300], n = 300, B = 512
# kernel: halves
# want: y == where(x < 0, 0, x)
# case: x = i32[2] {3, 0}
# options: num_warps = 1
# kernel: counts
# want: x[0] == 101; x[1] == 14
import triton
import triton.language as tl


@triton.jit
def counts(x):
    while tl.load(x) < 100:
        tl.store(x, tl.load(x) + 7)
        tl.store(x + 1, tl.load(x + 1) + 1)


# Takes away what is below 0, one after the other, until nothing is.
@triton.jit
def halves(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)
    tl.debug_barrier()
    while tl.min(tl.load(y + i, mask=i < n, other=0), axis=0) < 0:
        v = tl.load(y + i, mask=i < n, other=0)
        least = tl.min(v, axis=0)
        tl.store(y + i, tl.where(v == least, 0, v), mask=i < n)
