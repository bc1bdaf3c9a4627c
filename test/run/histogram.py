# SPDX-License-Identifier: Apache-2.0
# Counts of each value.
# case: x = u8[256] any, y = i32[256]
# want: y == histogram(x, 256)
import triton
import triton.language as tl


@triton.jit
def count(x, y):
    tl.store(y + tl.arange(0, 256), tl.histogram(tl.load(x + tl.arange(0, 256)).to(tl.int32), 256))
