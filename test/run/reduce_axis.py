# SPDX-License-Identifier: Apache-2.0
# Sums, maxima and minima along each axis.
# case: x = fp32[8, 32] normal, r = fp32[8, 3], c = fp32[32, 3]
# want: r[:, 0] == sum(x, 1)[:, 0]; r[:, 1] == max(x, 1)[:, 0]; r[:, 2] == min(x, 1)[:, 0]
# want: c[:, 0] == sum(x, 0)[0, :]; c[:, 1] == max(x, 0)[0, :]; c[:, 2] == min(x, 0)[0, :]
# case: x = i32[8, 32] small, r = i32[8, 3], c = i32[32, 3]
# case: x = fp64[8, 32] normal, r = fp64[8, 3], c = fp64[32, 3]
import triton
import triton.language as tl


@triton.jit
def reduce(x, r, c):
    i = tl.arange(0, 8)
    j = tl.arange(0, 32)
    v = tl.load(x + i[:, None] * 32 + j[None, :])
    tl.store(r + i * 3, tl.sum(v, axis=1))
    tl.store(r + i * 3 + 1, tl.max(v, axis=1))
    tl.store(r + i * 3 + 2, tl.min(v, axis=1))
    tl.store(c + j * 3, tl.sum(v, axis=0))
    tl.store(c + j * 3 + 1, tl.max(v, axis=0))
    tl.store(c + j * 3 + 2, tl.min(v, axis=0))
