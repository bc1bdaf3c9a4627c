# SPDX-License-Identifier: Apache-2.0
# Python that kernels cannot have, and what is said instead; results that must be used.
import triton
import triton.language as tl


@triton.must_use_result("It has no other effect.")
@triton.jit
def cube(x):
    return x * x * x


@triton.aggregate
class Square:
    x: tl.tensor

    @triton.must_use_result
    @triton.jit
    def compute(self):
        return self.x * self.x


# case: unused_result i32
# want: error 'cube(n)': the result of 'cube' is not used
# want: help: It has no other effect.
# want: error 's.compute()': the result of 'compute' is not used
# want: help: it is decorated with must_use_result: assign the result to a name
@triton.jit
def unused_result(n):
    cube(n)
    s = Square(n)
    s.compute()
    n = cube(n)


# case: not_specialized 5
# want: error 'N': parameter 'N' is tl.constexpr and listed in do_not_specialize
# want: help: a kernel is compiled anew for each value of a tl.constexpr: take it from one of the two
@triton.jit(do_not_specialize=["N"])
def not_specialized(N: tl.constexpr):
    pass


# case: imprecise
# want: error '128': max_num_imprecise_acc is 128, but K is 64
# want: help: it is at most K; None leaves it to the target
@triton.jit
def imprecise():
    a = tl.full((64, 64), 0.0, tl.float8e5)
    tl.dot(a, a, max_num_imprecise_acc=128)


# case: scale_factors
# want: error 'tl.dot_scaled(a, tl.full((32, 4), 0, tl.uint8), "e5m2", b, tl.full((32, 2), 0, tl.uint8), "e5m2")': static assertion failed: the scales of both operands must be for the same number of elements along K, in tl.dot_scaled
@triton.jit
def scale_factors():
    a = tl.full((32, 64), 0, tl.float8e5)
    b = tl.full((64, 32), 0, tl.float8e5)
    tl.dot_scaled(a, tl.full((32, 4), 0, tl.uint8), "e5m2", b, tl.full((32, 2), 0, tl.uint8), "e5m2")


# case: shape_of_value i32
# want: error '(n, )': each dimension of the shape must be a compile-time int, got int32
# want: help: a plain assignment makes a run-time value: declare the parameter or the variable as tl.constexpr
@triton.jit
def shape_of_value(n):
    tl.zeros((n, ), tl.float32)


# case: bad_axis
# want: error 'tl.sum(tl.zeros((4, 4), tl.float32), 2)': axis 2 is out of range for 2 dimensions, in tl.sum
# want: help: axes are counted from 0 to 1, or from the end from -1 to -2
@triton.jit
def bad_axis():
    tl.sum(tl.zeros((4, 4), tl.float32), 2)


# case: use_with i32
# want: refused 'n': 'with' in a kernel is for scopes of triton.profiler.language only
# want: help: write its body without it
@triton.jit
def use_with(n):
    with n:
        pass


# case: use_class
# want: error 'class Inner:': class is not supported in a kernel
# want: help: move it to the top level: a NamedTuple, or one decorated with @triton.aggregate
@triton.jit
def use_class():
    class Inner:
        pass


# case: use_import
# want: error 'import os': import is not supported in a kernel
# want: help: import at the top of the file
@triton.jit
def use_import():
    import os


# case: use_global i32
# want: error 'global X': global and nonlocal are not supported in a kernel
# want: help: return the value, or store it through a pointer
@triton.jit
def use_global(n):
    global X
    X = n


# case: use_del i32
# want: error 'del n': del is not supported in a kernel
# want: help: leave it out: a value that nobody reads any more costs nothing
@triton.jit
def use_del(n):
    del n


# case: use_match i32
# want: error 'match n:': match is not supported in a kernel
# want: help: write it as 'if' and 'elif'
@triton.jit
def use_match(n):
    match n:
        case 1:
            pass


# case: use_yield i32
# want: error 'yield n': yield is not supported in a kernel
# want: help: return a tuple
@triton.jit
def use_yield(n):
    yield n


# case: use_dict i32
# want: error '{1: n}': a dict is not supported in a kernel
# want: help: a NamedTuple is
@triton.jit
def use_dict(n):
    a = {1: n}


# case: use_set i32
# want: error '{1, n}': a set is not supported in a kernel
# want: help: a tuple is
@triton.jit
def use_set(n):
    a = {1, n}


# case: use_complex
# want: error '1j': a complex number is not supported in a kernel
# want: help: a tuple of two is
@triton.jit
def use_complex():
    a = 1j


# case: use_raise i32
# want: error 'raise ValueError(n)': this 'raise' is reached at compile time
# want: help: the 'if' around it holds at compile time; for run-time values there is tl.device_assert
@triton.jit
def use_raise(n):
    raise ValueError(n)


# case: else_of_loops i32
# want: error 'for i in range(n):': 'else' of a loop is not supported
# want: help: without 'break' it always runs: put it after the loop
# want: error 'while n > 0:': 'else' of a loop is not supported
# want: help: without 'break' it always runs: put it after the loop
@triton.jit
def else_of_loops(n):
    for i in range(n):
        pass
    else:
        pass
    while n > 0:
        n -= 1
    else:
        pass


# case: print_value i32
# want: error '{n}': an f-string in a kernel can hold compile-time values only, got int32
# want: help: tl.device_print("words", value) prints what is known at run time only
@triton.jit
def print_value(n):
    print(f"n is {n}")


# case: keywords
# want: refused 'options': a kernel with '**options' parameters is not supported
# want: help: name each of them
@triton.jit
def keywords(**options):
    pass


# case: positional
# want: refused 'parts': a kernel with '*parts' parameters is not supported
# want: help: a tuple parameter is
@triton.jit
def positional(*parts):
    pass


# case: launches i32
# want: error 'cube[(1, )]': a kernel cannot launch another one: call jit functions without a grid
@triton.jit
def launches(n):
    cube[(1, )](n)


# case: big_static_range
# want: error 'pass': compiling this takes more than 1000000 steps: a compile-time loop or recursion does not end
@triton.jit
def big_static_range():
    for i in tl.static_range(1000000000):
        pass


# case: endless_constant 3
# want: error 'N > 0': this 'while' never ends: its condition is true at compile time
# want: help: the condition must change at run time; there is no 'break' in a kernel
@triton.jit
def endless_constant(N: tl.constexpr):
    while N > 0:
        pass


# case: not_specialized_by_index 5
# want: error 'N': parameter 'N' is tl.constexpr and listed in do_not_specialize_on_alignment
# want: help: a kernel is compiled anew for each value of a tl.constexpr: take it from one of the two
@triton.jit(do_not_specialize_on_alignment=[0])
def not_specialized_by_index(N: tl.constexpr):
    pass
