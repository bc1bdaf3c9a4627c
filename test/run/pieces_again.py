# SPDX-License-Identifier: Apache-2.0
# A row in pieces that is stored in place in each turn of a loop: no turn loads what the one before
# it stored.
# only: interp cpu sim:h100 sim:a100 cuda
# case: x = i8[4095] any, z = i64[4095] zero, n = 4095, T = 3, B = 4096
# options: num_warps = 1
# want: s = cumsum(i64(x) & 127, 0); x == i8((s + min(s)) & 127); z == i64(x)
# case: x = i8[4095] any, z = i64[4095] zero, n = 4095, T = 0, B = 4096
# options: num_warps = 1
# want: x == x
import triton
import triton.language as tl


@triton.jit
def again(x, z, n, T, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i, mask=i < n, other=0).to(tl.int64)
    for t in range(0, T):
        tl.store(z + i, a, mask=i < n)
    s = tl.cumsum(a & 127, axis=0)
    s += tl.min(s, axis=0)
    for t in range(0, T):
        tl.store(x + i, (s & 127).to(tl.int8), mask=i < n)
