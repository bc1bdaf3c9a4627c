# SPDX-License-Identifier: Apache-2.0
# Random integers are Philox 4x32-10, bit for bit.
# case: y = u32[256], seed = 42
# want: y == philox(seed, arange(256), 0)
# case: y = u32[256], seed = i64(123456789012345)
import triton
import triton.language as tl


@triton.jit
def draw(y, seed):
    i = tl.arange(0, 256)
    tl.store(y + i, tl.randint(seed, i).to(tl.uint32, bitcast=True))
