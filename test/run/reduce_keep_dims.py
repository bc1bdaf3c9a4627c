# SPDX-License-Identifier: Apache-2.0
# keep_dims leaves an axis of 1, so that x - max(x) broadcasts; a row softmax.
# case: x = fp32[16, 64] normal, y = fp32[16, 64]
# want: e = exp(x - max(x, 1)); y == e / sum(e, 1)
import triton
import triton.language as tl


@triton.jit
def softmax(x, y):
    o = tl.arange(0, 16)[:, None] * 64 + tl.arange(0, 64)[None, :]
    v = tl.load(x + o)
    e = tl.exp(v - tl.max(v, axis=1, keep_dims=True))
    tl.store(y + o, e / tl.sum(e, axis=1, keep_dims=True))
