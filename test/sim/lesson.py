# SPDX-License-Identifier: Apache-2.0
# The kernels of doc/sim.md: the same work done in ways that cost a GPU more or less.
import triton
import triton.language as tl


@triton.jit
def copy_strided(x, y, n, STRIDE: tl.constexpr, BLOCK: tl.constexpr):
    """Neighbouring threads read elements that are STRIDE apart."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = (i % (n // STRIDE)) * STRIDE + i // (n // STRIDE)
    tl.store(y + j, tl.load(x + j))


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    """Neighbouring threads read neighbouring elements."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))


@triton.jit
def transpose_gather(x, y, N: tl.constexpr):
    """Transposes a tile in shared memory as it lies: a column is all in one bank."""
    i = tl.arange(0, N * N)
    v = tl.load(x + i)
    tl.store(y + i, tl.gather(v, (i % N) * N + i // N, 0))


@triton.jit
def transpose(x, y, N: tl.constexpr):
    """The compiler turns the tile, and stores it so that neither rows nor columns share a bank."""
    i = tl.arange(0, N)
    v = tl.load(x + i[:, None] * N + i[None, :])
    tl.store(y + i[:, None] * N + i[None, :], tl.trans(v))
