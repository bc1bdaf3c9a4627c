# SPDX-License-Identifier: Apache-2.0
# Constants beside values in 'and' and 'or': one that decides is the result, another says nothing.
# case: y = i32[8] zero, c = 3, TWO = 2
# want: y[0] == 1; y[1] == 0; y[2] == 1; y[3] == 0; y[4] == 1; y[5] == 0; y[6] == 1; y[7] == 0
import triton
import triton.language as tl


@triton.jit
def and_constants(y, c, TWO: tl.constexpr):
    more = c > 2
    if more and TWO:
        tl.store(y, 1)
    if more and (TWO - 2):
        tl.store(y + 1, 1)
    if (c > 5) or TWO:
        tl.store(y + 2, 1)
    if (c > 5) or None:
        tl.store(y + 3, 1)
    tl.store(y + 4, 1 if TWO and more else 7)
    tl.store(y + 5, 7 if TWO and more and 0 else 0)
    tl.store(y + 6, 1 if more and "text" else 7)
    tl.store(y + 7, (more or 0).to(tl.int32) - 1)
