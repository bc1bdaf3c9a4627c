# SPDX-License-Identifier: Apache-2.0
# Running sums of a column whose elements are far from each other in memory, from both ends; what is
# summed alone, or stored, too; strides that are known to be multiples, and one that is not.
# tolerance: 1e-4 1e-3
# grid: columns
# case: x = fp32[1000, 16] normal, y = fp32[1000, 16], t = fp32[16], z = fp32[1000, 16], rows = 1000, columns = 16, EACH = 16, B = 1024, REVERSE = False, ALSO = False
# want: y == cumsum(x, 0); t == sum(x, 0)
# case: x = fp32[1000, 16] normal, y = fp32[1000, 16], t = fp32[16], z = fp32[1000, 16], rows = 1000, columns = 16, EACH = 16, B = 1024, REVERSE = True, ALSO = False
# options: num_warps = 1
# want: y == sum(x, 0) - cumsum(x, 0) + x; t == sum(x, 0)
# case: x = fp32[513, 7] normal, y = fp32[513, 7], t = fp32[7], z = fp32[513, 7], rows = 513, columns = 7, EACH = 1, B = 1024, REVERSE = False, ALSO = True
# options: num_warps = 8
# want: y == cumsum(x, 0); t == sum(x, 0); z == x * 2
# case: x = fp16[2048, 16] small, y = fp32[2048, 16], t = fp32[16], z = fp32[2048, 16], rows = 2048, columns = 16, EACH = 16, B = 2048, REVERSE = False, ALSO = True
# options: num_warps = 4
# want: y == cumsum(x, 0); t == sum(x, 0); z == x * 2
# case: x = fp16[2000, 16] small, y = fp32[2000, 16], t = fp32[16], z = fp32[2000, 16], rows = 2000, columns = 16, EACH = 16, B = 2048, REVERSE = True, ALSO = False
# want: y == sum(x, 0) - cumsum(x, 0) + x; t == sum(x, 0)
# case: x = i32[300, 32] small, y = i32[300, 32], t = i32[32], z = i32[300, 32], rows = 300, columns = 32, EACH = 32, B = 512, REVERSE = False, ALSO = False
# want: y == cumsum(x, 0); t == sum(x, 0)
import triton
import triton.language as tl


@triton.jit
def column(x, y, t, z, rows, columns, EACH: tl.constexpr, B: tl.constexpr, REVERSE: tl.constexpr,
           ALSO: tl.constexpr):
    r = tl.arange(0, B)
    at = r * tl.multiple_of(columns, EACH) + tl.program_id(0)
    v = tl.load(x + at, mask=r < rows, other=0).to(y.dtype.element_ty)
    tl.store(y + at, tl.cumsum(v, 0, reverse=REVERSE), mask=r < rows)
    tl.store(t + tl.program_id(0), tl.sum(v, 0))
    if ALSO:
        tl.store(z + at, v * 2, mask=r < rows)
