# SPDX-License-Identifier: Apache-2.0
# A thread of a GPU holds so many bits of the numbers of lanes, others in turn: of few and of many such groups, of
# one, of less than one, and where a tile has rows.
# only: interp sim sim:t4 cuda
# case: x = fp32[2, 1024] normal, y = fp32[2, 1024], z = fp32[2, 1024], R = 2, N = 1024
# options: num_warps = 4
# want: y == sort(x); z == -sort(-x)
# case: x = i32[1, 2048] any, y = i32[1, 2048], z = i32[1, 2048], R = 1, N = 2048
# options: num_warps = 8
# case: x = u32[4, 256] any, y = u32[4, 256], z = u32[4, 256], R = 4, N = 256
# options: num_warps = 2
# case: x = i64[2, 1024] any, y = i64[2, 1024], z = i64[2, 1024], R = 2, N = 1024
# options: num_warps = 8
# case: x = i16[32, 16] any, y = i16[32, 16], z = i16[32, 16], R = 32, N = 16
# options: num_warps = 1
# case: x = i32[64, 8] any, y = i32[64, 8], z = i32[64, 8], R = 64, N = 8
# options: num_warps = 1
# case: x = i32[1, 4096] any, y = i32[1, 4096], z = i32[1, 4096], R = 1, N = 4096
# options: num_warps = 4
import triton
import triton.language as tl


@triton.jit
def order(x, y, z, R: tl.constexpr, N: tl.constexpr):
    o = tl.arange(0, R)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + o)
    tl.store(y + o, tl.sort(v))
    tl.store(z + o, tl.sort(v, descending=True))
