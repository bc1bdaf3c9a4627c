# SPDX-License-Identifier: Apache-2.0
# argmax and argmin give the first place of several.
# case: x = i32[16, 64] small, y = i32[16, 2]
# kernel: place
# want: y[:, 0] == argmax(x, 1)[:, 0]; y[:, 1] == argmin(x, 1)[:, 0]
# case: x = fp32[16, 64] normal, y = i32[16, 2]
# case: x = i32[300] small, z = i32[300] small, s = i32[2], n = 300
# kernel: overwritten
# want: s[0] == argmax(x, 0); s[1] == sum(x + z, 0); z == x
import triton
import triton.language as tl


@triton.jit
def place(x, y):
    i = tl.arange(0, 16)
    v = tl.load(x + i[:, None] * 64 + tl.arange(0, 64)[None, :])
    tl.store(y + i * 2, tl.argmax(v, axis=1))
    tl.store(y + i * 2 + 1, tl.argmin(v, axis=1))


# What waits while the places are compared was loaded before the store.
@triton.jit
def overwritten(x, z, s, n):
    i = tl.arange(0, 512)
    a = tl.load(z + i, mask=i < n, other=0)
    b = tl.load(x + i, mask=i < n, other=-99)
    place = tl.argmax(b, 0)
    tl.store(z + i, b, mask=i < n)
    tl.store(s, place)
    tl.store(s + 1, tl.sum(tl.where(i < n, a + b, 0), 0))
