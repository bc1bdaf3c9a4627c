# SPDX-License-Identifier: Apache-2.0
# Rows added by atomics, several lanes at once where the addresses allow it: at odd elements, under
# masks that end within a vector, rows that repeat, and with the old values read.
# case: x = fp16[8, 96] small, y = fp16[3, 96] zero, o = fp16[8, 96] zero, n = 96, OLD = False
# want: y[0:1, :n] == sum(x[:, :n], 0); y[1:2, :n] == 0; y[:, n:] == 0; o == 0
# case: x = bf16[8, 96] small, y = bf16[3, 96] zero, o = bf16[8, 96] zero, n = 96, OLD = False
# case: x = fp32[8, 96] small, y = fp32[3, 96] zero, o = fp32[8, 96] zero, n = 96, OLD = False
# case: x = fp64[8, 96] small, y = fp64[3, 96] zero, o = fp64[8, 96] zero, n = 96, OLD = False
# case: x = i32[8, 96] small, y = i32[3, 96] zero, o = i32[8, 96] zero, n = 96, OLD = False
# case: x = fp16[8, 96] small, y = fp16[3, 96] zero +1, o = fp16[8, 96] zero, n = 96, OLD = False
# case: x = bf16[8, 96] small, y = bf16[3, 96] zero +1, o = bf16[8, 96] zero, n = 96, OLD = False
# case: x = fp32[8, 96] small +3, y = fp32[3, 96] zero, o = fp32[8, 96] zero, n = 93, OLD = False
# case: x = bf16[8, 96] small, y = bf16[3, 96] zero, o = bf16[8, 96] zero, n = 77, OLD = False
# case: x = fp16[8, 96] small, y = fp16[3, 96] zero, o = fp16[8, 96] zero, n = 1, OLD = False
# case: x = fp16[8, 96] small, y = fp16[8, 96] one, o = fp16[8, 96], n = 96, OLD = True
# want: y == x + 1; o == 1
# case: x = bf16[8, 96] small, y = bf16[8, 96] one, o = bf16[8, 96], n = 96, OLD = True
# case: x = fp32[8, 96] small, y = fp32[8, 96] one +1, o = fp32[8, 96], n = 96, OLD = True
# case: x = fp16[8, 96] small +3, y = fp16[8, 96] one +1, o = fp16[8, 96], n = 96, OLD = True
# case: x = bf16[8, 96] small, y = bf16[8, 96] one +1, o = bf16[8, 96] +5, n = 96, OLD = True
import triton
import triton.language as tl


@triton.jit
def add_rows(x, y, o, n, OLD: tl.constexpr):
    row = tl.arange(0, 8)[:, None]
    column = tl.arange(0, 128)[None, :]
    mask = (row < 8) & (column < n)
    value = tl.load(x + row * 96 + column, mask=mask)
    if OLD:
        old = tl.atomic_add(y + row * 96 + column, value, mask=mask)
        tl.store(o + row * 96 + column, old, mask=mask)
    else:
        tl.atomic_add(y + row * 0 + column, value, mask=mask)
