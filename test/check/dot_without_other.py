# SPDX-License-Identifier: Apache-2.0
# The last block of k is not cut off in a and b.
# args: -a kk=40 -a 'a=randn(16,kk)' -a 'b=randn(kk,16)' -a 'c=empty(16,16)' -a BK=16 --grid 1
# found: no-other @load
import triton
import triton.language as tl


@triton.jit
def k(a, b, c, kk, BK: tl.constexpr):
    m = tl.arange(0, 16)[:, None]
    n = tl.arange(0, 16)[None, :]
    acc = tl.zeros((16, 16), dtype=tl.float32)
    for start in range(0, kk, BK):
        j = start + tl.arange(0, BK)
        x = tl.load(a + m * kk + j[None, :], mask=j[None, :] < kk)  # @load
        y = tl.load(b + j[:, None] * 16 + n, mask=j[:, None] < kk, other=0.0)
        acc += tl.dot(x, y)
    tl.store(c + m * 16 + n, acc)
