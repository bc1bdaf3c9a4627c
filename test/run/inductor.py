# SPDX-License-Identifier: Apache-2.0
# What kernels made by PyTorch's Inductor call: triton_helpers, with the libdevice and math in it.
# case: x = fp32[4, 64] uniform, y = fp32[7, 4], k = i32[2, 64]
# want: y[0] == sum(x, 1) / 64
# want: y[1] == max(x, 1)
# want: y[2] == min(x, 1)
# want: y[3] == argmax(x, 1)
# want: y[4] == argmin(x, 1)
# want: y[5] == prod(x, 1)
# want: y[6] == max(x, 1)
# want: k[0] == (arange(64) - 32 - ((arange(64) - 32) % 7 + 7) % 7) / 7
# want: k[1] == ((arange(64) - 32) % 7 + 7) % 7
# tolerance: 1e-5 1e-6
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math


@triton.jit
def inductor(x, y, k):
    row = tl.arange(0, 4)
    column = tl.arange(0, 64)
    v = tl.load(x + row[:, None] * 64 + column[None, :])
    index = tl.broadcast_to(column[None, :], (4, 64))
    mean, m2, weight = triton_helpers.welford_reduce(v, tl.zeros_like(v), tl.zeros_like(v), tl.zeros_like(v), True)
    mean, m2, weight = triton_helpers.welford(mean, m2, weight, 1)
    tl.store(y + row, mean)
    tl.store(y + 4 + row, triton_helpers.max2(v, 1))
    tl.store(y + 8 + row, triton_helpers.min2(v, 1))
    largest, at = triton_helpers.max_with_index(v, index, 1)
    tl.store(y + 12 + row, at)
    _, at = triton_helpers.min_with_index(v, index, 1)
    tl.store(y + 16 + row, at)
    tl.store(y + 20 + row, triton_helpers.prod(v, 1))
    tl.store(y + 24 + row, libdevice.trunc(largest) + (largest - libdevice.trunc(largest)) * tl_math.exp(0.0 * largest))
    n = column - 32
    tl.store(k + column, triton_helpers.div_floor_integer(n, 7))
    tl.store(k + 64 + column, triton_helpers.remainder_integer(n, 7))
