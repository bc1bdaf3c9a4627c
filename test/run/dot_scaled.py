# SPDX-License-Identifier: Apache-2.0
# fp4 in bytes times fp8, each 32 elements along K with a power of two of their own.
# tolerance: 1e-5 1e-5
# case: x = u8[16, 32] any, p = u8[16, 2] any, b = fp8e4nv[64, 16] normal, q = u8[2, 16] any, y = fp32[16, 16]
# want: l = x % 16; h = floor(x / 16); m = l % 8; n = h % 8; c = where(m < 2, m / 2, (1 + m % 2 / 2) * exp2(floor(m / 2) - 1)); d = where(n < 2, n / 2, (1 + n % 2 / 2) * exp2(floor(n / 2) - 1)); c = where(l > 7, -c, c); d = where(h > 7, -d, d); s = exp2(p % 8 - 4); t = exp2(q % 8 - 4); y == s[:, 0:1] * t[0:1, :] * (c[:, 0:16] @ b[0:32:2, :] + d[:, 0:16] @ b[1:32:2, :]) + s[:, 1:2] * t[1:2, :] * (c[:, 16:32] @ b[32:64:2, :] + d[:, 16:32] @ b[33:64:2, :])
import triton
import triton.language as tl


@triton.jit
def scaled(x, p, b, q, y):
    r = tl.arange(0, 16)
    lhs = tl.load(x + r[:, None] * 32 + tl.arange(0, 32)[None, :])
    rhs = tl.load(b + tl.arange(0, 64)[:, None] * 16 + r[None, :])
    g = tl.arange(0, 2)[None, :]
    lhs_scale = tl.load(p + r[:, None] * 2 + g) % 8 + 123
    rhs_scale = tl.load(q + r[:, None] + g * 16) % 8 + 123
    z = tl.dot_scaled(lhs, lhs_scale.to(tl.uint8), "e2m1", rhs, rhs_scale.to(tl.uint8), "e4m3")
    tl.store(y + r[:, None] * 16 + r[None, :], z)
