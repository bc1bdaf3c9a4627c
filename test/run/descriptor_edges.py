# SPDX-License-Identifier: Apache-2.0
# A block that begins before an array, at its end, or as far away as int32 goes: what is outside is 0.
# case: N = 40, start = -20, x = fp32[N] normal, y = fp32[32]
# grid: 1
# want: y[:20] == 0; y[20:] == x[:12]
# case: N = 40, start = 24, x = fp32[N] normal, y = fp32[32]
# want: y[:16] == x[24:]; y[16:] == 0
# case: N = 40, start = 2147483647, x = fp32[N] normal, y = fp32[32]
# want: y == 0
# case: N = 40, start = -2147483648, x = fp32[N] normal, y = fp32[32]
# want: y == 0
# case: N = 40, start = -2147483617, x = fp32[N] normal, y = fp32[32]
# want: y == 0
# case: N = -5, start = 0, x = fp32[8] normal, y = fp32[32]
# want: y == 0
import triton
import triton.language as tl


@triton.jit
def block(x, y, N, start):
    a = tl.make_tensor_descriptor(x, shape=[N], strides=[1], block_shape=[32])
    tl.store(y + tl.arange(0, 32), a.load([start]))
