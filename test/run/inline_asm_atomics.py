# SPDX-License-Identifier: Apache-2.0
# A vector of atomics reads all its registers before it writes the first, which may be one of them.
# only: interp cpu
# case: x = fp32[256] small, o = fp32[256], z = fp32[256] one
# want: z == 1 + x; o == 1
import triton
import triton.language as tl


@triton.jit
def add_pairs(x, o, z):
    i = tl.arange(0, 128) * 2
    low, high = tl.inline_asm_elementwise(
        "{ .reg .b32 a, b; mov.b32 a, $3; mov.b32 b, $4; "
        "atom.global.add.v2.f32 {b, a}, [$2], {a, b}; mov.b32 $0, b; mov.b32 $1, a; }",
        "=r,=r,l,r,r", [z + i, tl.load(x + i), tl.load(x + i + 1)],
        dtype=(tl.float32, tl.float32), is_pure=False, pack=1)
    tl.store(o + i, low)
    tl.store(o + i + 1, high)
