# SPDX-License-Identifier: Apache-2.0
# A parameter that @triton.heuristics determines from the others, and configs of @triton.autotune.
# case: x = fp32[100] normal, y = fp32[100], n = 100, BLOCK = 64
# grid: cdiv(n, BLOCK)
# want: y == x * 2
# options: config = 1
# case: x = fp32[128] normal, y = fp32[128], n = 128, BLOCK = 64
# options: config = 2
# want: y == x * 3
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"K": 2}, num_warps=4), triton.Config({"K": 3}, num_warps=8)], key=["n"])
@triton.heuristics({"WHOLE": lambda args: args["BLOCK"] >= 128})
@triton.jit
def scale(x, y, n, K: tl.constexpr, BLOCK: tl.constexpr, WHOLE: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if WHOLE:
        tl.store(y + i, 0.0)
    else:
        tl.store(y + i, tl.load(x + i, mask=i < n) * K, mask=i < n)
