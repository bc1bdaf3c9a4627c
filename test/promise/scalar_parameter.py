# SPDX-License-Identifier: Apache-2.0
# A scalar parameter of each float type keeps its exact value: numbers that float32 has not.
# tolerance: 0 0
# case: y = f64[2], a = f64(0.1)
# want: y[0] == f64(0.1); y[1] == f64(f64(0.1) * 3)
# case: y = f64[2], a = f64(16777217.0)
# want: y[0] == 16777217; y[1] == 50331651
# case: y = f64[2], a = f32(0.1)
# want: y[0] == f32(0.1); y[1] == f32(f32(0.1) * 3)
# case: y = f64[2], a = f16(0.1)
# want: y[0] == f16(0.1); y[1] == f16(f16(0.1) * 3)
# case: y = f64[2], a = bf16(0.1)
# want: y[0] == bf16(0.1); y[1] == bf16(bf16(0.1) * 3)
# case: y = f64[2], a = f16(2049.0)
# want: y[0] == 2048; y[1] == 6144
import triton
import triton.language as tl


@triton.jit
def scalar_parameter(y, a):
    tl.store(y, a)
    tl.store(y + 1, a * 3)
