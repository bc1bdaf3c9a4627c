# SPDX-License-Identifier: Apache-2.0
# Block pointers with boundary checks on both axes, advanced along one.
# case: M = 20, N = 37, x = fp32[M, N] normal, y = fp32[M, N]
# want: y == x * 2
import triton
import triton.language as tl


@triton.jit
def double(x, y, M, N):
    a = tl.make_block_ptr(x, (M, N), (N, 1), (0, 0), (32, 16), (1, 0))
    b = tl.make_block_ptr(y, (M, N), (N, 1), (0, 0), (32, 16), (1, 0))
    for i in range(0, tl.cdiv(N, 16)):
        v = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        tl.store(b, v * 2, boundary_check=(0, 1))
        a = tl.advance(a, (0, 16))
        b = tl.advance(b, (0, 16))
