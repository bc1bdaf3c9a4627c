# SPDX-License-Identifier: Apache-2.0
# Shifts by the width or more, which Triton leaves open, and the lowest bit set of 32 and of 64 bits.
# case: a = i64[64] any, b = i32[64] any, c = u32[64] any, y = i64[64, 6]
# want: y[:, 0] == 0; y[:, 1] == 0 - (b < 0); y[:, 2] == 0; y[:, 3] == 0 - (a < 0)
# want: y[:, 4] == (a & -a); y[:, 5] == (b & -b)
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def shifts(a, b, c, y):
    i = tl.arange(0, 64)
    u = tl.load(a + i)
    v = tl.load(b + i)
    tl.store(y + i * 6, v << 32)
    tl.store(y + i * 6 + 1, v >> 40)
    tl.store(y + i * 6 + 2, tl.load(c + i) >> 32)
    tl.store(y + i * 6 + 3, u >> 64)
    one = tl.full([64], 1, tl.int64)
    first = libdevice.ffs(u)
    tl.store(y + i * 6 + 4, tl.where(first == 0, 0, one << (first - 1)))
    first = libdevice.ffs(v)
    last = libdevice.ffs(v.to(tl.int64) << 32)  # one of 33 to 64, or 0
    first = tl.where(last == tl.where(first == 0, 0, first + 32), first, 65)
    tl.store(y + i * 6 + 5, tl.where(v == -2147483648, v, tl.where(first == 0, 0, one << (first - 1))))
