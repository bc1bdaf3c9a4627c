# SPDX-License-Identifier: Apache-2.0
# Loops whose index is of a narrow type, which a GPU refuses: to the ends of the type, up and down, and by
# steps that pass the end. An unsigned step is a large one, not one downwards. loop_ends.py has the others.
# only: interp cpu
# case: y = i64[3] zero, a = u8(250), b = u8(255), s = u8(2)
# want: y[0] == 3; y[1] == 250 + 252 + 254; y[2] == 254
# case: y = i64[3] zero, a = u16(65530), b = u16(65535), s = u16(2)
# want: y[0] == 3; y[1] == 65530 + 65532 + 65534; y[2] == 65534
# case: y = i64[3] zero, a = u8(5), b = u8(10), s = u8(255)
# want: y[0] == 1; y[1] == 5; y[2] == 5
# case: y = i64[3] zero, a = u8(200), b = u8(100), s = u8(1)
# want: y[0] == 0; y[1] == 0; y[2] == 0
# case: y = i64[3] zero, a = i8(-128), b = i8(127), s = i8(100)
# want: y[0] == 3; y[1] == -128 - 28 + 72; y[2] == 72
# case: y = i64[3] zero, a = i16(32767), b = i16(-32768), s = i16(-30000)
# want: y[0] == 3; y[1] == 32767 + 2767 - 27233; y[2] == -27233
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
