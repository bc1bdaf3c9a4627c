# SPDX-License-Identifier: Apache-2.0
# A masked load of one element: memory where the condition holds, else `other`; a masked store of one
# element writes only then.
# case: x = f32[1] {3}, y = f32[3] zero, c = -1
# want: y == where(arange(3) == 0, 7, 0)
# case: x = f32[1] {3}, y = f32[3] zero, c = 1
# want: y == where(arange(3) == 2, 9, 3)
# case: x = f16[1] {3}, y = f16[3] zero, c = -1
# want: y == where(arange(3) == 0, 7, 0)
# case: x = f16[1] {3}, y = f16[3] zero, c = 1
# want: y == where(arange(3) == 2, 9, 3)
# case: x = bf16[1] {3}, y = bf16[3] zero, c = -1
# want: y == where(arange(3) == 0, 7, 0)
# case: x = bf16[1] {3}, y = bf16[3] zero, c = 1
# want: y == where(arange(3) == 2, 9, 3)
# case: x = f64[1] {3}, y = f64[3] zero, c = -1
# want: y == where(arange(3) == 0, 7, 0)
# case: x = f64[1] {3}, y = f64[3] zero, c = 1
# want: y == where(arange(3) == 2, 9, 3)
# case: x = i8[1] {3}, y = i8[3] zero, c = -1
# want: y == where(arange(3) == 0, 7, 0)
# case: x = i8[1] {3}, y = i8[3] zero, c = 1
# want: y == where(arange(3) == 2, 9, 3)
# case: x = i16[1] {3}, y = i16[3] zero, c = -1
# want: y == where(arange(3) == 0, 7, 0)
# case: x = i16[1] {3}, y = i16[3] zero, c = 1
# want: y == where(arange(3) == 2, 9, 3)
# case: x = i32[1] {3}, y = i32[3] zero, c = -1
# want: y == where(arange(3) == 0, 7, 0)
# case: x = i32[1] {3}, y = i32[3] zero, c = 1
# want: y == where(arange(3) == 2, 9, 3)
# case: x = i64[1] {3}, y = i64[3] zero, c = -1
# want: y == where(arange(3) == 0, 7, 0)
# case: x = i64[1] {3}, y = i64[3] zero, c = 1
# want: y == where(arange(3) == 2, 9, 3)
# case: x = u8[1] {3}, y = u8[3] zero, c = -1
# want: y == where(arange(3) == 0, 7, 0)
# case: x = u8[1] {3}, y = u8[3] zero, c = 1
# want: y == where(arange(3) == 2, 9, 3)
# case: x = u16[1] {3}, y = u16[3] zero, c = -1
# want: y == where(arange(3) == 0, 7, 0)
# case: x = u16[1] {3}, y = u16[3] zero, c = 1
# want: y == where(arange(3) == 2, 9, 3)
import triton
import triton.language as tl


@triton.jit
def scalar_mask(x, y, c):
    tl.store(y, tl.load(x, mask=c > 0, other=7))
    tl.store(y + 1, tl.load(x, mask=c > 0), mask=c > 0)
    tl.store(y + 2, 9, mask=c > 0)
