# SPDX-License-Identifier: Apache-2.0
# Bitwise operators wrap to the type and keep its sign.
# case: a = i64[64] any, b = i64[64] any, y = i64[64, 6]
# want: y[:, 0] == a & b; y[:, 1] == a | b; y[:, 2] == a ^ b; y[:, 3] == ~a; y[:, 4] == i64(a << 5); y[:, 5] == a >> 5
# case: a = i32[64] any, b = i32[64] any, y = i32[64, 6]
# want: y[:, 0] == a & b; y[:, 1] == a | b; y[:, 2] == a ^ b; y[:, 3] == ~a; y[:, 4] == i32(a << 5); y[:, 5] == a >> 5
# case: a = i8[64] any, b = i8[64] any, y = i8[64, 6]
# want: y[:, 0] == i8(a & b); y[:, 1] == i8(a | b); y[:, 2] == i8(a ^ b); y[:, 3] == ~a; y[:, 4] == i8(a << 5); y[:, 5] == a >> 5
# case: a = u32[64] any, b = u32[64] any, y = u32[64, 6]
# want: y[:, 0] == u32(a & b); y[:, 1] == u32(a | b); y[:, 2] == u32(a ^ b); y[:, 3] == u32(~a); y[:, 4] == u32(a << 5); y[:, 5] == a >> 5
import triton
import triton.language as tl


@triton.jit
def bits(a, b, y):
    i = tl.arange(0, 64)
    u = tl.load(a + i)
    v = tl.load(b + i)
    tl.store(y + i * 6, u & v)
    tl.store(y + i * 6 + 1, u | v)
    tl.store(y + i * 6 + 2, u ^ v)
    tl.store(y + i * 6 + 3, ~u)
    tl.store(y + i * 6 + 4, u << 5)
    tl.store(y + i * 6 + 5, u >> 5)
