# SPDX-License-Identifier: Apache-2.0
# A bool in memory is a byte: not 0 is true.
# case: x = fp32[64] normal, y = i1[64], z = i32[64]
# want: y == (x > 0); z == (x > 0)
import triton
import triton.language as tl


@triton.jit
def flags(x, y, z):
    i = tl.arange(0, 64)
    tl.store(y + i, tl.load(x + i) > 0)
    tl.debug_barrier()
    tl.store(z + i, tl.load(y + i).to(tl.int32))
