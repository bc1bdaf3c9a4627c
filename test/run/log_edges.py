# SPDX-License-Identifier: Apache-2.0
# Logarithms in a loop: rows of positive normal numbers alone, and such with all the others among them.
# case: x = fp32[5000] uniform, y = fp32[5000], z = fp32[5000], n = 5000, B = 2048
# kernel: logs
# grid: 1
# tolerance: 1e-6 1e-6
# want: y == log(x + 0.001); z == log(x + 0.001) / log(2)
# case: x = fp32[8] {1, 0, -1, inf, nan, 1e-40, 3e38, 1.2e-38}, y = fp32[8], z = fp32[8], n = 8, B = 2048
# kernel: odd
# want: y[0] == 0; y[1] == -inf; y[2] == nan; y[3] == inf; y[4] == nan; y[5] == -92.103404; y[6] == 88.59685; y[7] == -87.315912
# want: z[0] == 0; z[1] == -inf; z[2] == nan; z[3] == inf; z[4] == nan; z[5] == -132.87712; z[6] == 127.81823; z[7] == -125.97023
import triton
import triton.language as tl


@triton.jit
def logs(x, y, z, n, B: tl.constexpr):
    for s in range(0, n, B):
        i = s + tl.arange(0, B)
        v = tl.load(x + i, mask=i < n, other=1.0) + 1e-3
        tl.store(y + i, tl.log(v), mask=i < n)
        tl.store(z + i, tl.log2(v), mask=i < n)


@triton.jit
def odd(x, y, z, n, B: tl.constexpr):
    for s in range(0, 2 * B, B):
        i = s + tl.arange(0, B)
        k = (i + i // 128) % n  # a thread has several of them
        v = tl.load(x + k)
        tl.store(y + k, tl.log(v))
        tl.store(z + k, tl.log2(v))
