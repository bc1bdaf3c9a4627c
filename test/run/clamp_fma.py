# SPDX-License-Identifier: Apache-2.0
# clamp, fma, cdiv, minimum and maximum of scalars and tiles.
# case: x = fp32[64] normal, y = fp32[64, 3], z = i32[4], n = 37, m = 8
# want: y[:, 0] == minimum(maximum(x, -0.5), 0.75); y[:, 1] == x * x + 2; y[:, 2] == maximum(x, 0)
# want: z[0] == cdiv(n, m); z[1] == minimum(n, m); z[2] == maximum(n, m); z[3] == n // m
import triton
import triton.language as tl


@triton.jit
def scalars(x, y, z, n, m):
    i = tl.arange(0, 64)
    v = tl.load(x + i)
    tl.store(y + i * 3, tl.clamp(v, -0.5, 0.75))
    tl.store(y + i * 3 + 1, tl.fma(v, v, 2.0))
    tl.store(y + i * 3 + 2, tl.maximum(v, 0.0))
    tl.store(z, tl.cdiv(n, m))
    tl.store(z + 1, tl.minimum(n, m))
    tl.store(z + 2, tl.maximum(n, m))
    tl.store(z + 3, n // m)
