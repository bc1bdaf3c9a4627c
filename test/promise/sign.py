# SPDX-License-Identifier: Apache-2.0
# The sign: -x and abs(x) of each float type, exact, tiles and scalars.
# tolerance: 0 0
# case: x = f64[64] edges, y = f64[64], z = f64[64], s = f64[2]
# want: y == 0 - x; z == abs(x); s[0] == 0 - x[7]; s[1] == abs(x[7])
# case: x = f64[64] any, y = f64[64], z = f64[64], s = f64[2]
# case: x = f32[64] edges, y = f32[64], z = f32[64], s = f32[2]
# case: x = f32[64] any, y = f32[64], z = f32[64], s = f32[2]
# case: x = f16[64] edges, y = f16[64], z = f16[64], s = f16[2]
# case: x = f16[64] any, y = f16[64], z = f16[64], s = f16[2]
# case: x = bf16[64] edges, y = bf16[64], z = bf16[64], s = bf16[2]
# case: x = bf16[64] any, y = bf16[64], z = bf16[64], s = bf16[2]
import triton
import triton.language as tl


@triton.jit
def sign(x, y, z, s):
    i = tl.arange(0, 64)
    v = tl.load(x + i)
    tl.store(y + i, -v)
    tl.store(z + i, tl.abs(v))
    tl.store(s, -tl.load(x + 7))
    tl.store(s + 1, tl.abs(tl.load(x + 7)))
