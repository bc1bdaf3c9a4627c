# SPDX-License-Identifier: Apache-2.0
# Lanes with mask 0 give `other` and are not touched: the buffers end where the mask does.
# case: x = f32[5] normal, y = f32[16], z = f32[16], n = 5
# want: y[:5] == x; y[5:] == -3; z[:5] == x; z[5:] == 0
# case: x = i16[11] any, y = i16[16], z = i16[16], n = 11
# want: y[:11] == x; y[11:] == -3; z[:11] == x; z[11:] == 0
import triton
import triton.language as tl


@triton.jit
def other(x, y, z, n):
    i = tl.arange(0, 16)
    tl.store(y + i, tl.load(x + i, mask=i < n, other=-3))
    tl.store(z + i, tl.load(x + i, mask=i < n, other=0))
