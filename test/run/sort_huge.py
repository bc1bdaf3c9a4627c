# SPDX-License-Identifier: Apache-2.0
# Tiles of which a thread has more than registers: a GPU's text sorts an eighth of them at a time.
# only: interp sim sim:t4 cuda
# case: x = fp32[8192] normal, y = fp32[8192], z = fp32[8192], N = 8192
# options: num_warps = 1
# want: y == sort(x); z == -sort(-x)
# case: x = u32[8192] any, y = u32[8192], z = u32[8192], N = 8192
# options: num_warps = 1
# want: y == sort(x); z == 4294967295 - sort(4294967295 - x)
# case: x = i64[8192] any, y = i64[8192], z = i64[8192], N = 8192
# options: num_warps = 2
# want: y == sort(x); z == -sort(-x)
# case: x = bf16[16384] normal, y = bf16[16384], z = bf16[16384], N = 16384
# options: num_warps = 2
import triton
import triton.language as tl


@triton.jit
def order(x, y, z, N: tl.constexpr):
    o = tl.arange(0, N)
    v = tl.load(x + o)
    tl.store(y + o, tl.sort(v))
    tl.store(z + o, tl.sort(v, descending=True))
