# SPDX-License-Identifier: Apache-2.0
# A NaN stays the quiet NaN of the narrower type, with its sign, as ml_dtypes has it: 0x7e of e5m2
# (0xfe is -2), 0x7f of e4m3.
# case: x = i32[64] zero, y = i32[64], z = i32[64], w = i32[64]
# tolerance: 0 0
# want: y == x + 126; z == x - 2; w == x + 127
import triton
import triton.language as tl


@triton.jit
def nan_bits(x, y, z, w):
    i = tl.arange(0, 64)
    nan = (tl.load(x + i) + 0x7FC00000).to(tl.float32, bitcast=True)
    minus = (tl.load(x + i) - 0x400000).to(tl.float32, bitcast=True)
    tl.store(y + i, nan.to(tl.float8e5).to(tl.int8, bitcast=True).to(tl.int32))
    tl.store(z + i, minus.to(tl.float8e5).to(tl.int8, bitcast=True).to(tl.int32))
    tl.store(w + i, nan.to(tl.float8e4nv).to(tl.int8, bitcast=True).to(tl.int32))
