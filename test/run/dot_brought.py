# SPDX-License-Identifier: Apache-2.0
# Products outside of loops: what they multiply is copied to shared memory where it is loaded, but for what
# is written before it is multiplied; what is masked; beside what a loop has brought there.
# options: num_warps = 4, num_stages = 3
# case: a = fp16[64, 64] small, b = fp16[64, 64] small, y = fp32[64, 64]
# kernel: overwritten
# want: y == a @ b; a == 3
# case: a = fp16[64, 64] small, b = fp16[64, 64] small, y = fp32[64, 64], n = 37
# kernel: masked
# want: i = reshape(arange(64), 64, 1); y == where(i < n, a, 0) @ b
# case: a = fp16[64, 64] small, b = fp16[64, 64] small, y = fp32[64, 64], n = 37
# kernel: masked_by_one
# want: i = reshape(arange(64), 64, 1); y == where(i < n, a, 1) @ b
# case: a = fp16[64, 64] small, b = fp16[192, 64] small, y = fp32[64, 64], z = fp32[64, 64], N = 192
# kernel: beside_a_loop
# want: y == a @ b[:64] + a @ b[64:128] + a @ b[128:]; z == a @ b[:64] + trans(a) @ a
# case: a = fp16[64, 64] small, b = fp16[192, 64] small, y = fp32[64, 64], z = fp32[64, 64], N = 0
# want: y == 0; z == a @ b[:64] + trans(a) @ a
# case: a = fp16[64, 64] small, b = fp16[64, 64] small, y = fp32[64, 64], z = fp32[64, 64]
# kernel: read_elsewhere
# want: y == a @ b + a; z == trans(a) @ b
# case: a = fp16[64, 64] small, b = fp16[64, 64] small, y = fp32[64, 64], z = fp32[64, 64]
# kernel: two_rings
# want: y == a @ b; z == b @ a + a
import triton
import triton.language as tl


@triton.jit
def square(p):
    i = tl.arange(0, 64)
    return p + i[:, None] * 64 + i[None, :]


@triton.jit
def overwritten(a, b, y):
    x = tl.load(square(a))
    w = tl.load(square(b))
    tl.store(square(a), tl.full((64, 64), 3.0, tl.float16))
    tl.store(square(y), tl.dot(x, w))


@triton.jit
def masked(a, b, y, n):
    i = tl.arange(0, 64)
    x = tl.load(square(a), mask=i[:, None] < n, other=0)
    tl.store(square(y), tl.dot(x, tl.load(square(b))))


@triton.jit
def masked_by_one(a, b, y, n):
    i = tl.arange(0, 64)
    x = tl.load(square(a), mask=i[:, None] < n, other=1)
    tl.store(square(y), tl.dot(x, tl.load(square(b))))


@triton.jit
def beside_a_loop(a, b, y, z, N):
    x = tl.load(square(a))
    first = tl.load(square(b))
    sums = tl.zeros((64, 64), tl.float32)
    for n in range(0, N, 64):
        sums = tl.dot(x, tl.load(square(b + n * 64)), sums)
    tl.store(square(y), sums)
    tl.store(square(z), tl.dot(tl.trans(x), x, tl.dot(x, first)))


@triton.jit
def read_elsewhere(a, b, y, z):
    x = tl.load(square(a))
    w = tl.load(square(b))
    tl.store(square(y), tl.dot(x, w) + x)
    tl.store(square(z), tl.dot(tl.trans(x), w))


@triton.jit
def two_rings(a, b, y, z):
    x = tl.load(square(a))
    w = tl.load(square(b))
    tl.store(square(y), tl.dot(x, w))
    v = tl.load(square(b))
    u = tl.load(square(a))
    tl.store(square(z), tl.dot(v, u) + u)
