# SPDX-License-Identifier: Apache-2.0
# Two prints, of which the second is unsigned; all lines, in order, each by its own type.
# only: interp cpu
# case: x = i32[1] {-6}, u = u32[1] {4294967290}, f = f32[1] {1.5}
# prints: pid (0, 0, 0) idx () a: -6
# prints: pid (0, 0, 0) idx () b: 4294967290
import triton
import triton.language as tl


@triton.jit
def show(x, u, f):
    tl.device_print("a", tl.load(x))
    tl.device_print("b", tl.load(u))
