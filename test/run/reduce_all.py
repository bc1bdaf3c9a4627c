# SPDX-License-Identifier: Apache-2.0
# A reduction without an axis takes all lanes.
# case: x = fp32[8, 16] normal, y = fp32[2]
# want: y[0] == sum(sum(x, 0), 1)[0, 0]; y[1] == max(max(x, 0), 1)[0, 0]
import triton
import triton.language as tl


@triton.jit
def all_of(x, y):
    v = tl.load(x + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :])
    tl.store(y, tl.sum(v))
    tl.store(y + 1, tl.max(v))
