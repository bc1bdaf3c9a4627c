# SPDX-License-Identifier: Apache-2.0
# An aggregate of two tensors and a constant: methods, defaults, inheritance, and one carried by a loop.
# case: x = fp32[32] normal, y = fp32[32], z = fp32[32], n = 5
# want: y == 3 * x + 7; z == x * 32 + 5
import triton
import triton.language as tl


@triton.aggregate
class Line:
    slope: tl.tensor
    start: tl.tensor
    extra: tl.constexpr = 7

    @triton.jit
    def at(self, x):
        return self.slope * x + self.start + self.extra

    @triton.jit
    def steeper(self, factor):
        return Line(self.slope * factor, self.start, self.extra)


@triton.aggregate
class Shifted(Line):
    shift: tl.constexpr = 0

    @triton.jit
    def moved(self):
        return Shifted(self.slope, self.start + self.shift, self.extra, self.shift)


@triton.jit
def lines(x, y, z, n):
    i = tl.arange(0, 32)
    v = tl.load(x + i)
    line = Line(tl.full((32,), 3, tl.float32), tl.zeros((32,), tl.float32))
    tl.store(y + i, line.at(v))
    other = Shifted(slope=tl.full((32,), 1, tl.float32), start=tl.zeros((32,), tl.float32), extra=0, shift=1)
    for _ in range(n):
        other = other.moved()
    power = Line(other.slope, other.start, other.extra)
    for _ in range(n):
        power = power.steeper(2.0)
    tl.store(z + i, power.at(v))
