# SPDX-License-Identifier: Apache-2.0
# Loops whose index would pass the end of its type end there, on every device: up and down, by steps known
# when compiled and not, from bounds known and not.
# case: y = i64[3] zero, a = i32(2147483640), b = i32(2147483647), s = i32(3), S = 3
# want: y[0] == 3; y[1] == 2147483646; y[2] == 3
# case: y = i64[3] zero, a = i32(2147483583), b = i32(2147483647), s = i32(64), S = 64
# want: y[0] == 1; y[1] == 2147483583; y[2] == 1
# case: y = i64[3] zero, a = i32(2147483583), b = i32(2147483647), s = i32(65), S = 63
# want: y[0] == 1; y[1] == 2147483583; y[2] == 2
# case: y = i64[3] zero, a = i32(-2147483600), b = i32(-2147483648), s = i32(-20), S = -48
# want: y[0] == 3; y[1] == -2147483640; y[2] == 1
# case: y = i64[3] zero, a = i32(-2147483647), b = i32(-2147483648), s = i32(-2147483648), S = -1
# want: y[0] == 1; y[1] == -2147483647; y[2] == 1
# case: y = i64[3] zero, a = i32(-2147483648), b = i32(2147483647), s = i32(2147483647), S = 1073741824
# want: y[0] == 3; y[1] == 2147483646; y[2] == 4
# case: y = i64[3] zero, a = i32(5), b = i32(-2147483640), s = i32(64), S = 1
# want: y[0] == 0; y[1] == 0; y[2] == 0
# case: y = i64[3] zero, a = u32(4294967290), b = u32(4294967295), s = u32(2), S = 3
# want: y[0] == 3; y[1] == 4294967294; y[2] == 2
# case: y = i64[3] zero, a = u32(5), b = u32(10), s = u32(4294967295), S = 4294967290
# want: y[0] == 1; y[1] == 5; y[2] == 1
# case: y = i64[3] zero, a = i64(9223372036854775800), b = i64(9223372036854775807), s = i64(4), S = 6
# want: y[0] == 2; y[1] == 9223372036854775804; y[2] == 2
# case: y = i64[3] zero, a = i64(-9223372036854775800), b = i64(-9223372036854775808), s = i64(-5), S = -7
# want: y[0] == 2; y[1] == -9223372036854775805; y[2] == 2
# case: y = i64[3] zero, a = u64(18446744073709551600), b = u64(18446744073709551615), s = u64(12), S = 14
# want: y[0] == 2; y[1] == -4; y[2] == 2
import triton
import triton.language as tl


@triton.jit
def ends(y, a, b, s, S: tl.constexpr):
    turns = 0
    last = tl.load(y + 1)
    for i in range(a, b, s):
        turns += 1
        last = i.to(tl.int64)
    tl.store(y, turns)
    tl.store(y + 1, last)
    turns = 0
    for i in range(a, b, S):
        turns += 1
    tl.store(y + 2, turns)
