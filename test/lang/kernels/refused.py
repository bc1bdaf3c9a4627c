# SPDX-License-Identifier: Apache-2.0
# Calls, control flow, compile-time values and what works across lanes: what is refused, in which words.
import triton
import triton.language as tl
import math
import torch
from triton.language.extra import libdevice
from typing import NamedTuple

K: tl.constexpr = 5
CHANGED = 1
TEXT = "café"
D = {"a": 1}


class Pair(NamedTuple):
    a: tl.tensor
    b: tl.tensor


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def two(a, b):
    return a, b


@triton.jit
def compares(a, b):
    return a < b


@triton.jit
def prints(a, b):
    tl.device_print("a", a)
    return a + b


@triton.jit
def asserts(a, b):
    tl.device_assert(a > 0)
    return a + b


@triton.jit
def counts_atomic(a, b):
    tl.atomic_add(tl.cast(a, tl.pointer_type(tl.int32)), 1)
    return a + b


@triton.jit
def dots(a, b):
    tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float16))
    return a + b


@triton.jit
def pick(a, b, c, d):
    return a + c, b


@triton.jit
def return_two(x):
    if x > 0:
        return 1
    return tl.arange(0, 4)


@triton.jit
def nothing(a):
    pass


@triton.jit
def tuple_of(a):
    return a, "x"


@triton.jit
def widths(a0, a1):
    return a0, a1.to(tl.int64)


@triton.jit
def stars(a, *more):
    return len(more)


@triton.jit
def keywords(a, **more):
    return a


@triton.jit
def constant(n: tl.constexpr):
    return n


@triton.jit
def defaults(a, b=2, c: tl.constexpr = 3):
    return a + b + c


@triton.jit
def again(n):
    return again(n)


# ---- printing and assertions ----


# case: assume_tile
# want: error 'tl.arange(0, 4) > 0': 'assume' needs a scalar, got int1[4]
@triton.jit
def assume_tile():
    tl.assume(tl.arange(0, 4) > 0)


# case: print_many i32
# want: error 'tl.device_print("x", x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x)': too many values to print
@triton.jit
def print_many(x):
    tl.device_print("x", x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x)


# case: print_text i32
# want: error 'tl.device_print("x", "y")': a value to print must be a tensor or a number, got str
@triton.jit
def print_text(x):
    tl.device_print("x", "y")


# case: print_prefix i32
# want: error 'x': the prefix of device_print must be a string, got int32
@triton.jit
def print_prefix(x):
    tl.device_print(x)


# case: print_prefix_beyond i32
# want: error '"é"': the prefix of device_print must be printable ASCII
@triton.jit
def print_prefix_beyond(x):
    tl.device_print("é", x)


# case: print_python i32
# want: error 'x': the first argument of print in a kernel must be a string
@triton.jit
def print_python(x):
    print(x)


# case: print_python_fine i32
# want: ok
@triton.jit
def print_python_fine(x):
    print("x", x)


# case: print_none i32
# want: error 'print()': the first argument of print in a kernel must be a string
@triton.jit
def print_none(x):
    print()


# case: assert_message i32
# want: error '5': 'msg' of 'device_assert' must be a string, got int
@triton.jit
def assert_message(x):
    tl.device_assert(x > 0, 5)


# case: assert_mask i32
# want: error 'x': the mask must be boolean, got int32
@triton.jit
def assert_mask(x):
    tl.device_assert(x > 0, "m", mask=x)


# case: assert_false
# want: error 'tl.static_assert(False)': static assertion failed
@triton.jit
def assert_false():
    tl.static_assert(False)


# case: assert_false_words
# want: error 'tl.static_assert(1 == 2, "one is two")': static assertion failed: one is two
@triton.jit
def assert_false_words():
    tl.static_assert(1 == 2, "one is two")


# case: assert_runtime i32
# want: error 'x > 0': the condition of static_assert is not known at compile time: int1
@triton.jit
def assert_runtime(x):
    tl.static_assert(x > 0)


# case: python_assert i32
# want: ok
@triton.jit
def python_assert(x):
    assert x > 0, "m"


# case: asm_args i32
# want: error 'x': 'args' must be a list of tensors, got int32
@triton.jit
def asm_args(x):
    tl.inline_asm_elementwise("mov.u32 $0, $1;", "=r,r", x, tl.int32, True, 1)


# case: asm_dtype i32
# want: error '5': 'dtype' must be a dtype or a tuple of dtypes
@triton.jit
def asm_dtype(x):
    tl.inline_asm_elementwise("mov.u32 $0, $1;", "=r,r", [x], 5, True, 1)


# case: asm_pack i32
# want: ok
@triton.jit
def asm_pack(x):
    tl.inline_asm_elementwise("mov.u32 $0, $1;", "=r,r", [x], tl.int32, True, 0)


# case: asm_text i32
# want: error '5': 'asm' of 'inline_asm_elementwise' must be a string, got int
@triton.jit
def asm_text(x):
    tl.inline_asm_elementwise(5, "=r,r", [x], tl.int32, True, 1)


# case: asm_constraints i32
# want: ok
@triton.jit
def asm_constraints(x):
    tl.inline_asm_elementwise("mov.u32 $0, $1;", "=r", [x], tl.int32, True, 1)


# case: asm_none
# want: ok
@triton.jit
def asm_none():
    tl.inline_asm_elementwise("mov.u32 $0, 1;", "=r", [], tl.int32, True, 1)


# ---- functions over lanes ----


# case: reduce_number
# want: error '0': axis 0 is out of range for 0 dimensions
@triton.jit
def reduce_number():
    tl.reduce(5, 0, add)


# case: reduce_shapes
# want: error '(tl.arange(0, 4), tl.arange(0, 8))': 'reduce' needs tensors of one shape, got int32[4] and int32[8]
@triton.jit
def reduce_shapes():
    tl.reduce((tl.arange(0, 4), tl.arange(0, 8)), 0, two)


# case: reduce_count
# want: error 'two': the combine function must return 1 value, it returns 2
@triton.jit
def reduce_count():
    tl.reduce(tl.arange(0, 4), 0, two)


# case: reduce_few
# want: error '(tl.arange(0, 4), tl.arange(0, 4))': 'add' takes 2 arguments, this is one more
# want: note 'add': 'add' is defined here
@triton.jit
def reduce_few():
    tl.reduce((tl.arange(0, 4), tl.arange(0, 4)), 0, add)


# case: reduce_function
# want: error '5': the combine function must be a jit function, got int
@triton.jit
def reduce_function():
    tl.reduce(tl.arange(0, 4), 0, 5)


# case: reduce_axis
# want: error '1': axis 1 is out of range for 1 dimension
# want: help: axes are counted from 0 to 0, or from the end from -1 to -1
@triton.jit
def reduce_axis():
    tl.reduce(tl.arange(0, 4), 1, add)


# case: reduce_axis_low
# want: error '-2': axis -2 is out of range for 1 dimension
# want: help: axes are counted from 0 to 0, or from the end from -1 to -1
@triton.jit
def reduce_axis_low():
    tl.reduce(tl.arange(0, 4), -2, add)


# case: reduce_axis_kind
# want: error '0.5': the axis must be a compile-time int, got float
@triton.jit
def reduce_axis_kind():
    tl.reduce(tl.arange(0, 4), 0.5, add)


# case: reduce_type
# want: error 'compares': the combine function must return the type of its operands, int32, not int1
# want: help: cast the input first, or the result with .to(..)
@triton.jit
def reduce_type():
    tl.reduce(tl.arange(0, 4), 0, compares)


# case: reduce_prints
# want: refused 'tl.device_print("a", a)': printing in a combine function is not supported
# want: note 'prints': in the call of 'prints' here
@triton.jit
def reduce_prints():
    tl.reduce(tl.arange(0, 4), 0, prints)


# case: reduce_asserts
# want: refused 'tl.device_assert(a > 0)': an assertion in a combine function is not supported
# want: note 'asserts': in the call of 'asserts' here
@triton.jit
def reduce_asserts():
    tl.reduce(tl.arange(0, 4), 0, asserts)


# case: reduce_atomic
# want: error 'tl.atomic_add(tl.cast(a, tl.pointer_type(tl.int32)), 1)': tl.atomic_add is not possible in a combine function: it may run any number of times
# want: note 'counts_atomic': in the call of 'counts_atomic' here
@triton.jit
def reduce_atomic():
    tl.reduce(tl.arange(0, 4), 0, counts_atomic)


# case: reduce_dots
# want: error 'tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float16))': tl.dot is not possible in a combine function
# want: note 'dots': in the call of 'dots' here
@triton.jit
def reduce_dots():
    tl.reduce(tl.arange(0, 4), 0, dots)


# case: reduce_shapes_of
# want: ok
@triton.jit
def reduce_shapes_of():
    a = tl.zeros((4, 8, 2), tl.int32)
    tl.static_assert(tl.reduce(a, 0, add).shape == (8, 2))
    tl.static_assert(tl.reduce(a, 1, add).shape == (4, 2))
    tl.static_assert(tl.reduce(a, -1, add).shape == (4, 8))
    tl.static_assert(tl.reduce(a, 1, add, keep_dims=True).shape == (4, 1, 2))
    tl.static_assert(tl.reduce(a, None, add).shape == ())
    tl.static_assert(tl.reduce(a, None, add, keep_dims=True).shape == (1, 1, 1))
    tl.static_assert(tl.reduce((a, a), 2, pick)[1].shape == (4, 8))


# case: scan_scalar i32
# want: error 'x': a scan needs a tensor with a dimension, got a scalar
@triton.jit
def scan_scalar(x):
    tl.associative_scan(x, 0, add)


# case: scan_axis
# want: error '1': axis 1 is out of range for 1 dimension
# want: help: axes are counted from 0 to 0, or from the end from -1 to -1
@triton.jit
def scan_axis():
    tl.associative_scan(tl.arange(0, 4), 1, add)


# case: scan_count
# want: error 'two': the combine function must return 1 value, it returns 2
@triton.jit
def scan_count():
    tl.associative_scan(tl.arange(0, 4), 0, two)


# case: gather_index
# want: error 'tl.zeros((4,), tl.float32)': the index of 'gather' must be integers, got fp32[4]
@triton.jit
def gather_index():
    tl.gather(tl.arange(0, 4), tl.zeros((4,), tl.float32), 0)


# case: gather_rank
# want: error 'tl.zeros((4, 4), tl.int32)': 'gather' needs an index of the same rank, got int32[4] and int32[4, 4]
@triton.jit
def gather_rank():
    tl.gather(tl.arange(0, 4), tl.zeros((4, 4), tl.int32), 0)


# case: gather_shape
# want: error 'tl.zeros((4, 4), tl.int32)': dimension 1 of the index must match: int32[4, 8] and int32[4, 4]
@triton.jit
def gather_shape():
    tl.gather(tl.zeros((4, 8), tl.int32), tl.zeros((4, 4), tl.int32), 0)


# case: gather_shape_other
# want: error 'tl.zeros((2, 8), tl.int32)': dimension 0 of the index must match: int32[4, 8] and int32[2, 8]
@triton.jit
def gather_shape_other():
    tl.gather(tl.zeros((4, 8), tl.int32), tl.zeros((2, 8), tl.int32), 1)


# case: gather_axis
# want: error '2': axis 2 is out of range for 2 dimensions
# want: help: axes are counted from 0 to 1, or from the end from -1 to -2
@triton.jit
def gather_axis():
    tl.gather(tl.zeros((4, 8), tl.int32), tl.zeros((4, 4), tl.int32), 2)


# case: gather_fine
# want: ok
@triton.jit
def gather_fine():
    tl.static_assert(tl.gather(tl.zeros((4, 8), tl.float16), tl.zeros((4, 2), tl.int32), 1).shape == (4, 2))
    tl.static_assert(tl.gather(tl.zeros((4, 8), tl.float16), tl.zeros((16, 8), tl.int64), -2).shape == (16, 8))


# case: histogram_rank
# want: error 'tl.zeros((4, 4), tl.int32)': 'histogram' needs one dimension, got int32[4, 4]
@triton.jit
def histogram_rank():
    tl.histogram(tl.zeros((4, 4), tl.int32), 8)


# case: histogram_type
# want: error 'tl.zeros((4,), tl.float32)': 'histogram' needs integers, got fp32[4]
@triton.jit
def histogram_type():
    tl.histogram(tl.zeros((4,), tl.float32), 8)


# case: histogram_bins
# want: error '6': the number of bins must be a power of 2, got 6
@triton.jit
def histogram_bins():
    tl.histogram(tl.zeros((4,), tl.int32), 6)


# case: histogram_none
# want: error '0': the number of bins must be a power of 2, got 0
@triton.jit
def histogram_none():
    tl.histogram(tl.zeros((4,), tl.int32), 0)


# case: more_bins_than_lanes
# want: error '1 << 21': 2097152 bins are more than the limit of 1048576
@triton.jit
def more_bins_than_lanes():
    tl.histogram(tl.zeros((4,), tl.int32), 1 << 21)


# case: histogram_mask
# want: error 'tl.histogram(tl.zeros((4,), tl.int32), 8, mask=tl.arange(0, 8) > 2)': cannot broadcast [8] to [4]: dimension 0 is neither 1 nor 4
@triton.jit
def histogram_mask():
    tl.histogram(tl.zeros((4,), tl.int32), 8, mask=tl.arange(0, 8) > 2)


# case: histogram_int_mask
# want: error 'tl.arange(0, 4)': the mask must be boolean, got int32
@triton.jit
def histogram_int_mask():
    tl.histogram(tl.zeros((4,), tl.int32), 8, mask=tl.arange(0, 4))


# case: dot_precisions
# want: error 'True': only one of input_precision and allow_tf32 may be given
@triton.jit
def dot_precisions():
    a = tl.zeros((16, 16), tl.float32)
    tl.dot(a, a, input_precision="ieee", allow_tf32=True)


# case: dot_precision_word
# want: error '"exact"': unknown input_precision 'exact': 'tf32', 'tf32x3', 'ieee', 'bf16x3' and 'bf16x6' are possible
@triton.jit
def dot_precision_word():
    a = tl.zeros((16, 16), tl.float32)
    tl.dot(a, a, input_precision="exact")


# case: dot_vectors
# want: error 'tl.arange(0, 16)': tl.dot does not support int32
@triton.jit
def dot_vectors():
    tl.dot(tl.arange(0, 16), tl.arange(0, 16))


# case: dot_ranks
# want: error 'tl.dot(tl.zeros((2, 16, 16), tl.float16), tl.zeros((16, 16), tl.float16))': tl.dot needs two tensors of 2 or 3 dimensions, got fp16[2, 16, 16] and fp16[16, 16]
@triton.jit
def dot_ranks():
    tl.dot(tl.zeros((2, 16, 16), tl.float16), tl.zeros((16, 16), tl.float16))


# case: dot_batches
# want: error 'tl.dot(tl.zeros((2, 16, 16), tl.float16), tl.zeros((4, 16, 16), tl.float16))': the shapes of tl.dot do not fit: [2, 16, 16] and [4, 16, 16] (columns of the first, rows of the second)
@triton.jit
def dot_batches():
    tl.dot(tl.zeros((2, 16, 16), tl.float16), tl.zeros((4, 16, 16), tl.float16))


# case: dot_columns
# want: error 'tl.dot(tl.zeros((16, 32), tl.float16), tl.zeros((16, 32), tl.float16))': the shapes of tl.dot do not fit: [16, 32] and [16, 32] (columns of the first, rows of the second)
@triton.jit
def dot_columns():
    tl.dot(tl.zeros((16, 32), tl.float16), tl.zeros((16, 32), tl.float16))


# case: dot_bf16
# want: error 'tl.bfloat16': a tl.dot result of bf16 is not supported
# want: help: use fp32 or fp16 and cast with .to(tl.bfloat16)
@triton.jit
def dot_bf16():
    a = tl.zeros((16, 16), tl.bfloat16)
    tl.dot(a, a, out_dtype=tl.bfloat16)


# case: dot_int_result
# want: error 'tl.int32': a tl.dot of fp16 gives fp32 or fp16, not int32
@triton.jit
def dot_int_result():
    a = tl.zeros((16, 16), tl.float16)
    tl.dot(a, a, out_dtype=tl.int32)


# case: dot_float_of_ints
# want: ok
@triton.jit
def dot_float_of_ints():
    a = tl.zeros((32, 32), tl.int8)
    tl.dot(a, a, out_dtype=tl.float32)


# case: dot_scalars fp32
# want: error 'x': the operands of tl.dot must be tensors, not scalars
@triton.jit
def dot_scalars(x):
    tl.dot(x, x)


# case: dot_numbers
# want: error '1': the operands of tl.dot must be tensors, not scalars
@triton.jit
def dot_numbers():
    tl.dot(1, 2)


# case: dot_types
# want: error 'tl.zeros((16, 16), tl.float32)': tl.dot needs operands of one type, got fp16 and fp32
# want: help: cast one of them with .to(..)
@triton.jit
def dot_types():
    tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float32))


# case: dot_int32
# want: error 'a': tl.dot does not support int32
@triton.jit
def dot_int32():
    a = tl.zeros((16, 16), tl.int32)
    tl.dot(a, a)


# case: dot_acc_shape
# want: error 'tl.zeros((16, 32), tl.float32)': the accumulator of this tl.dot must be fp32[16, 16], got fp32[16, 32]
@triton.jit
def dot_acc_shape():
    a = tl.zeros((16, 16), tl.float16)
    tl.dot(a, a, tl.zeros((16, 32), tl.float32))


# case: dot_acc_type
# want: error 'tl.dot(a, a, tl.zeros((16, 16), tl.int32))': a tl.dot of fp16 gives fp32 or fp16, not int32
@triton.jit
def dot_acc_type():
    a = tl.zeros((16, 16), tl.float16)
    tl.dot(a, a, tl.zeros((16, 16), tl.int32))


# case: dot_small
# want: ok
@triton.jit
def dot_small():
    tl.dot(tl.zeros((1, 16), tl.float16), tl.zeros((16, 1), tl.float16))


# case: dot_types_of
# want: ok
@triton.jit
def dot_types_of():
    h = tl.zeros((16, 32), tl.float16)
    k = tl.zeros((32, 64), tl.float16)
    tl.static_assert(tl.dot(h, k).shape == (16, 64))
    tl.static_assert(tl.dot(h, k).dtype == tl.float32)
    tl.static_assert(tl.dot(h, k, out_dtype=tl.float16).dtype == tl.float16)
    tl.static_assert(tl.dot(h.to(tl.float64), k.to(tl.float64)).dtype == tl.float64)
    tl.static_assert(tl.dot(h.to(tl.int8), k.to(tl.int8)).dtype == tl.int32)
    tl.static_assert(tl.dot(h.to(tl.float8e5), k.to(tl.float8e5)).dtype == tl.float32)


# case: map_number
# want: ok
@triton.jit
def map_number():
    tl.map_elementwise(add, 1, 2)


# case: map_text
# want: error 'tl.arange(0, 4)': map_elementwise needs tensors, got str
@triton.jit
def map_text():
    tl.map_elementwise(add, tl.arange(0, 4), "a")


# case: map_result
# want: error 'tuple_of': the function must give numbers, not str
@triton.jit
def map_result():
    tl.map_elementwise(tuple_of, tl.arange(0, 4))


# case: map_nothing
# want: error 'nothing': the function must give numbers, not None
@triton.jit
def map_nothing():
    tl.map_elementwise(nothing, tl.arange(0, 4))


# case: map_widths
# want: error 'widths': the packed results differ: int32[2] and int64[2]
@triton.jit
def map_widths():
    tl.map_elementwise(widths, tl.arange(0, 4), pack=2)


# case: map_function
# want: error '5': 'scalar_fn' must be a jit function, got int
@triton.jit
def map_function():
    tl.map_elementwise(5, tl.arange(0, 4))


# case: map_pack_text
# want: error '"two"': 'pack' of 'map_elementwise' must be a compile-time int, got str
@triton.jit
def map_pack_text():
    tl.map_elementwise(add, tl.arange(0, 4), tl.arange(0, 4), pack="two")


# case: map_fine
# want: ok
@triton.jit
def map_fine():
    tl.static_assert(tl.map_elementwise(add, tl.arange(0, 4), tl.arange(0, 4)).shape == (4,))
    tl.static_assert(tl.map_elementwise(add, tl.arange(0, 4), 3).shape == (4,))


# ---- compile-time values ----


# case: constexpr_tensor i32
# want: error 'x': tl.constexpr of a value that is known at run time only
@triton.jit
def constexpr_tensor(x):
    tl.constexpr(x)


# case: int_tensor i32
# want: error 'x': int() of a tensor is not possible at compile time
# want: help: use .to(tl.int32)
@triton.jit
def int_tensor(x):
    int(x)


# case: float_tensor i32
# want: error 'x': float() of a tensor is not possible at compile time
# want: help: use .to(tl.float32)
@triton.jit
def float_tensor(x):
    float(x)


# case: bool_tensor i32
# want: error 'x': bool() of int32 is not possible at compile time
@triton.jit
def bool_tensor(x):
    bool(x)


# case: str_tensor i32
# want: error 'x': str() of a tensor is not possible
@triton.jit
def str_tensor(x):
    str(x)


# case: int_dtype
# want: error 'tl.int32': int() of dtype is not possible
@triton.jit
def int_dtype():
    int(tl.int32)


# case: len_scalar i32
# want: error 'x': len() of int32 is not possible
@triton.jit
def len_scalar(x):
    len(x)


# case: len_tile
# want: ok
@triton.jit
def len_tile():
    tl.static_assert(len(tl.zeros((8, 4), tl.int8)) == 8)


# case: tuple_number
# want: error '5': tuple() of int is not supported
@triton.jit
def tuple_number():
    tuple(5)


# case: constexpr_type_tensor i32
# want: error 'x': 'constexpr_type' needs a compile-time value
@triton.jit
def constexpr_type_tensor(x):
    tl.constexpr_type(x)


# case: isinstance_unknown i32
# want: refused 'torch.Tensor': isinstance with this type is not supported
@triton.jit
def isinstance_unknown(x):
    isinstance(x, torch.Tensor)


# case: isinstance_all i32
# want: ok
@triton.jit
def isinstance_all(x):
    tl.static_assert(isinstance(1, int) and isinstance(True, int) and not isinstance(1.0, int))
    tl.static_assert(isinstance(1.0, float) and not isinstance(1, float))
    tl.static_assert(isinstance(True, bool) and not isinstance(1, bool))
    tl.static_assert(isinstance("a", str) and not isinstance(1, str))
    tl.static_assert(isinstance((1,), tuple) and not isinstance(1, tuple))
    tl.static_assert(isinstance([1], tuple) and not isinstance((1,), list))
    tl.static_assert(isinstance(x, tl.tensor) and not isinstance(1, tl.tensor))
    tl.static_assert(isinstance(1, tl.constexpr) and isinstance(None, tl.constexpr) and isinstance("", tl.constexpr))
    tl.static_assert(not isinstance(x, tl.constexpr) and not isinstance((1,), tl.constexpr))
    tl.static_assert(isinstance(tl.int8, tl.dtype) and not isinstance(1, tl.dtype))
    tl.static_assert(isinstance(tl.pointer_type(tl.int8), tl.pointer_type) and not isinstance(tl.int8, tl.pointer_type))
    tl.static_assert(isinstance(tl.block_type(tl.int8, [4]), tl.block_type) and not isinstance(tl.int8, tl.block_type))
    tl.static_assert(isinstance(1, (str, int)) and not isinstance(1, (str, float)))
    tl.static_assert(isinstance(tl.constexpr_type(3), tl.constexpr_type) and not isinstance(3, tl.constexpr_type))


# case: isinstance_some i32
# want: refused '(int, torch.Tensor)': isinstance with this type is not supported
@triton.jit
def isinstance_some(x):
    isinstance(x, (int, torch.Tensor))


# case: type_of i32
# want: refused 'type(x)': type() in a kernel is not supported
@triton.jit
def type_of(x):
    type(x)


# case: starts_number
# want: error '5': a string is needed here
@triton.jit
def starts_number():
    "abc".startswith(5)


# case: upper_fine
# want: ok
@triton.jit
def upper_fine():
    tl.static_assert("aZ1".upper() == "AZ1" and "aZ1".lower() == "az1")
    tl.static_assert("abc".startswith("ab") and not "abc".startswith("bc") and "abc".endswith("bc") and not "abc".endswith("ab"))
    tl.static_assert("abc"[1] == "b" and "abc"[-1] == "c" and len("abc") == 3)


# case: letters_beyond
# want: refused 'TEXT[0]': letters of text beyond ASCII are not supported
@triton.jit
def letters_beyond():
    TEXT[0]


# case: length_beyond
# want: refused 'TEXT': len() of text beyond ASCII is not supported
@triton.jit
def length_beyond():
    len(TEXT)


# case: upper_beyond
# want: refused 'TEXT': upper() of text beyond ASCII is not supported
@triton.jit
def upper_beyond():
    TEXT.upper()


# case: text_index
# want: error '3': index 3 is out of range for 3 items
@triton.jit
def text_index():
    "abc"[3]


# case: text_index_low
# want: error '-4': index -4 is out of range for 3 items
@triton.jit
def text_index_low():
    "abc"[-4]


# case: tuple_index
# want: error '2': index 2 is out of range for 2 items
@triton.jit
def tuple_index():
    (1, 2)[2]


# case: tuple_index_one
# want: error '-2': index -2 is out of range for 1 item
@triton.jit
def tuple_index_one():
    (1,)[-2]


# case: tuple_index_kind
# want: error '"a"': the index of a tuple must be a compile-time int, got str
@triton.jit
def tuple_index_kind():
    (1, 2)["a"]


# case: tuple_index_tensor i32
# want: error 'x': the index of a tuple must be a compile-time int, got int32
@triton.jit
def tuple_index_tensor(x):
    (1, 2)[x]


# case: tuple_slice_kind
# want: error '(1, 2)["a":]': a slice of a tuple needs compile-time ints, got str
@triton.jit
def tuple_slice_kind():
    (1, 2)["a":]


# case: tuple_slice_step
# want: refused '(1, 2, 3)[::2]': a slice with this step is not supported
@triton.jit
def tuple_slice_step():
    (1, 2, 3)[::2]


# case: tuple_slices
# want: ok
@triton.jit
def tuple_slices():
    tl.static_assert((1, 2, 3, 4)[1:] == (2, 3, 4) and (1, 2, 3, 4)[:1] == (1,) and (1, 2, 3, 4)[-2:] == (3, 4))
    tl.static_assert((1, 2, 3, 4)[:-1] == (1, 2, 3) and (1, 2, 3, 4)[5:] == () and (1, 2, 3, 4)[:9] == (1, 2, 3, 4))
    tl.static_assert((1, 2, 3, 4)[-9:2] == (1, 2) and (1, 2, 3, 4)[3:1] == () and (1, 2, 3, 4)[::-1] == (4, 3, 2, 1))
    tl.static_assert((1, 2, 3, 4)[1:3] == (2, 3) and (1, 2, 3, 4)[:] == (1, 2, 3, 4) and (1, 2, 3, 4)[::1] == (1, 2, 3, 4))
    tl.static_assert((1, 2, 3, 4)[-1] == 4 and (1, 2, 3, 4)[-4] == 1 and (1, 2, 3, 4)[True] == 2)


# case: matched_global
# want: error 'MATCHED + 1': the value of 'MATCHED', which a 'match' binds, is not known at compile time
# want: help: --global MATCHED=VALUE gives it one
MATCHED = CAPTURED = 1
match "b":
    case "a": MATCHED = 2
    case CAPTURED: MATCHED = 3


@triton.jit
def matched_global():
    MATCHED + 1


# case: captured_global
# want: error 'CAPTURED + 1': the value of 'CAPTURED', which a 'match' binds, is not known at compile time
# want: help: --global CAPTURED=VALUE gives it one
@triton.jit
def captured_global():
    CAPTURED + 1


# case: changed_global
# want: error 'CHANGED + 1': the value of 'CHANGED' is not known at compile time
# want: help: --global CHANGED=VALUE gives it one
@triton.jit
def changed_global():
    CHANGED + 1


# case: dict_key
# want: error '"b"': the dict has no such key
@triton.jit
def dict_key():
    D["b"]


# case: dict_item
# want: ok
@triton.jit
def dict_item():
    tl.static_assert(D["a"] == 1)


# case: number_index
# want: error 'K[0]': int cannot be indexed
@triton.jit
def number_index():
    K[0]


# case: launches
# want: error 'add[(1,)]': a kernel cannot launch another one: call jit functions without a grid
@triton.jit
def launches():
    add[(1,)](1, 2)


# case: truth_of_class
# want: error 'Pair': a condition must be a bool, an int, None or a scalar tensor, got class
@triton.jit
def truth_of_class():
    1 if Pair else 2


# case: not_known
# want: error 'torch.cuda.is_available()': the value of 'is_available' of 'cuda' of the module 'torch' is not known at compile time
@triton.jit
def not_known():
    1 if torch.cuda.is_available() else 2


# case: literal_wide
# want: error '99999999999999999999999999999999999999999999': the integer literal needs more than 122 bits
@triton.jit
def literal_wide():
    99999999999999999999999999999999999999999999


# case: literal_64
# want: ok
@triton.jit
def literal_64():
    tl.static_assert(0xffffffffffffffff == 18446744073709551615)


# case: dict_comprehension
# want: error '{i: i for i in (1, 2)}': a dict comprehension is not supported in a kernel
@triton.jit
def dict_comprehension():
    {i: i for i in (1, 2)}


# case: two_clauses
# want: error '[i + j for i in (1, 2) for j in (3, 4)]': only a comprehension with one 'for' and no 'if' is supported in a kernel
@triton.jit
def two_clauses():
    [i + j for i in (1, 2) for j in (3, 4)]


# case: condition_clause
# want: error '[i for i in (1, 2) if i > 1]': only a comprehension with one 'for' and no 'if' is supported in a kernel
@triton.jit
def condition_clause():
    [i for i in (1, 2) if i > 1]


# case: comprehension_number
# want: error '5': a comprehension in a kernel can run over a tuple only, got int
@triton.jit
def comprehension_number():
    [i for i in 5]


# case: comprehension_fine
# want: ok
@triton.jit
def comprehension_fine():
    tl.static_assert([i + 1 for i in (1, 2)] == [2, 3])


# case: module_attribute
# want: error 'math.nothing': module 'math' has no attribute 'nothing'
@triton.jit
def module_attribute():
    math.nothing


# case: starred_alone
# want: ok
@triton.jit
def starred_alone():
    (*(1, 2),)


# case: math_of_tensor fp32
# want: error 'x': math.sqrt needs a compile-time number, got fp32
@triton.jit
def math_of_tensor(x):
    math.sqrt(x)


# case: value_of_tensor i32
# want: error 'x.value': a tensor has no attribute 'value'
# want: help: '.value' is for compile-time values: this one is known at run time only
@triton.jit
def value_of_tensor(x):
    x.value


# case: torch_dtype
# want: error 'torch.float32(1.0)': a dtype of torch cannot be called in a kernel
@triton.jit
def torch_dtype():
    torch.float32(1.0)


# case: dtype_call i32
# want: ok
@triton.jit
def dtype_call(x):
    tl.static_assert(tl.float32(x).dtype == tl.float32)


# case: dtype_calls i32
# want: error 'tl.float32(x, x)': a dtype takes one argument
@triton.jit
def dtype_calls(x):
    tl.float32(x, x)


# case: call_number
# want: error 'K(1)': int cannot be called
@triton.jit
def call_number():
    K(1)


# case: call_text
# want: error '"abc"(1)': str cannot be called
@triton.jit
def call_text():
    "abc"(1)


# case: call_tensor i32
# want: error 'x(1)': int32 cannot be called
@triton.jit
def call_tensor(x):
    x(1)


# case: finfo_number
# want: error '5': torch.finfo needs a torch dtype, got int
@triton.jit
def finfo_number():
    torch.finfo(5)


# case: finfo_int
# want: error 'torch.int32': torch.finfo needs a floating-point dtype
@triton.jit
def finfo_int():
    torch.finfo(torch.int32)


# case: finfo_language
# want: error 'tl.float32': torch.finfo needs a torch dtype, got dtype
@triton.jit
def finfo_language():
    torch.finfo(tl.float32)


# case: iinfo_float
# want: error 'torch.float32': torch.iinfo needs an integer dtype
@triton.jit
def iinfo_float():
    torch.iinfo(torch.float32)


# case: iinfo_number
# want: error '5': torch.iinfo needs a torch dtype, got int
@triton.jit
def iinfo_number():
    torch.iinfo(5)


# case: iinfo_bool
# want: error 'torch.bool': torch.iinfo needs an integer dtype
@triton.jit
def iinfo_bool():
    torch.iinfo(torch.bool)


# case: infos
# want: ok
@triton.jit
def infos():
    tl.static_assert(torch.iinfo(torch.int8).min == -128 and torch.iinfo(torch.int8).max == 127 and torch.iinfo(torch.int8).bits == 8)
    tl.static_assert(torch.iinfo(torch.uint8).min == 0 and torch.iinfo(torch.uint8).max == 255)
    tl.static_assert(torch.iinfo(torch.int64).min == -9223372036854775808 and torch.iinfo(torch.int64).max == 9223372036854775807)
    tl.static_assert(torch.finfo(torch.float16).max == 65504.0 and torch.finfo(torch.float16).min == -65504.0)
    tl.static_assert(torch.finfo(torch.float16).eps == 0.0009765625 and torch.finfo(torch.float16).tiny == 6.103515625e-05)
    tl.static_assert(torch.finfo(torch.float32).eps == 1.1920928955078125e-07 and torch.finfo(torch.float32).bits == 32)
    tl.static_assert(torch.finfo(torch.float64).eps == 2.220446049250313e-16 and torch.finfo(torch.bfloat16).eps == 0.0078125)
    tl.static_assert(torch.float16.itemsize == 2 and torch.int8.itemsize == 1 and torch.float64.itemsize == 8 and torch.bool.itemsize == 1)
    tl.static_assert(torch.float16.is_floating_point and not torch.int8.is_floating_point)


# ---- calls ----


# case: double_star
# want: refused 'more': '**more' of a jit function is not supported
@triton.jit
def double_star():
    keywords(1)


# case: constant_argument i32
# want: ok
@triton.jit
def constant_argument(x):
    constant(x)


# case: missing
# want: error 'add(1)': the argument 'b' of 'add' is missing
# want: note 'add': 'add' is defined here
@triton.jit
def missing():
    add(1)


# case: surplus
# want: error '3': 'add' takes 2 arguments, this is one more
# want: note 'add': 'add' is defined here
@triton.jit
def surplus():
    add(1, 2, 3)


# case: twice
# want: error '2': parameter 'a' of 'add' is given twice
@triton.jit
def twice():
    add(1, a=2)


# case: unknown
# want: error '2': 'add' has no parameter 'c'
# want: note 'add': 'add' is defined here
@triton.jit
def unknown():
    add(1, c=2)


# case: star_call
# want: error '*(1, 2, 3)': 'add' takes 2 arguments, this is one more
# want: note 'add': 'add' is defined here
@triton.jit
def star_call():
    add(*(1, 2, 3))


# case: star_number
# want: error '*5': '*' needs a tuple, got int
@triton.jit
def star_number():
    add(*5)


# case: star_star
# want: refused '**{"a": 1}': '**' in a call in a kernel is not supported
@triton.jit
def star_star():
    add(**{"a": 1})


# case: endless i32
# want: error 'again(n)': calls are nested more than 96 deep: the recursion of 'again' does not end at compile time
# want: note 'again(n)': in the call of 'again' here
# want: note 'again(n)': in the call of 'again' here
# want: note 'again(n)': in the call of 'again' here
@triton.jit
def endless(x):
    again(x)


# case: calls_fine i32
# want: ok
@triton.jit
def calls_fine(x):
    tl.static_assert(stars(1) == 0 and stars(1, 2, 3) == 2 and stars(1, *(2, 3, 4)) == 3)
    tl.static_assert(defaults(1) == 6 and defaults(1, 5) == 9 and defaults(1, c=7) == 10 and defaults(b=1, a=2) == 6)
    tl.static_assert(add(*(1, 2)) == 3 and add(b=1, a="") == "" if False else True)
    tl.static_assert(defaults(x).dtype == tl.int32)


# case: default_tensor i32
# want: ok
@triton.jit
def default_tensor(x):
    defaults(1, 2, x)


# case: pair_missing i32
# want: error 'Pair(x)': field 'b' of 'Pair' is missing
@triton.jit
def pair_missing(x):
    Pair(x)


# case: pair_field i32
# want: error 'Pair(x, x).c': named tuple has no attribute 'c'
@triton.jit
def pair_field(x):
    Pair(x, x).c


# case: pair_fine i32
# want: ok
@triton.jit
def pair_fine(x):
    tl.static_assert(Pair(x, 5).b == 5 and Pair(5, x)[0] == 5 and len(Pair(x, x)) == 2 and Pair(b=1, a=2).a == 2)
    p = Pair(x, x > 0)
    tl.static_assert(p.a.dtype == tl.int32 and p.b.dtype == tl.int1 and p[1].dtype == tl.int1)


# ---- control flow ----


# case: arm_constant i32,3
# want: error 'n = 4': 'n' is a compile-time value (int) before the run-time 'if': it cannot become int32 in one arm only
# want: note 'if x > 0:': this condition is known at run time only
@triton.jit
def arm_constant(x, n: tl.constexpr):
    if x > 0:
        n = 4


# case: arm_constant_type i32,3
# want: error '"a"': str cannot be assigned to a run-time variable
# want: help: declare the variable as 'name: tl.constexpr = ..'
# want: error '"b"': str cannot be assigned to a run-time variable
# want: help: declare the variable as 'name: tl.constexpr = ..'
@triton.jit
def arm_constant_type(x, n: tl.constexpr):
    if x > 0:
        n = "a"
    else:
        n = "b"


# case: arm_text i32
# want: error '"a"': str cannot be assigned to a run-time variable
# want: help: declare the variable as 'name: tl.constexpr = ..'
@triton.jit
def arm_text(x):
    if x > 0:
        s = "a"
    else:
        s = 1


# case: arm_only i32
# want: error 'y': 'y' is not defined
# want: note 'y = 1': 'y' is only assigned inside a run-time 'if', 'for' or 'while' here: give it a value before
@triton.jit
def arm_only(x):
    if x > 0:
        y = 1
    y + 1


# case: arm_in_loop i32
# want: error 'y': 'y' is not defined
# want: note 'y = i': 'y' is only assigned inside a run-time 'if', 'for' or 'while' here: give it a value before
@triton.jit
def arm_in_loop(x):
    for i in range(x):
        if x > 0:
            y = i
        else:
            pass
        z = y


# case: arm_shapes i32
# want: error 'y = tl.arange(0, 8)': 'y' is int32[4] in the 'then' arm but int32[8] in the 'else' arm
# want: note 'y = tl.arange(0, 4)': in the 'then' arm it is set here
# want: help: cast one of them with .to(..)
@triton.jit
def arm_shapes(x):
    if x > 0:
        y = tl.arange(0, 4)
    else:
        y = tl.arange(0, 8)


# case: arm_types i32
# want: error 'y = 1.5': 'y' is int32 in the 'then' arm but fp32 in the 'else' arm
# want: note 'y = x': in the 'then' arm it is set here
# want: help: cast one of them with .to(..)
@triton.jit
def arm_types(x):
    if x > 0:
        y = x
    else:
        y = 1.5


# case: arm_pointer i32,*fp32
# want: error 'y = x': 'y' is pointer<fp32> in the 'then' arm but int32 in the 'else' arm
# want: note 'y = p': in the 'then' arm it is set here
# want: help: cast one of them with .to(..)
@triton.jit
def arm_pointer(x, p):
    if x > 0:
        y = p
    else:
        y = x


# case: while_walrus i32
# want: refused '(y := x) > 0': ':=' in the condition of a 'while' is not supported
@triton.jit
def while_walrus(x):
    while (y := x) > 0:
        x -= 1


# case: while_tile
# want: error 'x > 0': the truth of a tensor with more than one element is ambiguous: int1[4]
# want: help: use tl.where, or reduce it to a scalar first, as in tl.sum or tl.max
@triton.jit
def while_tile():
    x = tl.arange(0, 4)
    while x > 0:
        x -= 1


# case: if_tile
# want: error 'tl.arange(0, 4) > 0': the truth of a tensor with more than one element is ambiguous: int1[4]
# want: help: use tl.where, or reduce it to a scalar first, as in tl.sum or tl.max
@triton.jit
def if_tile():
    if tl.arange(0, 4) > 0:
        pass


# case: if_float fp32
# want: ok
@triton.jit
def if_float(x):
    if x:
        pass


# case: for_target i32
# want: error 'x[0]': the target of 'for' must be a name
@triton.jit
def for_target(x):
    for x[0] in range(3):
        pass


# case: for_pair
# want: error 'a, b': the target of 'for' must be a name
@triton.jit
def for_pair():
    for a, b in range(3):
        pass


# case: for_tile
# want: error 'tl.arange(0, 4)': 'for' runs over range, tl.range and tl.static_range only, got int32[4]
@triton.jit
def for_tile():
    for a in tl.arange(0, 4):
        pass


# case: for_number
# want: error '5': 'for' runs over range, tl.range and tl.static_range only, got int
@triton.jit
def for_number():
    for a in 5:
        pass


# case: for_items
# want: error '((1, 2), (3, 4))': 'for' runs over range, tl.range and tl.static_range only, got tuple
# want: help: use 'for i in tl.static_range(len(t))' and t[i]
@triton.jit
def for_items():
    s = 0
    for a, b in ((1, 2), (3, 4)):
        s += a * b
    tl.static_assert(s == 14)


# case: for_static *i32
# want: ok
@triton.jit
def for_static(p):
    for i in tl.static_range(10, 0, -3):
        tl.static_assert(i == 10 or i == 7 or i == 4 or i == 1)
        tl.store(p + i, i)
    for i in tl.static_range(3):
        tl.static_assert(i < 3 and i >= 0)
    for i in tl.static_range(2, 4):
        tl.static_assert(i == 2 or i == 3)
    for i in tl.static_range(0):
        tl.static_assert(False)
    for i in tl.static_range(5, 5, -1):
        tl.static_assert(False)


# case: constant_twice
# want: error 's: tl.constexpr = 2': 's' is already defined: a tl.constexpr cannot be assigned again
# want: note 's: tl.constexpr = 1': the first definition is here
@triton.jit
def constant_twice():
    s: tl.constexpr = 1
    s: tl.constexpr = 2


# case: static_step
# want: error 'tl.static_range(0, 4, 0)': the step of a loop must not be 0
@triton.jit
def static_step():
    for i in tl.static_range(0, 4, 0):
        pass


# case: static_runtime i32
# want: error 'tl.static_range(x)': tl.static_range needs compile-time ints, got int32
# want: help: use range or tl.range for a loop with run-time bounds
@triton.jit
def static_runtime(x):
    for i in tl.static_range(x):
        pass


# case: range_zero
# want: error 'range(0, 4, 0)': the step of a loop must not be 0
@triton.jit
def range_zero():
    for i in range(0, 4, 0):
        pass


# case: range_none
# want: error 'range()': missing argument 'arg1' in the call of 'range'
# want: help: it is range(arg1, arg2=None, step=None, *, num_stages=None, loop_unroll_factor=None, disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, disable_licm=False)
@triton.jit
def range_none():
    for i in range():
        pass


# case: range_many
# want: error '4': 'range' takes 3 arguments by position, this is one more
# want: help: it is range(arg1, arg2=None, step=None, *, num_stages=None, loop_unroll_factor=None, disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, disable_licm=False)
@triton.jit
def range_many():
    for i in range(1, 2, 3, 4):
        pass


# case: range_tile
# want: error 'range(tl.arange(0, 4))': the upper bound of a loop must be an integer scalar, got int32[4]
@triton.jit
def range_tile():
    for i in range(tl.arange(0, 4)):
        pass


# case: return_types i32
# want: error 'tl.arange(0, 4)': return types differ: int32 and int32[4]
# want: note 'return_two(x)': in the call of 'return_two' here
# want: note '1': the other return is here
@triton.jit
def return_types(x):
    return_two(x)


# case: break_loop i32
# want: error 'break': 'break' is not supported in a kernel
# want: help: mask the work instead, or use 'while' with the condition
@triton.jit
def break_loop(x):
    for i in range(x):
        break


# case: while_else i32
# want: error 'while x > 0:': 'else' of a loop is not supported
# want: help: without 'break' it always runs: put it after the loop
@triton.jit
def while_else(x):
    while x > 0:
        x -= 1
    else:
        x = 5


# case: for_else i32
# want: error 'for i in range(3):': 'else' of a loop is not supported
# want: help: without 'break' it always runs: put it after the loop
@triton.jit
def for_else(x):
    for i in range(3):
        x += 1
    else:
        x = 5


# case: return_in_loop i32
# want: error 'return': 'return' inside a run-time 'for' or 'while' is not supported
# want: help: set a variable and return after the loop
@triton.jit
def return_in_loop(x):
    for i in range(x):
        return


# case: continue_loop i32
# want: error 'continue': 'continue' is not supported in a kernel
# want: help: mask the work instead, or use 'while' with the condition
@triton.jit
def continue_loop(x):
    for i in range(x):
        continue


# ---- statements ----


# case: annotated_item i32
# want: error 'x[0]': only a name can be annotated in a kernel
@triton.jit
def annotated_item(x):
    x[0]: tl.constexpr = 1


# case: annotated_field i32
# want: error 'x.y': only a name can be annotated in a kernel
@triton.jit
def annotated_field(x):
    x.y: tl.constexpr = 1


# case: changed_item i32
# want: error 'x[0]': only a name can be changed with '+=' in a kernel
@triton.jit
def changed_item(x):
    x[0] += 1


# case: assigned_item i32
# want: error 'x[0]': an element of a tensor or tuple cannot be assigned
# want: help: use tl.where to change elements, tl.store to write to memory
@triton.jit
def assigned_item(x):
    x[0] = 1


# case: assigned_field i32
# want: error 'x.y': this cannot be assigned to in a kernel
# want: help: the fields of an aggregate are set in its __init__ only: make another one
@triton.jit
def assigned_field(x):
    x.y = 1


# case: deleted i32
# want: error 'del x': del is not supported in a kernel
# want: help: leave it out: a value that nobody reads any more costs nothing
@triton.jit
def deleted(x):
    del x


# case: raised i32
# want: error 'raise ValueError("a")': this 'raise' is reached at compile time
# want: help: the 'if' around it holds at compile time; for run-time values there is tl.device_assert
@triton.jit
def raised(x):
    raise ValueError("a")


# case: tried i32
# want: error 'try:': try is not supported in a kernel
# want: help: a kernel raises nothing: check with 'if', tl.static_assert or tl.device_assert
@triton.jit
def tried(x):
    try:
        pass
    except Exception:
        pass


# case: imported i32
# want: error 'import os': import is not supported in a kernel
# want: help: import at the top of the file
@triton.jit
def imported(x):
    import os


# case: with_block i32
# want: refused 'x': 'with' in a kernel is for scopes of triton.profiler.language only
# want: help: write its body without it
@triton.jit
def with_block(x):
    with x:
        pass


# case: global_name i32
# want: error 'global CHANGED': global and nonlocal are not supported in a kernel
# want: help: return the value, or store it through a pointer
@triton.jit
def global_name(x):
    global CHANGED


# case: nonlocal_name i32
# want: error 'nonlocal x': global and nonlocal are not supported in a kernel
# want: help: return the value, or store it through a pointer
@triton.jit
def nonlocal_name(x):
    nonlocal x


# case: inner_function i32
# want: error 'def f():': a function inside a kernel is not supported
# want: help: move it to the top level and decorate it with @triton.jit
@triton.jit
def inner_function(x):
    def f():
        pass


# case: inner_class i32
# want: error 'class C:': class is not supported in a kernel
# want: help: move it to the top level: a NamedTuple, or one decorated with @triton.aggregate
@triton.jit
def inner_class(x):
    class C:
        pass


# case: lambda_value i32
# want: error 'lambda a: a': lambda is not supported in a kernel
# want: help: write a function decorated with @triton.jit
@triton.jit
def lambda_value(x):
    f = lambda a: a


# case: yields i32
# want: error 'yield x': yield is not supported in a kernel
# want: help: return a tuple
@triton.jit
def yields(x):
    yield x


# case: awaits i32
# want: error 'await x': await is not supported in a kernel
@triton.jit
def awaits(x):
    a = await x


# case: matched i32
# want: error 'match x:': match is not supported in a kernel
# want: help: write it as 'if' and 'elif'
@triton.jit
def matched(x):
    match x:
        case 1:
            pass


# case: constant_again 3
# want: error 'n == 4': the condition of static_assert is not known at compile time: int1
@triton.jit
def constant_again(n: tl.constexpr):
    n = 4
    tl.static_assert(n == 4)


# case: annotated_constant i32
# want: ok
@triton.jit
def annotated_constant(x):
    n: tl.constexpr = x


# case: annotated_type i32
# want: ok
@triton.jit
def annotated_type(x):
    n: tl.int64 = x


# case: unpack_count
# want: warning 'a, b = (1, 2, 3)': 3 values for 2 names: as in Triton, the rest is dropped
# want: ok
@triton.jit
def unpack_count():
    a, b = (1, 2, 3)


# case: unpack_few
# want: error 'a, b, c = (1, 2)': 2 values for 3 names
@triton.jit
def unpack_few():
    a, b, c = (1, 2)


# case: unpack_number
# want: error 'a, b = 5': int32 cannot be unpacked into 2 names
@triton.jit
def unpack_number():
    a, b = 5


# case: unpack_star
# want: warning 'a, *b = (1, 2, 3)': 3 values for 2 names: as in Triton, the rest is dropped
# want: error '*b': this cannot be assigned to in a kernel
@triton.jit
def unpack_star():
    a, *b = (1, 2, 3)


# case: unpack_nested
# want: ok
@triton.jit
def unpack_nested():
    a, (b, c) = True, (tl.zeros((4,), tl.int8), tl.zeros((8,), tl.int16))
    tl.static_assert(a.dtype == tl.int1 and b.shape == (4,) and c.dtype == tl.int16)


# case: augmented_new
# want: error 'fresh': 'fresh' is not defined
@triton.jit
def augmented_new():
    fresh += 1


# case: imaginary
# want: error '1j': a complex number is not supported in a kernel
# want: help: a tuple of two is
@triton.jit
def imaginary():
    1j


# case: bytes_value
# want: error 'b"a"': a bytes literal is not supported in a kernel
@triton.jit
def bytes_value():
    b"a"


# case: set_value
# want: error '{1, 2}': a set is not supported in a kernel
# want: help: a tuple is
@triton.jit
def set_value():
    {1, 2}


# case: f_string i32
# want: ok
@triton.jit
def f_string(x):
    tl.static_assert(f"a{K}b{K + 1}" == "a5b6" and f"{'x'}" == "x" and f"{{}}" == "{}")


# case: f_string_tensor i32
# want: error '{x}': an f-string in a kernel can hold compile-time values only, got int32
# want: help: tl.device_print("words", value) prints what is known at run time only
@triton.jit
def f_string_tensor(x):
    tl.static_print(f"{x}")


# case: f_string_spec
# want: refused '{K:x}': format ':x' in an f-string is not supported
@triton.jit
def f_string_spec():
    f"{K:x}"


# case: value_of_constant 3
# want: ok
@triton.jit
def value_of_constant(n: tl.constexpr):
    tl.static_assert(n.value == 3 and K.value == 5 and "a".value == "a" and None.value is None)
    tl.static_assert(n.value.value == 3 and (1.5).value == 1.5 and True.value)


# case: value_of_type
# want: ok
@triton.jit
def value_of_type():
    tl.int32.value


# case: value_of_class
# want: error 'Pair.value': class has no attribute 'value'
@triton.jit
def value_of_class():
    Pair.value


# case: value_of_unknown
# want: ok
@triton.jit
def value_of_unknown():
    torch.cuda.value


# case: attribute_missing i32
# want: error 'getattr(x, "nothing")': a tensor has no attribute 'nothing'
@triton.jit
def attribute_missing(x):
    getattr(x, "nothing")


# case: attribute_missing_of_module
# want: error 'getattr(tl, "nothing")': module 'triton.language' has no attribute 'nothing'
@triton.jit
def attribute_missing_of_module():
    getattr(tl, "nothing")


# case: attribute_name i32
# want: error '5': 'name' of 'getattr' must be a string, got int
@triton.jit
def attribute_name(x):
    getattr(x, 5)


# case: attributes i32
# want: ok
@triton.jit
def attributes(x):
    tl.static_assert(hasattr(x, "dtype") and not hasattr(x, "nothing") and hasattr(tl, "sum") and not hasattr(tl, "summ"))
    tl.static_assert(getattr(x, "dtype") == tl.int32 and getattr(x, "nothing", 7) == 7 and getattr(tl, "float16") == tl.float16)
    tl.static_assert(getattr(tl, "nothing", None) is None and hasattr(x, "shape") and hasattr(x, "to") and hasattr(Pair(1, 2), "a"))
    tl.static_assert(not hasattr(Pair(1, 2), "c") and getattr(Pair(1, 2), "b") == 2)


# case: hasattr_name i32
# want: error '5': 'name' of 'hasattr' must be a string, got int
@triton.jit
def hasattr_name(x):
    hasattr(x, 5)


def chosen(function):
    return function


@chosen
@triton.jit
def by_text(a):
    return a


# case: calls_wrapped *i32:16
# want: refused 'by_text(tl.load(p))': 'by_text' is not supported: it is what the decorator 'chosen' makes of its text
# want: note 'chosen': 'by_text' is decorated here
# want: help: call the function that the decorator chooses, or say which it is: --global 'by_text=FILE.py:by_text' for its text, 'by_text=triton.language..' for Triton's
@triton.jit
def calls_wrapped(p):
    tl.store(p, by_text(tl.load(p)))


# case: reduces_by_wrapped *i32:16
# want: refused 'either': 'either' is not supported: it is what the decorator 'chosen' makes of its text
# want: note 'chosen': 'either' is decorated here
# want: help: call the function that the decorator chooses, or say which it is: --global 'either=FILE.py:either' for its text, 'either=triton.language..' for Triton's
@chosen
@triton.jit
def reduces_by_wrapped(p):
    tl.store(p, tl.reduce(tl.arange(0, 4), 0, either))


@chosen
@triton.jit
def either(a, b):
    return a + b
