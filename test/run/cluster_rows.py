# SPDX-License-Identifier: Apache-2.0
# Tiles of several long rows, which have nothing to do with each other: on a GPU that has clusters each block has a row, or several blocks have one and tell only each
# other what they reduce. Where rows are added up, or one reads what another writes, a program does all of them.
# options: num_warps = 8
# case: x = fp32[3, 30001] normal, y = fp32[3, 30001], most = fp32[3], at = i32[3], count = i32[2], m = 3, n = 30001, R = 2, B = 32768
# kernel: softmax
# grid: 2
# tolerance: 1e-5 1e-9
# want: e = exp(x - max(x, 1)); y == e / sum(e, 1); most == max(x, 1)[:, 0]; at == argmax(x, 1)[:, 0]; count == 30001
# case: x = bf16[4, 40008] normal, y = bf16[4, 40008], most = fp32[4], at = i32[4], count = i32[1], m = 4, n = 40008, R = 4, B = 65536
# grid: 1
# tolerance: 1e-2 1e-7
# want: e = exp(x - max(x, 1)); y == e / sum(e, 1); most == max(x, 1)[:, 0]; at == argmax(x, 1)[:, 0]; count == 40008
# case: x = fp32[1, 100003] normal, y = fp32[1, 100003], most = fp32[1], at = i32[1], count = i32[1], m = 1, n = 100003, R = 1, B = 131072
# grid: 1
# tolerance: 1e-5 1e-9
# want: e = exp(x - max(x, 1)); y == e / sum(e, 1); most == max(x, 1)[:, 0]; at == argmax(x, 1)[:, 0]; count == 100003
# case: x = fp32[2, 32768] small, y = fp32[2, 32768], total = fp32[32768], n = 32768, R = 2, B = 32768
# kernel: added
# grid: 1
# want: y == x - max(x, 1); total == sum(x, 0)[0, :]
# case: x = i32[2, 32768] small, y = i32[4, 32768], n = 32768, R = 2, B = 32768
# kernel: turned
# grid: 1
# want: y[:2, :] == x; y[2:3, :] == x[1:2, :] + sum(x, 1)[1:2, :]; y[3:4, :] == x[0:1, :] + sum(x, 1)[0:1, :]
import triton
import triton.language as tl


# Of each row something is stored, and of the program.
@triton.jit
def softmax(x, y, most, at, count, m, n, R: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    i = tl.arange(0, B)
    inside = (r[:, None] < m) & (i[None, :] < n)
    p = r[:, None] * n + i[None, :]
    v = tl.load(x + p, mask=inside, other=-float("inf")).to(tl.float32)
    top, where = tl.max(v, axis=1, return_indices=True)
    e = tl.exp(v - top[:, None])
    tl.store(y + p, e / tl.sum(e, axis=1)[:, None], mask=inside)
    tl.store(most + r, top, mask=r < m)
    tl.store(at + r, where, mask=r < m)
    tl.store(count + tl.program_id(0), n)


@triton.jit
def added(x, y, total, n, R: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    p = tl.arange(0, R)[:, None] * n + i[None, :]
    v = tl.load(x + p)
    tl.store(y + p, v - tl.max(v, axis=1)[:, None])
    tl.store(total + i, tl.sum(v, axis=0))


# A row reads what another one has written.
@triton.jit
def turned(x, y, n, R: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)[None, :]
    r = tl.arange(0, R)[:, None]
    tl.store(y + r * n + i, tl.load(x + r * n + i))
    tl.debug_barrier()
    v = tl.load(y + (R - 1 - r) * n + i)
    tl.store(y + (R + r) * n + i, v + tl.sum(v, axis=1)[:, None])
