# SPDX-License-Identifier: Apache-2.0
# A loop from a number that is not negative ends where its index would pass the end of its type.
# case: y = i64[2] zero, n = i32(2147483647), S = 1073741824, FROM = 0
# want: y[0] == 2; y[1] == 1073741824
# case: y = i64[2] zero, n = i32(2147483647), S = 2147483647, FROM = 0
# want: y[0] == 1; y[1] == 0
# case: y = i64[2] zero, n = i32(2147483647), S = 715827883, FROM = 7
# want: y[0] == 3; y[1] == 2147483670
# case: y = i64[2] zero, n = i32(2147483647), S = 3, FROM = 2147483640
# want: y[0] == 3; y[1] == 6442450929
# case: y = i64[2] zero, n = i32(0), S = 3, FROM = 0
# want: y == 0
# case: y = i64[2] zero, n = i32(-2147483648), S = 3, FROM = 0
# case: y = i64[2] zero, n = i64(9223372036854775807), S = 4611686018427387904, FROM = 0
# want: y[0] == 2; y[1] == 4611686018427387904
import triton
import triton.language as tl


@triton.jit
def turns(y, n, S: tl.constexpr, FROM: tl.constexpr):
    count, total = tl.zeros([], tl.int64), tl.zeros([], tl.int64)
    for i in range(FROM, n, S):
        count += 1
        total += i
    tl.store(y, count)
    tl.store(y + 1, total)
