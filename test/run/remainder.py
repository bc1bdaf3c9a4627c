# SPDX-License-Identifier: Apache-2.0
# Offsets modulo a size: loads go on from the start where the size ends, inside a vector, between two
# or several times; and what a negative dividend or a size of 2^31 - 1 gives.
# case: x = f32[1000] normal, y = f32[256], r = i32[256], start = 0, size = 1000
# want: o = fmod(i32(start + arange(256)), size); r == o; y == where((o >= 0) & (o < 2048), take(x, where((o >= 0) & (o < 2048), o, 0)), 7)
# case: x = f32[1000] normal, y = f32[256], r = i32[256], start = 900, size = 1000
# case: x = f32[1000] normal, y = f32[256], r = i32[256], start = 2960, size = 1000
# case: x = f32[1000] normal, y = f32[256], r = i32[256], start = 123456, size = 1000
# case: x = f32[77] normal, y = f32[256], r = i32[256], start = 50, size = 77
# case: x = f32[7] normal, y = f32[256], r = i32[256], start = 3, size = 7
# case: x = f32[1] normal, y = f32[256], r = i32[256], start = 3, size = 1
# case: x = f32[2048] normal, y = f32[256], r = i32[256], start = 1792, size = 2147483647
# case: x = f32[2048] normal, y = f32[256], r = i32[256], start = 2147483400, size = 2147483647
# case: x = f32[1000] normal, y = f32[256], r = i32[256], start = -100, size = 1000
# case: x = f32[1000] normal, y = f32[256], r = i32[256], start = 900, size = -1000
# case: x = f32[1000] normal, y = f32[256], r = i32[256], start = i64(123456789012345), size = i64(1000)
# want: o = fmod(start + arange(256), size); r == o; y == take(x, o)
import triton
import triton.language as tl


@triton.jit
def remainder(x, y, r, start, size):
    lanes = tl.arange(0, 256)
    offsets = (start + lanes) % size
    tl.store(r + lanes, offsets.to(tl.int32))
    tl.store(y + lanes, tl.load(x + offsets, mask=(offsets >= 0) & (offsets < 2048), other=7.0))
