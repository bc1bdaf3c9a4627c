# SPDX-License-Identifier: Apache-2.0
# Neighbours modulo n are neighbours in memory only where nothing is negative, and nothing wraps: -64 %
# 64 is 0, -63 % 64 is -63. Of a start of any sign a test decides; all starts are right.
# options: num_warps = 1
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = 64, s = -128
# kernel: start
# want: o == 512 + fmod(i32(s + arange(256)), n)
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = 64, s = -64
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = 64, s = -48
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = 64, s = 0
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = 64, s = 48
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = 64, s = 1073741808
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = 64, s = 1073741824
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = 64, s = 2147483392
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = 64, s = 2147483456
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = 64, s = -2147483648
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = -64, s = -128
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = -64, s = 128
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = 16, s = -32
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = 48, s = -96
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = 48, s = 96
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = 112, s = 2147483520
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = 17, s = -34
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = 17, s = 34
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = 1, s = -16
# case: x = i16[1024] arange, o = i16[256], lo = 0, n = 64, s = -31
# case: x = i16[1024] arange, o = i16[1536], lo = -3, n = 96, s = 0
# kernel: turns
# want: o == 512 + fmod(arange(1536) - 768, n)
# case: x = i16[1024] arange, o = i16[1536], lo = -3, n = 64, s = 0
# case: x = i16[1024] arange, o = i16[1536], lo = -3, n = 17, s = 0
import triton
import triton.language as tl


@triton.jit
def start(x, o, lo, n, s):
    i = tl.arange(0, 256)
    tl.store(o + i, tl.load(x + 512 + (s + i) % n))


@triton.jit
def turns(x, o, lo, n, s):
    i = tl.arange(0, 256)
    for k in range(lo, 3):
        tl.store(o + 256 * k + 768 + i, tl.load(x + 512 + (k * 256 + i) % n))
