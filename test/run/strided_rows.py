# SPDX-License-Identifier: Apache-2.0
# Rows with a stride that is larger than their width: the gap is not touched.
# case: x = fp32[7, 40] normal, y = fp32[7, 37], xs = 40, ys = 37, n = 31, BLOCK = 32
# grid: 7
# want: e = exp(x[:, :31] - max(x[:, :31], 1)); y[:, :31] == e / sum(e, 1)
import triton
import triton.language as tl


@triton.jit
def softmax(x, y, xs, ys, n, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + r * xs + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + r * ys + i, e / tl.sum(e, axis=0), mask=i < n)
