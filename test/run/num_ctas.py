# SPDX-License-Identifier: Apache-2.0
# A config of several blocks for a program runs as one block, with the answers of one.
# case: x = f32[256] normal, y = f32[256], n = 256
# options: config = 2
# grid: 4
# want: y == f32(x * 2)
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"B": 128}), triton.Config({"B": 64}, num_ctas=2)], key=["n"])
@triton.jit
def num_ctas(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)
