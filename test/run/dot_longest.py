# SPDX-License-Identifier: Apache-2.0
# Of the programs along the second axis a later one has more turns: a GPU begins with the last.
# tolerance: 1e-3 1e-3
# grid: 2, 3
# want: i = reshape(arange(48), 48, 1); k = reshape(arange(48), 1, 48); o == where(k < (i - i % 16) + 16, x, 0) @ y
# case: x = fp16[48, 48] normal, y = fp16[48, 32] normal, o = fp32[48, 32]
import triton
import triton.language as tl


@triton.jit
def lower(x, y, o):
    columns = tl.program_id(0) * 16 + tl.arange(0, 16)
    start = tl.program_id(1) * 16
    rows = start + tl.arange(0, 16)
    acc = tl.zeros((16, 16), tl.float32)
    for at in range(0, start + 16, 16):
        k = at + tl.arange(0, 16)
        acc = tl.dot(tl.load(x + rows[:, None] * 48 + k[None, :]), tl.load(y + k[:, None] * 32 + columns[None, :]), acc)
    tl.store(o + rows[:, None] * 32 + columns[None, :], acc)
