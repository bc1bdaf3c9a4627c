# SPDX-License-Identifier: Apache-2.0
# Helpers on numbers known at compile time, at and around their steps; on numbers known at run time.
# case: y = i32[6], n = 17
# want: y[0] == 5; y[1] == 32; y[2] == 0; y[3] == 4; y[4] == 1; y[5] == 2
import triton
import triton.language as tl


@triton.jit
def numbers(y, n):
    tl.static_assert(triton.next_power_of_2(0) == 0)
    tl.static_assert(triton.next_power_of_2(1) == 1)
    tl.static_assert(triton.next_power_of_2(2) == 2)
    tl.static_assert(triton.next_power_of_2(3) == 4)
    tl.static_assert(triton.next_power_of_2(4) == 4)
    tl.static_assert(triton.next_power_of_2(5) == 8)
    tl.static_assert(triton.next_power_of_2(1 << 40) == 1 << 40)
    tl.static_assert(tl.cdiv(0, 4) == 0)
    tl.static_assert(tl.cdiv(1, 4) == 1)
    tl.static_assert(tl.cdiv(4, 4) == 1)
    tl.static_assert(tl.cdiv(5, 4) == 2)
    tl.store(y, tl.cdiv(n, 4))
    tl.store(y + 1, triton.next_power_of_2(17))
    tl.store(y + 2, tl.cdiv(n - 17, 4))
    tl.store(y + 3, tl.cdiv(n - 1, 4))
    tl.store(y + 4, n % 4)
    tl.store(y + 5, (n + 3) // 8)
