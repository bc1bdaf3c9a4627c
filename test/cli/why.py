# SPDX-License-Identifier: Apache-2.0
# Kernels of which it is known what bounds them (test/cli/why.sh).
import triton
import triton.language as tl


@triton.jit
def chains(x, y, n, BLOCK: tl.constexpr):
    """512 operations for each element; of 1024 threads with 32 elements each one block fits."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n, other=0.0)
    b = a + 1.0
    for _ in tl.static_range(128):
        a = tl.fma(a, 0.5, 0.25)
        b = tl.fma(b, 0.5, 0.25)
    tl.store(y + i, a + b, mask=i < n)


@triton.jit
def turns(x, y, N: tl.constexpr, TIMES: tl.constexpr):
    """A tile in shared memory, of which columns are read again and again: each is in one bank."""
    i = tl.arange(0, N * N)
    at = tl.program_id(0) * N * N + i
    v = tl.load(x + at)
    for _ in range(TIMES):
        v = tl.gather(v, (i % N) * N + i // N, 0)
    tl.store(y + at, v)


@triton.jit
def wide(x, y, N: tl.constexpr):
    """More sums than a thread has registers."""
    i = tl.arange(0, N)
    a = tl.load(x + i[:, None] * 16 + tl.arange(0, 16)[None, :])
    b = tl.load(x + tl.arange(0, 16)[:, None] * N + i[None, :])
    sums = tl.zeros([N, N], dtype=tl.float32)
    for _ in range(4):
        sums = tl.dot(a, b, sums) * 0.5
    tl.store(y + i[:, None] * N + i[None, :], sums)


@triton.jit
def held(x, t, y, N: tl.constexpr, BLOCK: tl.constexpr):
    """A tile that is alive while addresses are followed: its registers keep other programs out."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    at = (tl.sum(v, 0) > 1e30).to(tl.int32)
    for _ in range(N):
        at = tl.load(t + at)
    tl.store(y + i, v + at.to(tl.float32))


@triton.jit
def chase(t, y, n, N: tl.constexpr):
    """Each load's address is what the one before it gave."""
    at = tl.program_id(0) * 0
    for _ in range(N):
        at = tl.load(t + at)
    tl.store(y + tl.program_id(0), at)


@triton.jit
def eight(x, y, BLOCK: tl.constexpr):
    """Eight chains of operations for each element: as many as a CPU's units take at a time."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b, c, d, e, f, g, h = a + 1.0, a + 2.0, a + 3.0, a + 4.0, a + 5.0, a + 6.0, a + 7.0
    for _ in tl.static_range(64):
        a = tl.fma(a, 0.5, 0.25)
        b = tl.fma(b, 0.5, 0.25)
        c = tl.fma(c, 0.5, 0.25)
        d = tl.fma(d, 0.5, 0.25)
        e = tl.fma(e, 0.5, 0.25)
        f = tl.fma(f, 0.5, 0.25)
        g = tl.fma(g, 0.5, 0.25)
        h = tl.fma(h, 0.5, 0.25)
    tl.store(y + i, a + b + c + d + e + f + g + h)


@triton.jit
def six(x, y, BLOCK: tl.constexpr):
    """Six of them: no thread is much faster where others on its core are done."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b, c, d, e, f = a + 1.0, a + 2.0, a + 3.0, a + 4.0, a + 5.0
    for _ in tl.static_range(64):
        a = tl.fma(a, 0.5, 0.25)
        b = tl.fma(b, 0.5, 0.25)
        c = tl.fma(c, 0.5, 0.25)
        d = tl.fma(d, 0.5, 0.25)
        e = tl.fma(e, 0.5, 0.25)
        f = tl.fma(f, 0.5, 0.25)
    tl.store(y + i, a + b + c + d + e + f)
