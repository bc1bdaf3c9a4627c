# SPDX-License-Identifier: Apache-2.0
# A tensor with as many dimensions of two elements as one can have, and dimensions of one beside
# them, to 32; its first dimension goes behind the others.
# case: x = i32[4096] any, y = i32[4096]
# want: i = arange(4096); y == take(x, i // 2 + i % 2 * 2048)
import triton
import triton.language as tl


@triton.jit
def deepest(x, y):
    i = tl.arange(0, 4096)
    a = tl.reshape(tl.load(x + i), (2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2))
    for _ in tl.static_range(20):
        a = a[:, None]
    a = tl.trans(a, (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
                     17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 0))
    tl.store(y + i, tl.reshape(a, (4096,)))
