# SPDX-License-Identifier: Apache-2.0
# An aggregate that makes its own fields; methods that are not jit; __getitem__; a static factory.
# case: x = fp32[32] normal, y = fp32[32], z = fp32[32]
# want: y == 3 * x + 16
# want: z == x * 5
import triton
import triton.language as tl


@triton.aggregate
class Line:
    slope: tl.tensor
    start: tl.constexpr
    squared: tl.constexpr

    def __init__(self, slope, start, _semantic=None):
        self.slope = tl.to_tensor(slope, _semantic=_semantic)
        self.start = tl.constexpr(start)
        self.squared = tl.constexpr(self.square())

    @triton.constexpr_function
    def square(self):
        return self.start * self.start

    def __getitem__(self, index: tl.constexpr, _semantic=None):
        if index == 0:
            return self.slope
        assert index == 1
        return self.squared

    @staticmethod
    def through_zero(slope):
        return Line(slope, 0)

    @triton.jit
    def at(self, x):
        return self.slope * x + self.squared


@triton.jit
def lines(x, y, z):
    i = tl.arange(0, 32)
    v = tl.load(x + i)
    line = Line(3, 4)
    tl.static_assert(line[1] == 16)
    tl.static_assert(isinstance(line.start.type, tl.constexpr_type))
    tl.store(y + i, line.at(v))
    tl.store(z + i, Line.at(Line.through_zero(line[0] + 2), v))
