# SPDX-License-Identifier: Apache-2.0
# Where a uniform number from Philox is above p, x is kept and scaled.
# case: x = fp32[1000] normal, y = fp32[1000], n = 1000, p = 0.5, seed = 123, BLOCK = 1024
# want: r = philox(seed, arange(1000), 0); k = where(r < 2147483648, r, 4294967295 - r) * 4.6566127342e-10 > p
# want: y == where(k, x / (1 - p), 0)
import triton
import triton.language as tl


@triton.jit
def dropout(x, y, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m)
    tl.store(y + i, tl.where(tl.rand(seed, i) > p, v / (1 - p), 0.0), mask=m)
