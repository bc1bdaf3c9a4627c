# SPDX-License-Identifier: Apache-2.0
# Loops and ifs that were unrolled: those that differ in names and numbers become one function on
# the cpu. Each leaves carried scalars and tiles behind; a loop in a loop remembers between its turns.
# case: x = f32[48, 160] normal, y = f32[48, 160] zero, s = f32[48] zero, c = i32[48] zero, n = 160, m = 41, t = i32[2] zero, N = 48
# want: y[:41] == (x * 2)[:41]; y[41:] == (x * 0)[41:]
# want: s[:41] == reshape(sum(x, 1), 48)[:41]; s[41:] == -1
# want: c[:41] == 3; c[41:] == 0
# want: t[0] == 123; t[1] == 7
import triton
import triton.language as tl


@triton.jit
def blocks(x, y, s, c, n, m, t, N: tl.constexpr):
    o = tl.arange(0, 64)
    turns = 0
    missed = 0
    for j in tl.static_range(N):
        if j < m:
            total = 0.0
            both = tl.zeros([64], tl.float32)
            for at in range(0, n, 64):
                inside = at + o < n
                v = tl.load(x + j * n + at + o, mask=inside, other=0)
                tl.store(y + j * n + at + o, v * 2, mask=inside)
                total += tl.sum(v, 0)
                both += v
                turns += 1
            count = 0
            while count * 64 < n:
                count += 1
            tl.store(c + j, count)
            tl.store(s + j, (total + tl.sum(both, 0)) / 2)
        else:
            missed += 1
            tl.store(s + j, -1.0)
    tl.store(t, turns)
    tl.store(t + 1, missed)
