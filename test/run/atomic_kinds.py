# SPDX-License-Identifier: Apache-2.0
# max, min and xor of all; and, or and xchg under a mask that is never set.
# case: x = i32[256] any, y = i32[6] {-2147483648, 2147483647, -1, 0, 0, 5}
# grid: 4
# want: y[0] == max(x, 0)[0]; y[1] == min(x, 0)[0]; y[4] == xor_sum(x, 0)[0]
import triton
import triton.language as tl


@triton.jit
def kinds(x, y):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    v = tl.load(x + i)
    tl.atomic_max(y + i * 0, v)
    tl.atomic_min(y + 1 + i * 0, v)
    tl.atomic_and(y + 2 + i * 0, v, mask=i < 0)
    tl.atomic_or(y + 3 + i * 0, v, mask=i < 0)
    tl.atomic_xor(y + 4 + i * 0, v)
    tl.atomic_xchg(y + 5 + i * 0, v, mask=i < 0)
