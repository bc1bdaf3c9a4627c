# SPDX-License-Identifier: Apache-2.0
# Offsets that would leave 32 bits had the remainder gone on counting past the size: it has not.
# case: x = f32[1000] normal, y = f32[64], start = 0, size = 10, stride = 200000000
# want: o = fmod(start + arange(64), size); y == where(o == 0, take(x, arange(64) * 0), 7)
# case: x = f32[1000] normal, y = f32[64], start = 8, size = 10, stride = 200000000
# case: x = f32[1000] normal, y = f32[64], start = 0, size = 40, stride = 50000000
import triton
import triton.language as tl


@triton.jit
def remainder_far(x, y, start, size, stride):
    lanes = tl.arange(0, 64)
    offsets = (start + lanes) % size
    tl.store(y + lanes, tl.load(x + offsets * stride, mask=offsets == 0, other=7.0))
