# SPDX-License-Identifier: Apache-2.0
# Functions of f32 within a few units in the last place.
# tolerance: 2e-6 1e-6
# case: x = fp32[512] uniform, y = fp32[512, 12]
# want: y[:, 0] == exp(x); y[:, 1] == exp2(x); y[:, 2] == log(x + 0.5); y[:, 3] == log2(x + 0.5)
# want: y[:, 4] == sqrt(x); y[:, 5] == rsqrt(x + 0.1); y[:, 6] == sin(x); y[:, 7] == cos(x); y[:, 8] == erf(x)
# want: y[:, 9] == abs(x - 0.5); y[:, 10] == floor(f32(x * 9 - 4)); y[:, 11] == ceil(f32(x * 9 - 4))
import triton
import triton.language as tl


@triton.jit
def functions(x, y):
    i = tl.arange(0, 512)
    v = tl.load(x + i)
    o = y + i * 12
    tl.store(o, tl.exp(v))
    tl.store(o + 1, tl.exp2(v))
    tl.store(o + 2, tl.log(v + 0.5))
    tl.store(o + 3, tl.log2(v + 0.5))
    tl.store(o + 4, tl.sqrt(v))
    tl.store(o + 5, tl.rsqrt(v + 0.1))
    tl.store(o + 6, tl.sin(v))
    tl.store(o + 7, tl.cos(v))
    tl.store(o + 8, tl.erf(v))
    tl.store(o + 9, tl.abs(v - 0.5))
    tl.store(o + 10, tl.floor(v * 9 - 4))
    tl.store(o + 11, tl.ceil(v * 9 - 4))
