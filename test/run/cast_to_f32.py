# SPDX-License-Identifier: Apache-2.0
# Every type becomes f32, rounded to nearest even.
# tolerance: 0 0
# case: x = i8[64] any, y = fp32[64]
# want: y == f32(x)
# case: x = i16[64] any, y = fp32[64]
# case: x = i32[64] any, y = fp32[64]
# case: x = i64[64] any, y = fp32[64]
# case: x = u8[64] any, y = fp32[64]
# case: x = u16[64] any, y = fp32[64]
# case: x = u32[64] any, y = fp32[64]
# case: x = u64[64] any, y = fp32[64]
# case: x = fp16[64] normal, y = fp32[64]
# case: x = bf16[64] normal, y = fp32[64]
# case: x = fp64[64] normal, y = fp32[64]
import triton
import triton.language as tl


@triton.jit
def cast(x, y):
    i = tl.arange(0, 64)
    tl.store(y + i, tl.load(x + i).to(tl.float32))
