# SPDX-License-Identifier: Apache-2.0
# Programs that walk over tiles of a product in other ways than from the first on, one by one: from the
# last; by steps that pass the largest number; without a sign; by what is carried; in loops in loops;
# with what is stored, or loaded, on the way, or before. Multiplied is a tile of b by those of a.
# options: num_warps = 4, num_stages = 4
# case: a = fp16[192, 192] small, b = fp16[192, 64] small, c = fp16[192, 64], z = i32[3] zero, K = 192, first = 2, end = -1, STEP = -1, KIND = 0
# kernel: products
# want: c == a @ b
# case: a = fp16[192, 192] small, b = fp16[192, 64] small, c = fp16[192, 64], z = i32[3] zero, K = 192, first = 0, end = 3, STEP = 1, KIND = 0
# case: a = fp16[192, 192] small, b = fp16[192, 64] small, c = fp16[192, 64], z = i32[3] zero, K = 192, first = 0, end = 2147483647, STEP = 1000000000, KIND = 1
# case: a = fp16[192, 192] small, b = fp16[192, 64] small, c = fp16[192, 64], z = i32[3] zero, K = 192, first = 0, end = 3, STEP = 1, KIND = 2
# case: a = fp16[192, 192] small, b = fp16[192, 64] small, c = fp16[192, 64], z = i32[3] zero, K = 192, first = 0, end = 3, STEP = 1, KIND = 3
# case: a = fp16[192, 192] small, b = fp16[192, 64] small, c = fp16[192, 64], z = i32[3] {2, 0, 1}, K = 192, first = 0, end = 3, STEP = 1, KIND = 4
# case: a = fp16[192, 192] small, b = fp16[192, 64] small, c = fp16[192, 64], z = i32[3] zero, K = 192, first = 0, end = 3, STEP = 1, KIND = 5
# want: c == a @ b; z == arange(3)
# case: a = fp16[192, 192] small, b = fp16[192, 64] small, c = fp16[192, 64], z = i32[3] zero, K = 192, first = 0, end = 3, STEP = 1, KIND = 6
# want: c == a @ b * 2
# case: a = fp16[192, 192] small, b = fp16[192, 64] small, c = fp16[192, 64], z = i32[3] zero, K = 192, first = 2147483646, end = 2147483649
# kernel: unsigned
# want: c == a @ b
# case: a = fp16[192, 192] small, b = fp16[192, 64] small, c = fp16[192, 64], z = i32[3] zero, K = 192
# kernel: written
# want: c[:64] == (a @ b)[:64] * 2; b == b * 2
import triton
import triton.language as tl


@triton.jit
def products(a, b, c, z, first, end, K, STEP: tl.constexpr, KIND: tl.constexpr):
    i = tl.arange(0, 64)
    row = i
    for again in range(0, 2 if KIND == 3 else 1):
        for at in range(first, end, STEP):
            tile = at // 1000000000 if KIND == 1 else at
            if KIND == 4:
                tile = tl.load(z + at)
            if KIND != 2:
                row = tile * 64 + i
            if KIND == 5:
                tl.store(z + tile, tile)
            sums = tl.zeros((64, 64), tl.float32)
            for k in range(0, K, 64):
                x = tl.load(a + row[:, None] * 192 + (k + i)[None, :])
                y = tl.load(b + (k + i)[:, None] * 64 + i[None, :])
                sums = tl.dot(x, y, sums)
            place = c + row[:, None] * 64 + i[None, :]
            if KIND == 6:
                tl.store(place, sums.to(tl.float16))
                tl.debug_barrier()
                sums += tl.load(place).to(tl.float32)
            tl.store(place, sums.to(tl.float16))
            if KIND == 2:
                row += 64


@triton.jit
def unsigned(a, b, c, z, first, end, K):
    i = tl.arange(0, 64)
    for at in range(first.to(tl.uint32), end.to(tl.uint32), 1):
        row = (at - 2147483646).to(tl.int32) * 64 + i
        sums = tl.zeros((64, 64), tl.float32)
        for k in range(0, K, 64):
            x = tl.load(a + row[:, None] * 192 + (k + i)[None, :])
            y = tl.load(b + (k + i)[:, None] * 64 + i[None, :])
            sums = tl.dot(x, y, sums)
        tl.store(c + row[:, None] * 64 + i[None, :], sums.to(tl.float16))


@triton.jit
def written(a, b, c, z, K):
    i = tl.arange(0, 64)
    sums = tl.zeros((64, 64), tl.float32)
    for k in range(0, K, 64):
        place = b + (k + i)[:, None] * 64 + i[None, :]
        tl.store(place, tl.load(place) * 2)
    for k in range(0, K, 64):
        x = tl.load(a + i[:, None] * 192 + (k + i)[None, :])
        y = tl.load(b + (k + i)[:, None] * 64 + i[None, :])
        sums = tl.dot(x, y, sums)
    tl.store(c + i[:, None] * 64 + i[None, :], sums.to(tl.float16))
