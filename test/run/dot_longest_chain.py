# SPDX-License-Identifier: Apache-2.0
# A loop's bound of very many paths from the program's index: it is compiled as fast as others.
# tolerance: 1e-3 1e-3
# grid: 3
# want: o[:16] == 0; o[16:32] == 2 * (x @ y); o[32:48] == 2 * (x @ y)
# case: x = fp16[16, 16] normal, y = fp16[16, 16] normal, o = fp32[48, 16]
import triton
import triton.language as tl


@triton.jit
def chain(x, y, o):
    start = tl.program_id(0)
    bound = start
    for _ in tl.static_range(60):
        bound = bound + bound * bound
    i = tl.arange(0, 16)
    acc = tl.zeros((16, 16), tl.float32)
    for _ in range(0, (bound & 2) * 16, 16):
        acc = tl.dot(tl.load(x + i[:, None] * 16 + i[None, :]), tl.load(y + i[:, None] * 16 + i[None, :]), acc)
    tl.store(o + start * 256 + i[:, None] * 16 + i[None, :], acc)
