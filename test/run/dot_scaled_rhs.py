# SPDX-License-Identifier: Apache-2.0
# fp4 packed along N on the right, without a scale on the left, into an accumulator; and a NaN scale.
# tolerance: 1e-5 1e-5
# case: x = bf16[16, 32] normal, b = u8[32, 8] any, q = u8[16, 1] any, y = fp32[16, 16], z = fp32[16, 16]
# want: l = b % 16; h = floor(b / 16); m = l % 8; n = h % 8; c = where(m < 2, m / 2, (1 + m % 2 / 2) * exp2(floor(m / 2) - 1)); d = where(n < 2, n / 2, (1 + n % 2 / 2) * exp2(floor(n / 2) - 1)); c = where(l > 7, -c, c); d = where(h > 7, -d, d); s = exp2(q[:, 0] % 8 - 4); y[:, ::2] == 2 + s[::2] * (x @ c); y[:, 1::2] == 2 + s[1::2] * (x @ d); z[:, 0:1] == 0 / 0; z[:, 2::2] == s[2::2] * (x @ c[:, 1:]); z[:, 1::2] == s[1::2] * (x @ d)
import triton
import triton.language as tl


@triton.jit
def scaled(x, b, q, y, z):
    r = tl.arange(0, 16)
    k = tl.arange(0, 32)
    lhs = tl.load(x + r[:, None] * 32 + k[None, :])
    rhs = tl.load(b + k[:, None] * 8 + tl.arange(0, 8)[None, :])
    scale = (tl.load(q + r[:, None]) % 8 + 123).to(tl.uint8)
    out = r[:, None] * 16 + r[None, :]
    two = tl.full((16, 16), 2, tl.float32)
    tl.store(y + out, tl.dot_scaled(lhs, None, "bf16", rhs, scale, "e2m1", two, rhs_k_pack=False))
    broken = tl.where(r[:, None] == 0, 255, scale).to(tl.uint8)
    tl.store(z + out, tl.dot_scaled(lhs, None, "bf16", rhs, broken, "e2m1", rhs_k_pack=False))
