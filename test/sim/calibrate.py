# SPDX-License-Identifier: Apache-2.0
# Micro-kernels whose traffic on a GPU is measured once and compared with what sim counts: see
# tools/sim-calibrate. One feature each, small, no branches.
import triton
import triton.language as tl


@triton.jit
def copy(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))


@triton.jit
def strided(x, y, S: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i * S))


@triton.jit
def scattered(x, y, S: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i * S, tl.load(x + i))


@triton.jit
def masked(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n, other=0.0), mask=i < n)


@triton.jit
def gathered(x, y, M: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(y + i, tl.gather(v, (i * M) % BLOCK, 0))


@triton.jit
def transposed(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i[:, None] * N + i[None, :])
    tl.store(y + i[:, None] * N + i[None, :], tl.trans(v))


@triton.jit
def summed(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + tl.program_id(0), tl.sum(tl.load(x + tl.program_id(0) * BLOCK + i), 0))


@triton.jit
def product(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i[:, None] * N + i[None, :])
    tl.store(y + i[:, None] * N + i[None, :], tl.dot(v, v))


@triton.jit
def added(x, y, S: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(y + i * S, tl.load(x + i))


@triton.jit
def exchanged(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.atomic_xchg(y + i, tl.load(x + i)))


@triton.jit
def counted(x, y, M: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + tl.arange(0, 64), tl.histogram((tl.load(x + i) + i) % M, 64))
