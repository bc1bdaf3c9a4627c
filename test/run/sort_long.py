# SPDX-License-Identifier: Apache-2.0
# Tiles of which a thread has so much that a GPU's text goes through their sort in turns of a loop.
# options: num_warps = 1
# case: x = fp32[2, 1024] normal, y = fp32[2, 1024], z = fp32[2, 1024], R = 2, N = 1024
# want: y == sort(x); z == -sort(-x)
# case: x = i32[1, 2048] any, y = i32[1, 2048], z = i32[1, 2048], R = 1, N = 2048
# case: x = u32[1, 2048] any, y = u32[1, 2048], z = u32[1, 2048], R = 1, N = 2048
# case: x = bf16[2, 1024] normal, y = bf16[2, 1024], z = bf16[2, 1024], R = 2, N = 1024
# want: y == sort(x); z == -sort(-x)
# case: x = u8[1, 2048] any, y = u8[1, 2048], z = u8[1, 2048], R = 1, N = 2048
# case: x = i64[2, 512] any, y = i64[2, 512], z = i64[2, 512], R = 2, N = 512
# case: x = i64[1, 2048] any, y = i64[1, 2048], z = i64[1, 2048], R = 1, N = 2048
# options: num_warps = 4
import triton
import triton.language as tl


@triton.jit
def order(x, y, z, R: tl.constexpr, N: tl.constexpr):
    o = tl.arange(0, R)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + o)
    tl.store(y + o, tl.sort(v))
    tl.store(z + o, tl.sort(v, descending=True))
