# SPDX-License-Identifier: Apache-2.0
# Aggregates, tuples and descriptors as parameters, dtypes of torch: what is said when they are wrong.
import torch
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    first: tl.tensor
    second: tl.constexpr

    @triton.jit
    def sum(self):
        return self.first + self.second


@triton.aggregate
class Made:
    first: tl.tensor

    def __init__(self, x):
        self.first = x

    def twice(self):
        self.first = self.first * 2


@triton.aggregate
class Odd:
    first: tl.tensor
    second: tl.constexpr

    def __init__(self, x, way: tl.constexpr):
        if way == 1:
            self.first = x
        if way == 2:
            self.first, self.second = x, x
        if way == 3:
            self.third = x


@triton.aggregate
class Added:
    first: tl.tensor

    def __add__(self, other):
        return self


class Plain:
    pass


# case: constant_field i32
# want: error 'Pair(n, n)': field 'second' of 'Pair' is tl.constexpr, but its value is known at run time only
@triton.jit
def constant_field(n):
    Pair(n, n)


# case: missing_field i32
# want: error 'Pair(n)': field 'second' of 'Pair' is missing
@triton.jit
def missing_field(n):
    Pair(n)


# case: field_twice i32
# want: error 'n': field 'first' of 'Pair' is given twice
@triton.jit
def field_twice(n):
    Pair(n, 1, first=n)


# case: unknown_field i32
# want: error 'Pair(n, 1).third': aggregate has no attribute 'third'
@triton.jit
def unknown_field(n):
    Pair(n, 1).third


# case: set_field i32
# want: error 'pair.first': this cannot be assigned to in a kernel
# want: help: the fields of an aggregate are set in its __init__ only: make another one
@triton.jit
def set_field(n):
    pair = Pair(n, 1)
    pair.first = n


# case: index_aggregate i32
# want: error 'pair[0]': an aggregate without __getitem__ cannot be indexed: name its field
@triton.jit
def index_aggregate(n):
    pair = Pair(n, 1)
    pair[0]


# case: unpack_aggregate i32
# want: error 'a, b = Pair(n, 1)': aggregate cannot be unpacked into 2 names
@triton.jit
def unpack_aggregate(n):
    a, b = Pair(n, 1)


# case: other_constant i32
# want: error 'pair = Pair(n, 2)': 'pair' is aggregate before the 'if' but becomes aggregate in the 'then' arm
# want: note 'pair = Pair(n, 1)': 'pair' gets its type here
@triton.jit
def other_constant(n):
    pair = Pair(n, 1)
    if n > 0:
        pair = Pair(n, 2)
    pair.sum()


# case: with_init i32
# want: error 'self.first': this cannot be assigned to in a kernel
# want: note 'Made(n).twice()': in the call of 'twice' here
# want: help: the fields of an aggregate are set in its __init__ only: make another one
@triton.jit
def with_init(n):
    Made(n).twice()


# case: bad_init i32
# want: error 'Odd(n, 1)': '__init__' of 'Odd' does not set the field 'second'
# want: error 'self.first, self.second = x, x': field 'second' of 'Odd' is tl.constexpr, but its value is known at run time only
# want: note 'Odd(n, 2)': in the call of '__init__' here
# want: error 'self.third': 'Odd' has no such field
# want: note 'Odd(n, 3)': in the call of '__init__' here
@triton.jit
def bad_init(n):
    Odd(n, 1)
    Odd(n, 2)
    Odd(n, 3)


# case: with_add i32
# want: refused 'Added(n)': the class 'Added' in a kernel is not supported
# want: help: a NamedTuple, or an aggregate without special methods but __init__ and __getitem__, is
@triton.jit
def with_add(n):
    Added(n)


# case: plain_class
# want: refused 'Plain()': the class 'Plain' in a kernel is not supported
# want: help: a NamedTuple, or an aggregate without special methods but __init__ and __getitem__, is
@triton.jit
def plain_class():
    Plain()


# case: torch_dtype *fp32
# want: error 'torch.float32': 'dtype' of 'to' must be a dtype of the language, got torch dtype
# want: help: write tl.float32
@triton.jit
def torch_dtype(p):
    tl.static_assert(tl.float32 != torch.float32)
    tl.load(p).to(torch.float32)


# case: torch_limit *fp32
# want: error 'tl.store(p, torch.nn.functional.relu)': the value of 'relu' of 'functional' of 'nn' of the module 'torch' is not known at compile time
# want: help: write tl.maximum(x, 0.0)
LOWEST = tl.constexpr(torch.finfo(torch.float16).min)


@triton.jit
def torch_limit(p):
    tl.static_assert(LOWEST == -65504.0)
    tl.store(p, torch.nn.functional.relu)


# case: parameters tensordesc<fp16[64,48]>, (i32, foo), tensordesc<fp16>
# want: error 'tensordesc<fp16[64,48]>': 'tensordesc<fp16[64,48]>' is not a tensor descriptor
# want: help: it is written tensordesc<fp16[64,32]>: a dtype and a block of powers of two
# want: error '(i32, foo)': 'foo' is not a type or a constant
# want: error 'tensordesc<fp16>': 'tensordesc<fp16>' is not a tensor descriptor
# want: help: it is written tensordesc<fp16[64,32]>: a dtype and a block of powers of two
# case: parameters tensordesc<fp16[64,32]>, (i32, (*fp32, 4)), tensordesc<i32[8]>
# want: ok
# case: parameters tensordesc<fp16[64,32]:16>, (i32, (*fp32, 4)), tensordesc<fp64[8]:16:nan>
# want: ok
# case: parameters tensordesc<fp16[64,32]:8>, (i32, (*fp32, 4)), tensordesc<fp64[8]:nan:16>
# want: error 'tensordesc<fp16[64,32]:8>': 'tensordesc<fp16[64,32]:8>' is not a tensor descriptor
# want: help: it is written tensordesc<fp16[64,32]>: a dtype and a block of powers of two
# want: error 'tensordesc<fp64[8]:nan:16>': 'tensordesc<fp64[8]:nan:16>' is not a tensor descriptor
# want: help: it is written tensordesc<fp16[64,32]>: a dtype and a block of powers of two
# case: parameters ((((((((((((((((((1)))))))))))))))))), 3, 4
# want: error '((((((((((((((((((1))))))))))))))))))': tuples are nested more than 16 deep
@triton.jit
def parameters(a, b, c):
    tl.static_assert(b[1][1] == 4)
    tl.store(b[1][0], b[0] + a.shape[0])


# Tuples as arguments: items that are constants, nested, with names.
# case: named_tuple (x=*fp32, n=4, shapes=((16, 32), 8))
# want: ok
@triton.jit
def named_tuple(args):
    i = tl.arange(0, args.n)
    a = tl.zeros(args.shapes[0], tl.float32)
    b = tl.zeros((args.shapes[1], args[1]), tl.float32)
    tl.store(args.x + i, i)


# case: half_named (x=*fp32, 4)
# want: error '(x=*fp32, 4)': all items of a named tuple have names, or none has
# case: half_named (x=,1)
# want: error '=': expected the end of the expression, saw '='
# case: half_named (=1,2)
# want: error '=': expected an expression, saw '='
# case: half_named (x==1,2)
# want: error '(x==1,2)': 'x==1' is not a type or a constant
@triton.jit
def half_named(args):
    pass


# case: block_shape_of_tuple *fp32,(i32, i32),(16, 32)
# want: ok
@triton.jit
def block_shape_of_tuple(p, extent, block):
    d = tl.make_tensor_descriptor(p, extent, [extent[1], 1], block)
    tl.static_assert(d.load([0, 0]).shape[1] == 32)
