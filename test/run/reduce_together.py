# SPDX-License-Identifier: Apache-2.0
# Reductions that could go through a block together, and may not: along other axes of a square, of other
# shapes, or where what is stored of the first is loaded for the second. And those that may.
# options: num_warps = 4
# case: x = i32[32, 32] small, y = i32[64]
# kernel: axes
# want: y[:32] == sum(x, 0)[0]; y[32:] == sum(x, 1)[:, 0]
# case: x = i32[32, 32] small, y = i32[64]
# kernel: shapes
# want: y[:32] == sum(x, 0)[0]; y[32:] == sum(x[:16], 0)[0]
# case: x = i32[128] small, y = i32[2]
# kernel: stored_between
# want: y[0] == sum(x, 0); y[1] == 2 * sum(x, 0) - x[0]; x[0] == sum(x, 0)
# case: x = i32[128] small, y = i32[3]
# kernel: next_to
# want: y[0] == 3 * sum(x, 0) + 1; y[1] == max(x, 0); y[2] == sum(x * x, 0) + 3 * sum(x, 0) + 1
import triton
import triton.language as tl


@triton.jit
def axes(x, y):
    i = tl.arange(0, 32)
    v = tl.load(x + i[:, None] * 32 + i[None, :])
    a = tl.sum(v, 0)
    b = tl.sum(v, 1)
    tl.store(y + i, a)
    tl.store(y + 32 + i, b)


@triton.jit
def shapes(x, y):
    i = tl.arange(0, 32)
    j = tl.arange(0, 16)
    v = tl.load(x + i[:, None] * 32 + i[None, :])
    w = tl.load(x + j[:, None] * 32 + i[None, :])
    a = tl.sum(v, 0)
    b = tl.sum(w, 0)
    tl.store(y + i, a)
    tl.store(y + 32 + i, b)


@triton.jit
def stored_between(x, y):
    i = tl.arange(0, 128)
    a = tl.sum(tl.load(x + i), 0)
    tl.store(x, a)
    b = tl.sum(tl.load(x + i), 0)
    tl.store(y, a)
    tl.store(y + 1, b)


@triton.jit
def next_to(x, y):
    i = tl.arange(0, 128)
    v = tl.load(x + i)
    a = tl.sum(v, 0) * 3 + 1
    b = tl.max(v, 0)
    c = tl.sum(v * v, 0)
    tl.store(y, a)
    tl.store(y + 1, b)
    tl.store(y + 2, c + a)
