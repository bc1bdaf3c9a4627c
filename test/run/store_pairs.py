# SPDX-License-Identifier: Apache-2.0
# f32 stored as bf16 rounds to nearest even at each place of a row, NaN and denormal numbers, too;
# what a mask leaves out stays. A row may store others of it beside, and part of it twice.
# tolerance: 0 0
# case: x = fp32[9, 128] edges, y = bf16[9, 128] one, z = bf16[9, 128], w = fp32[9, 128], n = 128
# want: y == bf16(x); z == bf16(-x); w == x
# case: x = fp32[9, 128] any, y = bf16[9, 128] one, z = bf16[9, 128], w = fp32[9, 128], n = 91
# want: y[:, :n] == bf16(x[:, :n]); y[:, n:] == 1; z == bf16(-x); w == x
# case: x = fp32[9, 128] normal, y = bf16[9, 128] one, z = bf16[9, 128], w = fp32[9, 128], n = 31
# want: y[:, :n] == bf16(x[:, :n]); y[:, n:] == 1; z == bf16(-x); w == x
import triton
import triton.language as tl


@triton.jit
def store_pairs(x, y, z, w, n):
    lanes = tl.arange(0, 128)
    for row in range(9):
        at = row * 128 + lanes
        a = tl.load(x + at)
        tl.store(y + at, a.to(tl.bfloat16), mask=lanes < n)
        tl.store(z + at, (-a).to(tl.bfloat16))
        tl.store(w + at, a)
