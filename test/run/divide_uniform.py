# SPDX-License-Identifier: Apache-2.0
# A row divided by one sum: within 2 ulp, and 0, denormal numbers, infinities and NaN come about as they do lane by lane.
# tolerance: 2.4e-7 3e-45
# case: x = fp32[13, 78] edges, d = fp32[13, 1] {3, -0.1, 1, 1e-40, -3e-45, 1e-30, 2e-31, 3e38, -3.4e38, 0, inf, nan, 1.2e30}, y = fp32[13, 78]
# want: y == f32(x / d)
# case: x = fp32[13, 78] any, d = fp32[13, 1] {3, -0.1, 1, 1e-40, -3e-45, 1e-30, 2e-31, 3e38, -3.4e38, 7e-31, 8e-31, 1.3e30, 1.2e30}, y = fp32[13, 78]
# want: y == f32(x / d)
import triton
import triton.language as tl


@triton.jit
def divide_uniform(x, d, y):
    lanes = tl.arange(0, 128)
    for row in range(13):
        at = row * 78 + lanes
        by = tl.sum(tl.load(d + row + lanes * 0, mask=lanes == 0, other=0.0))
        tl.store(y + at, tl.load(x + at, mask=lanes < 78) / by, mask=lanes < 78)
