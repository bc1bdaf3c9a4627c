# Mistakes that the compiler must name at their place: Triton's own list of compile errors.
import triton
import triton.language as tl

GLOBAL = 42
ANNOTATED: tl.constexpr = 42
CONSTANT = tl.constexpr(42)
ALIAS = tl.pointer_type(tl.int32)


# case: undefined_variable
# want: error 'a': 'a' is not defined
@triton.jit
def undefined_variable():
    a += 1


# case: add_string
# want: error '0 + "a"': '+' does not work on int and str
@triton.jit
def add_string():
    0 + "a"


# case: assert_static
# want: error 'tl.static_assert(isinstance(0, tl.tensor))': static assertion failed
@triton.jit
def assert_static():
    tl.static_assert(isinstance(0, tl.tensor))


# case: assert_words 3
# want: error 'tl.static_assert(N % 2 == 0, "N must be even")': static assertion failed: N must be even
@triton.jit
def assert_words(N: tl.constexpr):
    tl.static_assert(N % 2 == 0, "N must be even")


# case: assert_runtime i32
# want: error 'n > 0': the condition of static_assert is not known at compile time: int1
@triton.jit
def assert_runtime(n):
    tl.static_assert(n > 0)


# case: minus_tuple
# want: error '-(0, 0)': unary '-' does not work on tuple
@triton.jit
def minus_tuple():
    -(0, 0)


# case: shift_float
# want: error '1.0 << 1': '<<' does not work on float and int
@triton.jit
def shift_float():
    1.0 << 1


@triton.jit
def nested_call():
    xyz


# case: in_nested_call
# want: error 'xyz': 'xyz' is not defined
# want: note 'nested_call()': in the call of 'nested_call' here
@triton.jit
def in_nested_call():
    nested_call()


# case: in_builtin
# want: error 'None': 'input' of 'expand_dims' must be a tensor or a number, got None
@triton.jit
def in_builtin():
    tl.expand_dims(None, -1)


@triton.jit
def two_returns():
    return tl.arange(0, 4)
    return tl.arange(0, 8)


# case: two_returns_are_fine
# want: ok
@triton.jit
def two_returns_are_fine():
    a = two_returns()
    a + tl.arange(0, 4)


@triton.jit
def returns_by_constant(N: tl.constexpr):
    if N == 0:
        return tl.arange(0, 4)
    else:
        return tl.arange(0, 8)


# case: static_returns 1
# want: ok
@triton.jit
def static_returns(N: tl.constexpr):
    returns_by_constant(N) + tl.arange(0, 8)


# case: static_returns_differ 0
# want: error 'returns_by_constant(N) + tl.arange(0, 8)': shapes do not broadcast: [4] and [8]
# want: note 'tl.arange(0, 4)': the left operand gets its shape [4] here
# want: note 'tl.arange(0, 8)': the right operand gets its shape [8] here
@triton.jit
def static_returns_differ(N: tl.constexpr):
    returns_by_constant(N) + tl.arange(0, 8)


@triton.jit
def returns_by_value(n):
    if n == 0:
        return tl.arange(0, 4)
    else:
        return tl.arange(0, 8)


# case: runtime_returns_differ i32
# want: error 'tl.arange(0, 8)': return types differ: int32[4] and int32[8]
# want: note 'returns_by_value(n)': in the call of 'returns_by_value' here
# want: note 'tl.arange(0, 4)': the other return is here
@triton.jit
def runtime_returns_differ(n):
    returns_by_value(n)


# case: range_not_power
# want: error 'tl.arange(2, 7)': the range of 'arange' must be a power of 2, got 5
# want: help: take the next power of 2 (triton.next_power_of_2) and mask what is too much
@triton.jit
def range_not_power():
    tl.arange(2, 7)


# case: shape_not_power
# want: error '(33, )': dimension 0 of the shape is 33, not a power of two
@triton.jit
def shape_not_power():
    tl.full((33, ), 0, dtype=tl.int64)


# case: plain_global
# want: ok
@triton.jit
def plain_global():
    a = GLOBAL + CONSTANT


# case: type_alias
# want: ok
@triton.jit
def type_alias():
    a = ALIAS


# case: default_of_global
# want: ok
@triton.jit
def default_of_global(a=GLOBAL):
    pass


# case: where_number
# want: warning 'a': the condition of 'where' should be boolean, got uint32: it means '!= 0'
# want: ok
@triton.jit
def where_number():
    a = tl.full((64, ), 0, tl.uint32)
    tl.where(a, tl.full((64, ), 1, tl.float32), 2.0)


# case: dot_k fp16
# want: error 'tl.dot(a, a)': tl.dot of fp16 needs K >= 16, got 8
# case: dot_k int8
# want: error 'tl.dot(a, a)': tl.dot of int8 needs K >= 32, got 8
# case: dot_k fp32
# want: ok
@triton.jit
def dot_k(dtype: tl.constexpr):
    a = tl.full((8, 8), 0.0, dtype)
    tl.dot(a, a)


# case: dot_types
# want: error 'tl.zeros((16, 16), tl.float32)': tl.dot needs operands of one type, got fp16 and fp32
# want: help: cast one of them with .to(..)
@triton.jit
def dot_types():
    tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float32))


# case: dot_unsigned
# want: error 'a': tl.dot does not support uint8
# want: help: of the 8-bit integers only int8 is supported
@triton.jit
def dot_unsigned():
    a = tl.zeros((32, 32), tl.uint8)
    tl.dot(a, a)


# case: dot_shapes
# want: error 'tl.dot(tl.zeros((16, 32), tl.float16), tl.zeros((16, 16), tl.float16))': the shapes of tl.dot do not fit: [16, 32] and [16, 16] (columns of the first, rows of the second)
@triton.jit
def dot_shapes():
    tl.dot(tl.zeros((16, 32), tl.float16), tl.zeros((16, 16), tl.float16))


# case: dot_accumulator
# want: error 'tl.zeros((16, 32), tl.float32)': the accumulator of this tl.dot must be fp32[16, 16], got fp32[16, 32]
@triton.jit
def dot_accumulator():
    a = tl.zeros((16, 16), tl.float16)
    tl.dot(a, a, tl.zeros((16, 32), tl.float32))


# case: dot_precision
# want: error '"tf64"': unknown input_precision 'tf64': 'tf32', 'tf32x3', 'ieee', 'bf16x3' and 'bf16x6' are possible
@triton.jit
def dot_precision():
    a = tl.zeros((16, 16), tl.float32)
    tl.dot(a, a, input_precision="tf64")


# case: unused_advance *fp32
# want: error 'tl.advance(p, (16, ))': the result of tl.advance is not used
# want: help: tl.advance changes nothing in place: write 'p = tl.advance(p, ..)'
@triton.jit
def unused_advance(x):
    p = tl.make_block_ptr(x, (64, ), (1, ), (0, ), (16, ), (0, ))
    tl.advance(p, (16, ))


# case: nested_function
# want: error 'def inner():': a function inside a kernel is not supported
# want: help: move it to the top level and decorate it with @triton.jit
@triton.jit
def nested_function():

    def inner():
        pass

    inner()


# case: constant_too_wide
# want: error '2**200': the integer result needs more than 128 bits
@triton.jit
def constant_too_wide():
    a = 2**200


# case: constant_divided_by_zero
# want: error '1 // (3 - 3)': division by zero
@triton.jit
def constant_divided_by_zero():
    a: tl.constexpr = 1 // (3 - 3)


# case: divided_by_zero
# want: error 'tl.arange(0, 8) // 0': division by zero
@triton.jit
def divided_by_zero():
    a = tl.arange(0, 8) // 0


# case: rest_by_zero
# want: error 'tl.program_id(0) % (1 - 1)': division by zero
@triton.jit
def rest_by_zero():
    a = tl.program_id(0) % (1 - 1)


# case: shifted_by_the_width
# want: warning 'tl.arange(0, 8) << 32': a shift of int32 by 32 gives 0 here: Triton leaves open what it is; make it wider first: x.to(tl.int64)
# want: warning 'tl.arange(0, 8) >> 64': a shift of int32 by 64 gives the sign here: Triton leaves open what it is
# want: ok
@triton.jit
def shifted_by_the_width():
    a = tl.arange(0, 8).to(tl.int64) << 63
    a = tl.arange(0, 8) << 31
    a = tl.arange(0, 8) << 32
    a = tl.arange(0, 8) >> 64


# case: shifted_backwards
# want: error 'tl.arange(0, 8) >> -1': a negative shift count
@triton.jit
def shifted_backwards():
    a = tl.arange(0, 8) >> -1


# case: constants_out_of_order
# want: error '"a" < 1': '<' does not work on str and int
@triton.jit
def constants_out_of_order():
    a: tl.constexpr = "a" < 1
