# Types and shapes that do not fit.
import triton
import triton.language as tl


# case: shapes *fp32
# want: error 'a - m': shapes do not broadcast: [64, 32] and [64]
# want: note 'tl.load(X + tl.arange(0, 64)[:, None] * 32 + tl.arange(0, 32)[None, :])': the left operand gets its shape [64, 32] here
# want: note 'tl.max(a, axis=1)': the right operand gets its shape [64] here
@triton.jit
def shapes(X):
    a = tl.load(X + tl.arange(0, 64)[:, None] * 32 + tl.arange(0, 32)[None, :])
    m = tl.max(a, axis=1)
    tl.store(X, tl.sum(a - m))


# case: signedness i32,u32
# want: error 'a // b': cannot use /, // or % with int32 and uint32: one is signed, the other is not
# want: help: cast them to the same signedness with .to(..)
@triton.jit
def signedness(a, b):
    a // b


# case: floordiv fp32
# want: error 'a // 2': '//' needs integers, got fp32
# want: help: use tl.floor(a / b)
@triton.jit
def floordiv(a):
    a // 2


# case: power fp32
# want: error 'a**2': '**' does not work on tensors
# want: help: multiply, or use libdevice.pow or tl.exp2(y * tl.log2(x))
@triton.jit
def power(a):
    a**2


# case: matmul
# want: error 'a @ a': '@' does not work on tensors
# want: help: use tl.dot(a, b)
@triton.jit
def matmul():
    a = tl.zeros((16, 16), tl.float32)
    a @ a


# case: bitwise fp32
# want: error 'a & 1': '&' needs integers or booleans, got fp32
@triton.jit
def bitwise(a):
    a & 1


# case: logical i32
# want: error 'a and a': 'and' on tensors needs booleans, got int32
# want: help: compare first, as in 'x != 0'
@triton.jit
def logical(a):
    a and a


# case: invert fp32
# want: error '~a': unary '~' does not work on fp32
@triton.jit
def invert(a):
    ~a


# case: literal_range i8
# want: error 'a + 300': the number 300 is out of range for int8
@triton.jit
def literal_range(a):
    a + 300


# case: negative_literal u32
# want: error 'a + (-1)': cannot combine the unsigned type uint32 with the negative number -1
# want: help: cast one of them explicitly with .to(..)
@triton.jit
def negative_literal(a):
    a + (-1)


# case: pointer_pointer *fp32,*fp32
# want: error 'a - b': invalid operands of type pointer<fp32> and pointer<fp32>
@triton.jit
def pointer_pointer(a, b):
    a - b


# case: pointer_float *fp32
# want: error 'a + 1.5': invalid operands of type pointer<fp32> and fp32
@triton.jit
def pointer_float(a):
    a + 1.5


# case: compare_pointers *fp32
# want: error 'a == a': invalid operands of type pointer<fp32> and pointer<fp32>
@triton.jit
def compare_pointers(a):
    a == a


# case: none_operand i32,None
# want: error 'a + b': '+' does not work on int32 and None
# want: help: test with 'is None' before using an optional argument
@triton.jit
def none_operand(a, b):
    a + b


# case: fp8_int fp8e5,i32
# want: error 'a + b': no common type for fp8e5 and int32
# want: help: cast one of them with .to(..)
@triton.jit
def fp8_int(a, b):
    a + b


# case: exp_half fp16
# want: error 'a': 'exp' needs fp32 or fp64, got fp16
# want: help: cast with .to(tl.float32)
@triton.jit
def exp_half(a):
    tl.exp(a)


# case: clamp_int i32
# want: ok
@triton.jit
def clamp_int(a):
    tl.clamp(a, 0, 1)


# case: clamp_signs i32,u32,fp32
# want: error '-5': 'clamp' cannot have a bound of int32 beside uint32
# want: help: cast one of them explicitly with .to(..)
# want: error '4294967295': 'clamp' cannot have a bound of uint32 beside int32
# want: help: cast one of them explicitly with .to(..)
# want: error '-5': 'clamp' cannot have a bound of int32 beside uint32
# want: help: cast one of them explicitly with .to(..)
# want: error '-5': 'clamp' cannot have a bound of int32 beside uint32
# want: help: cast one of them explicitly with .to(..)
@triton.jit
def clamp_signs(a, u, f):
    tl.clamp(a, -5, 2147483648)
    tl.clamp(a, 0, 4294967295)
    tl.clamp(f, -5, 2147483648)
    tl.clamp(u, -5, 7)
    tl.clamp(u, 0, 4294967295)
    tl.clamp(f, 0, 2147483648)
    tl.clamp(a, -5, 4294967296)
    tl.clamp(f, -5.0, 2147483648)


# case: bitcast_width fp32
# want: error 'a.to(tl.int16, bitcast=True)': cannot bitcast fp32 (32 bits) to int16 (16 bits)
@triton.jit
def bitcast_width(a):
    a.to(tl.int16, bitcast=True)


# case: rounding fp16
# want: error '"rtz"': fp_downcast_rounding is only for casts to a narrower float, not from fp16 to fp32
@triton.jit
def rounding(a):
    a.to(tl.float32, fp_downcast_rounding="rtz")


# case: reshape_count
# want: error 'tl.reshape(tl.arange(0, 16), (4, 8))': cannot reshape [16] to [4, 8]: the number of elements changes
@triton.jit
def reshape_count():
    tl.reshape(tl.arange(0, 16), (4, 8))


# case: broadcast_rank
# want: error 'tl.broadcast_to(tl.arange(0, 16), (4, 16))': cannot broadcast [16] to [4, 16]: the ranks differ
@triton.jit
def broadcast_rank():
    tl.broadcast_to(tl.arange(0, 16), (4, 16))


# case: index_tensor
# want: error 'tl.arange(0, 16)[3]': a tensor can be indexed with ':' and None only, got int
# want: help: select elements with masks and tl.sum or tl.where, or load what you need from memory
@triton.jit
def index_tensor():
    tl.arange(0, 16)[3]


# case: axis
# want: error 'tl.sum(tl.arange(0, 16), axis=1)': axis 1 is out of range for 1 dimension, in tl.sum
# want: help: axes are counted from 0 to 0, or from the end from -1 to -1
@triton.jit
def axis():
    tl.sum(tl.arange(0, 16), axis=1)


# case: attribute
# want: error 'tl.arange(0, 16).foo': a tensor has no attribute 'foo'
@triton.jit
def attribute():
    tl.arange(0, 16).foo


# case: runtime_block i32
# want: error 'n': the arguments of 'arange' must be tl.constexpr, got int32
# want: help: declare the parameter as tl.constexpr, or write 'name: tl.constexpr = ..' where it is assigned
@triton.jit
def runtime_block(n):
    tl.arange(0, n)


# case: assigned_block
# want: error '(B, )': each dimension of the shape must be a compile-time int, got int32
# want: help: a plain assignment makes a run-time value: declare the parameter or the variable as tl.constexpr
@triton.jit
def assigned_block():
    B = 128
    tl.zeros((B, ), tl.float32)


# case: large
# want: error 'tl.arange(0, 1 << 21)': a tensor of 2097152 elements is larger than the limit of 1048576
@triton.jit
def large():
    tl.arange(0, 1 << 21)


# case: split_last
# want: error 'tl.arange(0, 16)': 'split' needs a last dimension of 2, got int32[16]
@triton.jit
def split_last():
    tl.arange(0, 16).split()


# case: permutation
# want: error '(0, 0)': the dimensions of 'permute' must be a permutation: 0 is there twice
@triton.jit
def permutation():
    tl.permute(tl.zeros((4, 4), tl.float32), (0, 0))


# case: fp8_to_int fp8e5
# want: error 'a.to(tl.int32)': cannot cast fp8e5 to int32
# want: help: cast to fp32 first
@triton.jit
def fp8_to_int(a):
    a.to(tl.int32)


# case: unsigned_compare u32
# want: error 'a > -1': uint32 cannot be compared with the negative number -1
# want: help: cast the tensor to a signed type with .to(..)
@triton.jit
def unsigned_compare(a):
    a > -1


# case: fraction_as_int
# want: error '3.7': the number 3.7 is not an integer, as int32 needs
@triton.jit
def fraction_as_int():
    tl.full((4, ), 3.7, tl.int32)


# case: int128
# want: error '1 << 70': the integer 1180591620717411303424 does not fit in 64 bits
@triton.jit
def int128():
    a = 1 << 70


# case: list_and_tuple *fp32
# want: ok
@triton.jit
def list_and_tuple(X):
    x = tl.zeros((4, 8), tl.float32)
    tl.static_assert(x.shape[:-1] + [2] == (4, 2))
    tl.static_assert([2] * 3 == (2, 2, 2))
    tl.static_assert(len(x.shape) == 2 and x.shape[-1] == 8 and x.numel == 32)
