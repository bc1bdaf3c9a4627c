# SPDX-License-Identifier: Apache-2.0
# A spin lock round a read and a write: no update is lost.
# case: lock = i32[1] zero, y = fp32[16] zero
# grid: 100
# want: y == 100 * 99 / 2; lock == 0
import triton
import triton.language as tl


@triton.jit
def locked(lock, y):
    i = tl.arange(0, 16)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(y + i, tl.load(y + i) + tl.program_id(0))
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)
