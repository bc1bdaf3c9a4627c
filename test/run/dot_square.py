# SPDX-License-Identifier: Apache-2.0
# One tile that lies in memory by columns, multiplied by itself, and by another in a second product.
# tolerance: 1e-3 1e-3
# case: N = 32, x = fp16[N, N] normal, y = fp32[N, N], z = fp32[N, N]
# grid: 1
# want: y == trans(x) @ trans(x)
# want: z == x @ trans(x)
# case: N = 16, x = fp32[N, N] normal, y = fp32[N, N], z = fp32[N, N]
# want: y == trans(x) @ trans(x)
# want: z == x @ trans(x)
# case: N = 64, x = i8[N, N] normal, y = i32[N, N], z = i32[N, N]
# want: y == trans(i32(x)) @ trans(i32(x))
# want: z == i32(x) @ trans(i32(x))
import triton
import triton.language as tl


@triton.jit
def square(x, y, z, N: tl.constexpr):
    m = tl.arange(0, N)[:, None]
    n = tl.arange(0, N)[None, :]
    columns = tl.load(x + n * N + m)
    tl.store(y + m * N + n, tl.dot(columns, columns, input_precision="ieee"))
    tl.store(z + m * N + n, tl.dot(tl.load(x + m * N + n), columns, input_precision="ieee"))
