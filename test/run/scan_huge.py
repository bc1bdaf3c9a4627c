# SPDX-License-Identifier: Apache-2.0
# Scans of rows whose warps, all at once, have more to tell each other than shared memory has room for; the first
# of the largest sums from the end, and where it is.
# case: x = i32[1, 32767] small, y = i32[1, 32767], n = 32767, N = 32768, REVERSE = True
# kernel: scan
# options: num_warps = 16
# want: y == cumsum(x, 1, 1)
# case: x = i32[1, 131072] small, y = i32[1, 131072], n = 131072, N = 131072, REVERSE = False
# kernel: scan
# options: num_warps = 32
# want: y == cumsum(x, 1, 0)
# case: x = bf16[1, 65521] uniform, y = fp32[1, 65521], n = 65521, N = 65536, REVERSE = False
# kernel: scan
# options: num_warps = 4
# tolerance: 1e-5 1e-5
# want: y == cumsum(x, 1, 0)
# case: x = i32[1, 16384] small, y = i32[1, 16384], n = 16384, N = 16384
# kernel: best
# options: num_warps = 1
# want: y == cumsum(x, 1, 1) + argmax(cumsum(x, 1, 1), 1) + argmin(x, 1)
import triton
import triton.language as tl


@triton.jit
def scan(x, y, n, N: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(y + i, tl.cumsum(v.to(y.dtype.element_ty), 0, reverse=REVERSE), mask=i < n)


@triton.jit
def best(x, y, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i, mask=i < n, other=0)
    sums = tl.cumsum(v, 0, reverse=True)
    tl.store(y + i, sums + tl.argmax(sums, 0) + tl.argmin(v, 0), mask=i < n)
