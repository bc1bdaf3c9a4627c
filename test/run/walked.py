# SPDX-License-Identifier: Apache-2.0
# Loops whose pointers move on: by a number and by an argument, forwards and backwards, in a loop in another
# one, beside a pointer that stays, with loads under a condition, with stores, and with no turn at all.
# case: a = fp32[5, 77] small, b = fp32[200] small, y = fp32[5, 3] zero, z = fp32[5, 96] zero, n = 77, back = 1
# want: y[:, 0:1] == reshape(sum(a * b[:77], 1), 5, 1); y[:, 1:2] == reshape(sum(a * reshape(take(b, 76 - arange(77)), 1, 77), 1), 5, 1); z[:, :77] == a + b[:77]; z[:, 77:] == 0
# case: a = fp32[5, 77] small, b = fp32[200] small, y = fp32[5, 3] zero, z = fp32[5, 96] zero, n = 0, back = 1
# want: y == 0; z == 0
import triton
import triton.language as tl


@triton.jit
def walk(a, b, y, z, n, back):
    lane = tl.arange(0, 16)
    for row in range(0, 5):
        ap = a + row * 77 + lane
        bp = b + lane
        cp = b + (n - 1) - lane * back
        zp = z + row * 96 + lane
        s = tl.zeros([16], tl.float32)
        t = tl.zeros([16], tl.float32)
        for i in range(0, n, 16):
            mask = i + lane < n
            x = tl.load(ap, mask=mask, other=0.0)
            v = tl.load(bp, mask=mask, other=0.0)
            s += x * v
            t += x * tl.load(cp, mask=mask, other=0.0)
            if i == 32:
                t += tl.load(b + 199) * 0.0 + tl.load(ap, mask=mask, other=0.0) * 0.0
            ap += 16
            bp += 16
            cp -= 16 * back
        ap = a + row * 77 + lane
        for i in range(0, n, 16):
            mask = i + lane < n
            tl.store(zp, tl.load(ap, mask=mask, other=0.0) + tl.load(b + i + lane, mask=mask), mask=mask)
            ap += 16
            zp += 16
        tl.store(y + row * 3, tl.sum(s))
        tl.store(y + row * 3 + 1, tl.sum(t))
