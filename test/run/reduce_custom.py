# SPDX-License-Identifier: Apache-2.0
# A reduction by the user's own function, the product, and the exclusive or.
# tolerance: 1e-5 0
# case: x = fp32[32] uniform, k = i32[64] any, y = fp32[1], z = i32[1]
# want: y == prod(x, 0); z == xor_sum(k, 0)
import triton
import triton.language as tl


@triton.jit
def times(a, b):
    return a * b


@triton.jit
def product(x, k, y, z):
    tl.store(y, tl.reduce(tl.load(x + tl.arange(0, 32)), 0, times))
    tl.store(z, tl.xor_sum(tl.load(k + tl.arange(0, 64)), 0))
