# SPDX-License-Identifier: Apache-2.0
# The last program's mask must keep it inside n.
# case: x = f32[1000] normal, y = f32[1000], n = 1000, BLOCK = 256
# grid: cdiv(n, BLOCK)
# want: y == x + 1
# case: x = f32[1] normal, y = f32[1], n = 1, BLOCK = 256
# case: x = f32[31] normal, y = f32[31], n = 31, BLOCK = 32
# case: x = f32[1025] normal, y = f32[1025], n = 1025, BLOCK = 1024
# case: x = f32[1023] normal, y = f32[1023], n = 1023, BLOCK = 64
# case: x = f32[100] normal +1, y = f32[100] +3, n = 100, BLOCK = 32
# case: x = f64[500] normal, y = f64[500], n = 500, BLOCK = 128
# case: x = f32[0], y = f32[8] zero, n = 0, BLOCK = 64
# grid: 3
# want: y == 0
# case: x = f32[0], y = f32[0], n = 0, BLOCK = 64
# grid: cdiv(n, BLOCK)
# case: x = f16[500] normal, y = f16[500], n = 500, BLOCK = 128
# want: y == f16(x + 1)
# case: x = i32[500] any, y = i32[500], n = 500, BLOCK = 128
# want: y == i32(x + 1)
# case: x = u8[500] any, y = u8[500], n = 500, BLOCK = 128
# want: y == u8(x + 1)
import triton
import triton.language as tl


@triton.jit
def add_one(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(y + i, tl.load(x + i, mask=m) + 1, mask=m)
