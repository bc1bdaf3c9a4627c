# SPDX-License-Identifier: Apache-2.0
# Accesses of all forms, by which argument: inside of their buffers, or one of them outside.
import sys

import torch
import triton
import triton.language as tl


@triton.jit
def row(x, y, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + o, tl.load(x + o))


@triton.jit
def masked(x, y, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + o, tl.load(x + o, mask=o < n), mask=o < n)


@triton.jit
def gather(x, y, indices, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    i = tl.load(indices + o, mask=o < n, other=0)
    tl.store(y + o, tl.load(x + i, mask=o < n), mask=o < n)


@triton.jit
def scatter(x, y, indices, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    i = tl.load(indices + o, mask=o < n, other=0)
    v = tl.load(x + o, mask=o < n)
    tl.store(y + i, v, mask=o < n)


@triton.jit
def scalar(x, y, at):
    place = x + at
    tl.store(y, tl.load(place))


@triton.jit
def tile(x, y, rows, columns, stride, R: tl.constexpr, C: tl.constexpr):
    r, c = tl.arange(0, R)[:, None], tl.arange(0, C)[None, :]
    v = tl.load(x + r * stride + c, mask=(r < rows) & (c < columns), other=0)
    tl.store(y + r * C + c, v)


@triton.jit
def uniform(x, y, at, R: tl.constexpr, C: tl.constexpr):
    r, c = tl.arange(0, R)[:, None], tl.arange(0, C)[None, :]
    v = tl.load(x + at + r) + (c * 0)
    tl.store(y + r * C + c, v)


@triton.jit
def strided(x, y, stride, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(y + o, tl.load(x + o * stride))


@triton.jit
def atomic(x, indices, n, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    i = tl.load(indices + o, mask=o < n, other=0)
    tl.atomic_add(x + i, 1.0, mask=o < n)


@triton.jit
def carried(x, y, turns, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    p, sums = x + o, tl.zeros((BLOCK,), tl.float32)
    for _ in range(turns):
        sums += tl.load(p)
        p += BLOCK
    tl.store(y + o, sums)


@triton.jit
def pointer(table, y, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(y + o, tl.load(tl.load(table).to(tl.pointer_type(tl.float32)) + o))


@triton.jit
def number(y, address: tl.int64, on: tl.constexpr):
    if on:
        tl.store(y, tl.load(address.to(tl.pointer_type(tl.float32))))


n = 5000
x, y = torch.arange(n, dtype=torch.float32), torch.zeros(n)
narrow, wide = torch.zeros(n, dtype=torch.int32), torch.zeros(n, dtype=torch.int64)
grid = (triton.cdiv(n, 1024),)


def inside():
    right = 0

    def see(got, want):
        nonlocal right
        right += 1
        assert torch.equal(got, want), right

    row[(4,)](x, y, n, BLOCK=1024)
    see(y[:4096], x[:4096])
    masked[grid](x, y, n, BLOCK=1024)
    see(y, x)
    masked[grid](x, y, 777, BLOCK=1024)
    see(y, x)
    reverse = torch.arange(n - 1, -1, -1, dtype=torch.int32)
    gather[grid](x, y, reverse, n, BLOCK=1024)
    see(y, n - 1 - x)
    gather[grid](x, y, reverse.to(torch.int64), n, BLOCK=1024)
    see(y, n - 1 - x)
    scatter[grid](x, y, reverse, n, BLOCK=1024)
    see(y, n - 1 - x)
    scalar[(1,)](x, y, n - 1)
    see(y[:1], x[n - 1:])
    z = torch.zeros(64, 64)
    square = torch.arange(64 * 64, dtype=torch.float32).view(64, 64)
    tile[(1,)](square, z, 64, 64, 64, R=64, C=64)
    see(z, square)
    z = torch.zeros(64, 64)
    tile[(1,)](square, z, 61, 50, 64, R=64, C=64)
    see(z[:61, :50], square[:61, :50])
    uniform[(1,)](x, z, n - 64, R=64, C=64)
    see(z[:, 5], x[n - 64:])
    strided[(1,)](x, y, 39, BLOCK=128)
    see(y[:128], x[:128] * 39)
    counts = torch.zeros(n)
    atomic[(1,)](counts, reverse, 100, BLOCK=128)
    see(counts[n - 100:], torch.ones(100))
    carried[(1,)](torch.ones(5120), y, 5, BLOCK=1024)
    see(y[:1024], torch.full((1024,), 5.0))
    pointer[(1,)](torch.tensor([x.data_ptr()]), y, BLOCK=128)
    see(y[:128], x[:128])
    print(right, 'kernels are right')


def outside(which):
    narrow[77], wide[77] = -100000 if which == 'scatter' else 1 << 30, 1 << 30
    if which == 'row':
        row[(7,)](x, y, n, BLOCK=1024)
    if which == 'masked':
        masked[(60,)](x, y, 60000, BLOCK=1024)
    if which == 'before':
        narrow[77] = -(1 << 30)
    if which in ('gather', 'before'):
        gather[grid](x, y, narrow, n, BLOCK=1024)
    if which == 'wide':
        gather[grid](x, y, wide, n, BLOCK=1024)
    if which == 'scatter':
        scatter[grid](x, y, narrow, n, BLOCK=1024)
    if which == 'scalar':
        scalar[(1,)](x, y, 1 << 29)
    if which == 'near': # the first that is outside, as memory is given out
        scalar[(1,)](x, y, 5120)
    if which == 'tile':
        tile[(1,)](x, y, 60, 50, 64000, R=64, C=64)
    if which == 'uniform':
        uniform[(1,)](x, y, 1000000, R=64, C=64)
    if which == 'strided':
        strided[(1,)](x, y, 40960000, BLOCK=16)
    if which == 'atomic':
        narrow[77] = 99999999
        atomic[(1,)](x, narrow, 100, BLOCK=128)
    if which == 'carried':
        carried[(1,)](x, y, 1000, BLOCK=1024)
    if which == 'null':
        pointer[(1,)](torch.tensor([4096]), y, BLOCK=128)
    if which == 'number':
        number[(1,)](y, 1234567, True)


if sys.argv[1] == 'inside':
    inside()
else:
    before = y.clone()
    try:
        outside(sys.argv[1])
    except RuntimeError:
        if sys.argv[1] in ('row', 'masked', 'scatter', 'tile'): # other programs, lanes, rows
            before = y.clone()
        print('unchanged' if torch.equal(before, y) else 'changed')
        raise
