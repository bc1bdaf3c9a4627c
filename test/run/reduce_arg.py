# SPDX-License-Identifier: Apache-2.0
# argmax and argmin give the first place of several.
# case: x = i32[16, 64] small, y = i32[16, 2]
# want: y[:, 0] == argmax(x, 1)[:, 0]; y[:, 1] == argmin(x, 1)[:, 0]
# case: x = fp32[16, 64] normal, y = i32[16, 2]
import triton
import triton.language as tl


@triton.jit
def place(x, y):
    i = tl.arange(0, 16)
    v = tl.load(x + i[:, None] * 64 + tl.arange(0, 64)[None, :])
    tl.store(y + i * 2, tl.argmax(v, axis=1))
    tl.store(y + i * 2 + 1, tl.argmin(v, axis=1))
