# Loads, stores and atomics that cannot be.
import triton
import triton.language as tl


# case: other_without_mask *fp32
# want: error 'tl.load(X, other=0.0)': 'other' is given without 'mask'
@triton.jit
def other_without_mask(X):
    tl.load(X, other=0.0)


# case: not_a_pointer i32
# want: error 'tl.load(X)': tl.load needs a pointer, got int32
# want: help: pass the tensor's address as a pointer parameter, as in '*fp32'
@triton.jit
def not_a_pointer(X):
    tl.load(X)


# case: int_mask *fp32,i32
# want: error 'tl.load(X, mask=n)': the mask must be boolean, got int32
# want: help: compare, as in 'mask != 0'
@triton.jit
def int_mask(X, n):
    tl.load(X, mask=n)


# case: block_mask *fp32
# want: error 'tl.load(X, mask=tl.arange(0, 16) < 3)': the mask is a tensor [16], but the pointer is a scalar
# want: help: add tl.arange(..) to the pointer to address one element for each lane
@triton.jit
def block_mask(X):
    tl.load(X, mask=tl.arange(0, 16) < 3)


# case: store_shape *fp32
# want: error 'tl.store(X + tl.arange(0, 16), tl.zeros((16, 16), tl.float32))': the pointer has shape [16], but [16, 16] is needed
# want: help: the value or the mask is larger than the pointer: give the pointer all dimensions
@triton.jit
def store_shape(X):
    tl.store(X + tl.arange(0, 16), tl.zeros((16, 16), tl.float32))


# case: store_scalar *fp32
# want: error 'tl.store(X, tl.arange(0, 16))': the value is a tensor [16], but the pointer is a scalar
# want: help: add tl.arange(..) to the pointer to address one element for each lane
@triton.jit
def store_scalar(X):
    tl.store(X, tl.arange(0, 16))


# case: store_const *kfp32
# want: error 'tl.store(X, 1.0)': tl.store to a constant pointer
@triton.jit
def store_const(X):
    tl.store(X, 1.0)


# case: cache_word *fp32
# want: error '".wb"': unknown cache modifier '.wb' of a load: '.ca', '.cg', '.cs', '.cv' are possible
@triton.jit
def cache_word(X):
    tl.load(X, cache_modifier=".wb")


# case: evict_word *fp32
# want: error '"soon"': unknown eviction policy 'soon': 'evict_first' and 'evict_last' are possible
@triton.jit
def evict_word(X):
    tl.load(X, eviction_policy="soon")


# case: boundary *fp32
# want: error '(0, )': boundary_check and padding_option are for block pointers only: use 'mask' and 'other'
@triton.jit
def boundary(X):
    tl.load(X, boundary_check=(0, ))


# case: mask_on_block_pointer *fp32
# want: error 'True': 'mask' and 'other' are not for block pointers: use boundary_check and padding_option
@triton.jit
def mask_on_block_pointer(X):
    p = tl.make_block_ptr(X, (64, ), (1, ), (0, ), (16, ), (0, ))
    tl.load(p, mask=True)


# case: padding_int *i32
# want: error '"nan"': padding 'nan' of an integer block (option 'nan')
@triton.jit
def padding_int(X):
    p = tl.make_block_ptr(X, (64, ), (1, ), (0, ), (16, ), (0, ))
    tl.load(p, boundary_check=(0, ), padding_option="nan")


# case: order *fp32
# want: error '(0, 0)': 'order' must be a permutation of 0 .. 1
@triton.jit
def order(X):
    tl.make_block_ptr(X, (64, 4), (1, 64), (0, 0), (16, 4), (0, 0))


# case: last_stride *fp32,i32
# want: error '[64, s]': the last stride of a tensor descriptor must be the compile-time number 1
@triton.jit
def last_stride(X, s):
    tl.make_tensor_descriptor(X, [64, 64], [64, s], [16, 16])


# case: wide_offset *fp32,i64
# want: error '[i, 0]': the offsets of a tensor descriptor must be int32, got int64
# want: help: add .to(tl.int32), or use pointers for 64-bit offsets
@triton.jit
def wide_offset(X, i):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, 1], [16, 16])
    d.load([i, 0])


# case: atomic_type *i8
# want: error 'tl.atomic_add(X, 1)': tl.atomic_add does not support int8
@triton.jit
def atomic_type(X):
    tl.atomic_add(X, 1)


# case: atomic_half *fp16
# want: error 'tl.atomic_max(X, 1.0)': tl.atomic_max does not support fp16
@triton.jit
def atomic_half(X):
    tl.atomic_max(X, 1.0)


# case: atomic_sem *i32
# want: error '"seq_cst"': unknown memory semantic 'seq_cst': 'acquire', 'release', 'acq_rel' and 'relaxed' are possible
@triton.jit
def atomic_sem(X):
    tl.atomic_add(X, 1, sem="seq_cst")


@triton.jit
def loads(a, b):
    return a + tl.load(b)


# case: missing_argument *fp32
# want: error 'tl.store(X)': missing argument 'value' in the call of 'store'
# want: help: it is store(pointer, value, mask=None, boundary_check=(), cache_modifier='', eviction_policy='')
@triton.jit
def missing_argument(X):
    tl.store(X)


# case: unknown_argument *fp32
# want: error 'None': unknown parameter 'masc' in the call of 'load'
# want: help: it is load(pointer, mask=None, other=None, boundary_check=(), padding_option='', cache_modifier='', eviction_policy='', volatile=False)
@triton.jit
def unknown_argument(X):
    tl.load(X, masc=None)


# case: extra_argument
# want: error '1': 'program_id' takes 1 argument by position, this is one more
# want: help: it is program_id(axis)
@triton.jit
def extra_argument():
    tl.program_id(0, 1)


# case: wrong_axis
# want: error '3': the axis of 'program_id' must be 0, 1 or 2, got 3
@triton.jit
def wrong_axis():
    tl.program_id(3)
