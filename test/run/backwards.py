# SPDX-License-Identifier: Apache-2.0
# Rows that are read by two loops: the second may begin at the end, but not where a turn reads or
# writes what another one writes.
# case: x = fp32[3, 1000] normal, y = fp32[3, 1000], n = 1000, B = 128
# kernel: normalize
# grid: 3
# tolerance: 1e-5 1e-6
# want: y == x - sum(x, 1) / n
# case: x = fp32[2, 1] normal, y = fp32[2, 1], n = 1, B = 128
# grid: 2
# case: x = fp32[2, 256] normal, y = fp32[2, 256], n = 256, B = 64
# case: x = fp16[3, 1000] normal, n = 1000, B = 64
# kernel: in_place
# grid: 3
# tolerance: 2e-3 1e-3
# want: x == x - max(x, 1)
# case: x = i32[192] small, s = i32[1], n = 192, B = 64
# kernel: running
# grid: 1
# want: s == sum(x, 0); x[:64] == x[:64]; x[64:128] == x[64:128] + x[:64]; x[128:192] == x[128:192] + x[64:128] + x[:64]
# case: x = i32[1024] small, y = i32[1152], s = i32[1], n = 1024, B = 256
# options: num_warps = 1
# kernel: overlapping
# want: s == 2 * sum(x, 0) - sum(x[:128], 0); y[:1024] == x; y[1024:] == -1
# case: x = i32[1024] small, y = i32[128], s = i32[1], n = 1024, B = 128
# options: num_warps = 4
# kernel: last
# want: s == sum(x, 0); y == x[896:]
import triton
import triton.language as tl


@triton.jit
def normalize(x, y, n, B: tl.constexpr):
    row = tl.program_id(0) * n
    total = 0.0
    for start in range(0, n, B):
        i = start + tl.arange(0, B)
        total += tl.sum(tl.load(x + row + i, mask=i < n, other=0.0), 0)
    for start in range(0, n, B):
        i = start + tl.arange(0, B)
        v = tl.load(x + row + i, mask=i < n, other=0.0)
        tl.store(y + row + i, v - total / n, mask=i < n)


@triton.jit
def in_place(x, n, B: tl.constexpr):
    row = tl.program_id(0) * n
    most = -float("inf")
    for start in range(0, n, B):
        i = start + tl.arange(0, B)
        most = tl.maximum(most, tl.max(tl.load(x + row + i, mask=i < n, other=-float("inf")), 0))
    for start in range(0, n, B):
        i = start + tl.arange(0, B)
        v = tl.load(x + row + i, mask=i < n, other=0.0)
        tl.store(x + row + i, v - most, mask=i < n)


# Each turn reads what the one before wrote.
@triton.jit
def running(x, s, n, B: tl.constexpr):
    total = 0
    for start in range(0, n, B):
        i = start + tl.arange(0, B)
        total += tl.sum(tl.load(x + i, mask=i < n, other=0), 0)
    for start in range(0, n, B):
        i = start + tl.arange(0, B)
        v = tl.load(x + i, mask=i < n, other=0)
        v += tl.load(x + i - B, mask=(i >= B) & (i < n), other=0)
        tl.store(x + i, v, mask=i < n)
    tl.store(s, total)


# Half of what a turn stores the next one stores again.
@triton.jit
def overlapping(x, y, s, n, B: tl.constexpr):
    total = 0
    for start in range(0, n, B // 2):
        i = start + tl.arange(0, B)
        total += tl.sum(tl.load(x + i, mask=i < n, other=0), 0)
    for start in range(0, n, B // 2):
        i = start + tl.arange(0, B)
        v = tl.load(x + i, mask=i < n, other=0)
        tl.store(y + i, tl.where(tl.arange(0, B) < B // 2, v, -1))
    tl.store(s, total)


# All turns store to the same lanes.
@triton.jit
def last(x, y, s, n, B: tl.constexpr):
    total = 0
    for start in range(0, n, B):
        i = start + tl.arange(0, B)
        total += tl.sum(tl.load(x + i, mask=i < n, other=0), 0)
    for start in range(0, n, B):
        i = start + tl.arange(0, B)
        tl.store(y + tl.arange(0, B), tl.load(x + i, mask=i < n, other=0))
    tl.store(s, total)
