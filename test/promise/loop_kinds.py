# SPDX-License-Identifier: Apache-2.0
# Loops whose index is of each integer type: to the ends of the type, up and down, and by steps that pass
# the end. On a GPU an index that passes the end of its type wraps around.
# only: interp cpu
# case: y = i64[3] zero, a = u8(250), b = u8(255), s = u8(2)
# want: y[0] == 3; y[1] == 250 + 252 + 254; y[2] == 254
# case: y = i64[3] zero, a = u16(65530), b = u16(65535), s = u16(2)
# want: y[0] == 3; y[1] == 65530 + 65532 + 65534; y[2] == 65534
# case: y = i64[3] zero, a = u32(4294967290), b = u32(4294967295), s = u32(2)
# want: y[0] == 3; y[1] == 4294967290 + 4294967292 + 4294967294; y[2] == 4294967294
# case: y = i64[3] zero, a = u8(200), b = u8(100), s = u8(1)
# want: y[0] == 0; y[1] == 0; y[2] == 0
# case: y = i64[3] zero, a = i8(-128), b = i8(127), s = i8(100)
# want: y[0] == 3; y[1] == -128 - 28 + 72; y[2] == 72
# case: y = i64[3] zero, a = i16(32767), b = i16(-32768), s = i16(-30000)
# want: y[0] == 3; y[1] == 32767 + 2767 - 27233; y[2] == -27233
# case: y = i64[3] zero, a = i32(2147483640), b = i32(2147483647), s = i32(3)
# want: y[0] == 3; y[1] == 3 * 2147483643; y[2] == 2147483646
# case: y = i64[3] zero, a = i64(-3), b = i64(-9), s = i64(-2)
# want: y[0] == 3; y[1] == -15; y[2] == -7
# case: y = i64[3] zero, a = i64(9223372036854775800), b = i64(9223372036854775807), s = i64(4)
# want: y[0] == 2; y[2] == 9223372036854775804
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
    if a != 9223372036854775800:
        tl.store(y + 1, total)
