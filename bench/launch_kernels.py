# SPDX-License-Identifier: Apache-2.0
"""Kernels that do nothing, to time launching them: with 3 and with 19 arguments."""
import triton
import triton.language as tl


@triton.jit
def nothing3(x_ptr, y_ptr, n):
    pass


@triton.jit
def nothing19(p0, p1, p2, p3, p4, p5, p6, p7, i0, i1, i2, i3, i4, i5, f0, f1, f2, f3, n):
    pass
