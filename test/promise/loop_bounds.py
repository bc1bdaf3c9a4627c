# SPDX-License-Identifier: Apache-2.0
# Loops whose index is of each type that a GPU counts in, from and to what is known at run time, up and
# down, and those without a turn.
# case: y = i64[3] zero, a = u32(4294967280), b = u32(4294967290), s = u32(4)
# want: y[0] == 3; y[1] == 4294967280 + 4294967284 + 4294967288; y[2] == 4294967288
# case: y = i64[3] zero, a = u32(9), b = u32(9), s = u32(4)
# want: y[0] == 0; y[1] == 0; y[2] == 0
# case: y = i64[3] zero, a = i32(-2147483648), b = i32(-2147483640), s = i32(3)
# want: y[0] == 3; y[1] == 0 - 3 * 2147483645; y[2] == -2147483642
# case: y = i64[3] zero, a = i32(7), b = i32(-8), s = i32(-5)
# want: y[0] == 3; y[1] == 6; y[2] == -3
# case: y = i64[3] zero, a = i32(-8), b = i32(7), s = i32(-5)
# want: y[0] == 0; y[1] == 0; y[2] == 0
# case: y = i64[3] zero, a = i32(8), b = i32(-7), s = i32(5)
# case: y = i64[3] zero, a = i64(-3), b = i64(-9), s = i64(-2)
# want: y[0] == 3; y[1] == -15; y[2] == -7
# case: y = i64[3] zero, a = i64(4294967296), b = i64(4294967299), s = i64(1)
# want: y[0] == 3; y[1] == 3 * 4294967297; y[2] == 4294967298
# case: y = i64[3] zero, a = u64(18446744073709551500), b = u64(18446744073709551510), s = u64(8)
# want: y[0] == 2; y[1] == -224; y[2] == -108
import triton
import triton.language as tl


@triton.jit
def kinds(y, a, b, s):
    turns = 0
    total = tl.load(y + 1)
    last = tl.load(y + 2)
    for i in range(a, b, s):
        turns += 1
        last = i.to(tl.int64)
        total += last
    tl.store(y, turns)
    tl.store(y + 2, last)
    tl.store(y + 1, total)
