# SPDX-License-Identifier: Apache-2.0
# A file with two kernels, of which the case names one; comments stand between decorator and def.
# case: y = i32[1]
# kernel: first
# want: y == 1
# case: y = i32[1]
# kernel: second
# want: y == 2
import triton
import triton.language as tl


@triton.jit
# a comment
#   and another
def first(y):
    tl.store(y, 1)


@triton.jit

def second(y):
    tl.store(y, 2)
