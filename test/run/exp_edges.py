# SPDX-License-Identifier: Apache-2.0
# exp, of x and of -x, and exp2 where they underflow and overflow, lane by lane beside others: 0 or the denormal, not NaN.
# The tolerance is that of exp at 89 on a GPU: 2 + 1.2 * 89 ulp.
# case: x = f32[16] {-inf, -104, -103.9, -103, -88, -87, 0, 1, 88, 88.7, 89, inf, -1e30, -200, -1e-30, nan}, y = f32[16], z = f32[16], w = f32[16]
# want: y == f32(exp(x)); z == f32(exp2(x)); w == f32(exp(-x))
# tolerance: 1.3e-5 2e-45
import triton
import triton.language as tl


@triton.jit
def exp_edges(x, y, z, w):
    lanes = tl.arange(0, 16)
    v = tl.load(x + lanes)
    tl.store(y + lanes, tl.exp(v))
    tl.store(z + lanes, tl.exp2(v))
    tl.store(w + lanes, tl.exp(-v))
