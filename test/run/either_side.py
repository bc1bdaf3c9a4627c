# SPDX-License-Identifier: Apache-2.0
# What is the same in all lanes stands on either side: of products, sums, differences and comparisons
# that make addresses and masks.
# case: x = i32[512] any, y = i32[16, 64], n = 37, s = 3, m = 37
# want: i = arange(64); a = x[0:192:3]; b = x[0:64]; y[0] == a; y[1] == a; y[2] == a; y[3] == x[37:101]; y[4] == x[37:101]; y[5] == where(i < n, b, 0); y[6] == where(i < n, b, 0); y[7] == where(i <= n, b, 0); y[8] == where(i >= n, b, 0); y[9] == where(i > n, b, 0); y[10] == where(i < n, 1, 2); y[11] == where(i >= n, 1, 2); y[12] == n - i; y[13] == i - n; y[14] == where(i == n, b, 0); y[15] == where(i != n, b, 0)
# case: x = i32[512] any, y = i32[16, 64], n = 64, s = 3, m = 37
# want: i = arange(64); a = x[0:192:3]; b = x[0:64]; y[0] == a; y[1] == a; y[2] == a; y[3] == x[37:101]; y[4] == x[37:101]; y[5] == where(i < n, b, 0); y[6] == where(i < n, b, 0); y[7] == where(i <= n, b, 0); y[8] == where(i >= n, b, 0); y[9] == where(i > n, b, 0); y[10] == where(i < n, 1, 2); y[11] == where(i >= n, 1, 2); y[12] == n - i; y[13] == i - n; y[14] == where(i == n, b, 0); y[15] == where(i != n, b, 0)
# case: x = i32[512] any, y = i32[16, 64], n = -1, s = 3, m = 37
# want: i = arange(64); a = x[0:192:3]; b = x[0:64]; y[0] == a; y[1] == a; y[2] == a; y[3] == x[37:101]; y[4] == x[37:101]; y[5] == where(i < n, b, 0); y[6] == where(i < n, b, 0); y[7] == where(i <= n, b, 0); y[8] == where(i >= n, b, 0); y[9] == where(i > n, b, 0); y[10] == where(i < n, 1, 2); y[11] == where(i >= n, 1, 2); y[12] == n - i; y[13] == i - n; y[14] == where(i == n, b, 0); y[15] == where(i != n, b, 0)
# case: x = i32[512] any, y = i32[16, 64], n = 0, s = 3, m = 37
# want: i = arange(64); a = x[0:192:3]; b = x[0:64]; y[0] == a; y[1] == a; y[2] == a; y[3] == x[37:101]; y[4] == x[37:101]; y[5] == where(i < n, b, 0); y[6] == where(i < n, b, 0); y[7] == where(i <= n, b, 0); y[8] == where(i >= n, b, 0); y[9] == where(i > n, b, 0); y[10] == where(i < n, 1, 2); y[11] == where(i >= n, 1, 2); y[12] == n - i; y[13] == i - n; y[14] == where(i == n, b, 0); y[15] == where(i != n, b, 0)
# case: x = i32[512] any, y = i32[16, 64], n = 5000, s = 3, m = 37
# want: i = arange(64); a = x[0:192:3]; b = x[0:64]; y[0] == a; y[1] == a; y[2] == a; y[3] == x[37:101]; y[4] == x[37:101]; y[5] == where(i < n, b, 0); y[6] == where(i < n, b, 0); y[7] == where(i <= n, b, 0); y[8] == where(i >= n, b, 0); y[9] == where(i > n, b, 0); y[10] == where(i < n, 1, 2); y[11] == where(i >= n, 1, 2); y[12] == n - i; y[13] == i - n; y[14] == where(i == n, b, 0); y[15] == where(i != n, b, 0)
import triton
import triton.language as tl


@triton.jit
def either_side(x, y, n, s, m):
    i = tl.arange(0, 64)
    tl.store(y + i, tl.load(x + s * i))
    tl.store(y + 64 + i, tl.load(x + i * s))
    tl.store(y + 128 + i, tl.load(x + s.to(tl.int64) * i))
    tl.store(y + 192 + i, tl.load(x + (m + i)))
    tl.store(y + 256 + i, tl.load(x + (100 - (63 - i))))
    tl.store(y + 320 + i, tl.load(x + i, mask=n > i, other=0))
    tl.store(y + 384 + i, tl.load(x + i, mask=i < n, other=0))
    tl.store(y + 448 + i, tl.load(x + i, mask=n >= i, other=0))
    tl.store(y + 512 + i, tl.load(x + i, mask=n <= i, other=0))
    tl.store(y + 576 + i, tl.load(x + i, mask=n < i, other=0))
    tl.store(y + 640 + i, tl.where(n > i, 1, 2))
    tl.store(y + 704 + i, tl.where(n <= i, 1, 2))
    tl.store(y + 768 + i, n - i)
    tl.store(y + 832 + i, i - n)
    tl.store(y + 896 + i, tl.load(x + i, mask=n == i, other=0))
    tl.store(y + 960 + i, tl.load(x + i, mask=n != i, other=0))
