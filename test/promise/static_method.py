# SPDX-License-Identifier: Apache-2.0
# A class whose methods take no object, called by the class and by an object.
# case: y = i32[3]
# want: y[0] == 7; y[1] == 12; y[2] == 9
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    a: tl.tensor
    b: tl.tensor

    @staticmethod
    @triton.jit
    def add(x, y):
        return x + y

    @triton.jit
    def product(self):
        return self.a * self.b


@triton.jit
def methods(y):
    one = tl.load(y) * 0 + 3
    pair = Pair(one, one + 1)
    tl.store(y, Pair.add(pair.a, pair.b))
    tl.store(y + 1, pair.product())
    tl.store(y + 2, pair.add(one, 6))
