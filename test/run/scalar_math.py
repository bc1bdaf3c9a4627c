# SPDX-License-Identifier: Apache-2.0
# Each op on floats and ints, of scalars: they are no vectors, and generators have other words for them.
# tolerance: 1e-5 1e-6
# case: x = fp32[3] normal, y = fp32[24]
# want: a = x[0]; b = x[1]; c = x[2]; y[0] == a * b + c; y[1] == a * b + a; y[2] == c * a + b; y[3] == minimum(a, b); y[4] == maximum(b, c); y[5] == abs(a); y[6] == -b; y[7] == floor(a); y[8] == exp(b); y[9] == log(abs(c) + 1); y[10] == sqrt(abs(a)); y[11] == where(a > b, c, a); y[12] == a / (abs(b) + 1); y[13] == sin(c); y[14] == cos(a); y[15] == ceil(b); y[16] == a - b - c
# case: x = fp64[3] normal, y = fp64[24]
# want: a = x[0]; b = x[1]; c = x[2]; y[0] == a * b + c; y[1] == a * b + a; y[2] == c * a + b; y[3] == minimum(a, b); y[4] == maximum(b, c); y[5] == abs(a); y[6] == -b; y[7] == floor(a); y[8] == exp(b); y[9] == log(abs(c) + 1); y[10] == sqrt(abs(a)); y[11] == where(a > b, c, a); y[12] == a / (abs(b) + 1); y[13] == sin(c); y[14] == cos(a); y[15] == ceil(b); y[16] == a - b - c
# case: x = fp16[3] normal, y = fp32[24]
# want: a = x[0]; b = x[1]; c = x[2]; y[0] == a * b + c; y[1] == a * b + a; y[2] == c * a + b; y[3] == minimum(a, b); y[4] == maximum(b, c); y[5] == abs(a); y[6] == -b; y[7] == floor(a); y[8] == exp(b); y[9] == log(abs(c) + 1); y[10] == sqrt(abs(a)); y[11] == where(a > b, c, a); y[12] == a / (abs(b) + 1); y[13] == sin(c); y[14] == cos(a); y[15] == ceil(b); y[16] == a - b - c
# case: x = bf16[3] normal, y = fp32[24]
# want: a = x[0]; b = x[1]; c = x[2]; y[0] == a * b + c; y[1] == a * b + a; y[2] == c * a + b; y[3] == minimum(a, b); y[4] == maximum(b, c); y[5] == abs(a); y[6] == -b; y[7] == floor(a); y[8] == exp(b); y[9] == log(abs(c) + 1); y[10] == sqrt(abs(a)); y[11] == where(a > b, c, a); y[12] == a / (abs(b) + 1); y[13] == sin(c); y[14] == cos(a); y[15] == ceil(b); y[16] == a - b - c
import triton
import triton.language as tl


@triton.jit
def scalar_math(x, y):
    t = y.dtype.element_ty
    a = tl.load(x).to(t)
    b = tl.load(x + 1).to(t)
    c = tl.load(x + 2).to(t)
    tl.store(y, tl.fma(a, b, c))
    tl.store(y + 1, tl.fma(a, b, a))
    tl.store(y + 2, tl.fma(c, a, b))
    tl.store(y + 3, tl.minimum(a, b))
    tl.store(y + 4, tl.maximum(b, c))
    tl.store(y + 5, tl.abs(a))
    tl.store(y + 6, -b)
    tl.store(y + 7, tl.floor(a))
    tl.store(y + 8, tl.exp(b))
    tl.store(y + 9, tl.log(tl.abs(c) + 1))
    tl.store(y + 10, tl.sqrt(tl.abs(a)))
    tl.store(y + 11, tl.where(a > b, c, a))
    tl.store(y + 12, a / (tl.abs(b) + 1))
    tl.store(y + 13, tl.sin(c))
    tl.store(y + 14, tl.cos(a))
    tl.store(y + 15, tl.ceil(b))
    tl.store(y + 16, a - b - c)
