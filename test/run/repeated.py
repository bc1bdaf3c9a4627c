# SPDX-License-Identifier: Apache-2.0
# Text that was unrolled and says the same each time: on the cpu one function of no numbers.
# case: x = i32[64] small, y = i32[64] zero
# want: y == i32(x * 344978448)
import triton
import triton.language as tl


@triton.jit
def repeated(x, y):
    i = tl.arange(0, 64)
    for _ in tl.static_range(40):
        tl.store(y + i, tl.load(y + i) * 3 + tl.load(x + i))
        tl.debug_barrier()
