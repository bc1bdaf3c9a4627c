# SPDX-License-Identifier: Apache-2.0
# A scalar of each integer type, large and negative, becomes each float and comes back.
# tolerance: 0 0
# case: x = u8[1] {255}, y = f32[2], z = f64[2]
# want: y == f32(x); z == f64(x)
# case: x = u16[1] {65535}, y = f32[2], z = f64[2]
# want: y == f32(x); z == f64(x)
# case: x = u16[1] {256}, y = f32[2], z = f64[2]
# want: y == f32(x); z == f64(x)
# case: x = u32[1] {4294967295}, y = f32[2], z = f64[2]
# want: y == f32(x); z == f64(x)
# case: x = u32[1] {2147483648}, y = f32[2], z = f64[2]
# want: y == f32(x); z == f64(x)
# case: x = u64[1] {18446744073709551615}, y = f32[2], z = f64[2]
# want: y == f32(x); z == f64(x)
# case: x = u64[1] {9223372036854775808}, y = f32[2], z = f64[2]
# want: y == f32(x); z == f64(x)
# case: x = i8[1] {-128}, y = f32[2], z = f64[2]
# want: y == f32(x); z == f64(x)
# case: x = i8[1] {127}, y = f32[2], z = f64[2]
# want: y == f32(x); z == f64(x)
# case: x = i16[1] {-32768}, y = f32[2], z = f64[2]
# want: y == f32(x); z == f64(x)
# case: x = i32[1] {-2147483648}, y = f32[2], z = f64[2]
# want: y == f32(x); z == f64(x)
# case: x = i64[1] {-9223372036854775807}, y = f32[2], z = f64[2]
# want: y == f32(x); z == f64(x)
# case: x = i64[1] {4294967297}, y = f32[2], z = f64[2]
# want: y == f32(x); z == f64(x)
import triton
import triton.language as tl


@triton.jit
def scalar_convert(x, y, z):
    v = tl.load(x)
    tl.store(y, v.to(tl.float32))
    tl.store(z, v.to(tl.float64))
    i = tl.arange(0, 1)
    tl.store(y + 1 + i, tl.load(x + i).to(tl.float32))
    tl.store(z + 1 + i, tl.load(x + i).to(tl.float64))
