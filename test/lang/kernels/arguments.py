# SPDX-License-Identifier: Apache-2.0
# Arguments that functions of the language refuse: each by its words and at its place.
import triton
import triton.language as tl


# ---- block pointers and descriptors ----


# case: too_many *fp32
# want: refused '(1,) * 33': shape has 33 dimensions, tern supports 32
@triton.jit
def too_many(p):
    tl.make_block_ptr(p, (1,) * 33, (1,) * 33, (0,) * 33, (1,) * 33, (0,) * 33)


# case: float_shape *fp32
# want: error '(1.5,)': shape must hold integers, got float
@triton.jit
def float_shape(p):
    tl.make_block_ptr(p, (1.5,), (1,), (0,), (16,), (0,))


# case: float_tensor *fp32,fp32
# want: error '(x,)': strides must hold integer scalars, got fp32
@triton.jit
def float_tensor(p, x):
    tl.make_block_ptr(p, (64,), (x,), (0,), (16,), (0,))


# case: tile_offset *fp32
# want: error '(tl.arange(0, 2),)': offsets must hold integer scalars, got int32[2]
@triton.jit
def tile_offset(p):
    tl.make_block_ptr(p, (64,), (1,), (tl.arange(0, 2),), (16,), (0,))


# case: base_of_eight *fp32
# want: ok
@triton.jit
def base_of_eight(p):
    tl.make_block_ptr(p, (1,) * 8, (1,) * 8, (0,) * 8, (1,) * 8, (0, 1, 2, 3, 4, 5, 6, 7))


# case: base_of_ints i32
# want: error 'p': the base of 'make_block_ptr' must be a scalar pointer, got int32
@triton.jit
def base_of_ints(p):
    tl.make_block_ptr(p, (64,), (1,), (0,), (16,), (0,))


# case: base_of_tile *fp32
# want: error 'p + tl.arange(0, 4)': the base of 'make_block_ptr' must be a scalar pointer, got pointer<fp32>[4]
@triton.jit
def base_of_tile(p):
    tl.make_block_ptr(p + tl.arange(0, 4), (64,), (1,), (0,), (16,), (0,))


# case: lengths *fp32
# want: error 'tl.make_block_ptr(p, (64, 64), (64, 1), (0,), (16, 16), (1, 0))': the arguments of 'make_block_ptr' differ in length: 2 and 1
@triton.jit
def lengths(p):
    tl.make_block_ptr(p, (64, 64), (64, 1), (0,), (16, 16), (1, 0))


# case: lengths_strides *fp32
# want: error 'tl.make_block_ptr(p, (64, 64), (1,), (0, 0), (16, 16), (1, 0))': the arguments of 'make_block_ptr' differ in length: 2 and 1
@triton.jit
def lengths_strides(p):
    tl.make_block_ptr(p, (64, 64), (1,), (0, 0), (16, 16), (1, 0))


# case: lengths_block *fp32
# want: error 'tl.make_block_ptr(p, (64, 64), (64, 1), (0, 0), (16,), (1, 0))': the arguments of 'make_block_ptr' differ in length: 1 and 2
@triton.jit
def lengths_block(p):
    tl.make_block_ptr(p, (64, 64), (64, 1), (0, 0), (16,), (1, 0))


# case: lengths_order *fp32
# want: error 'tl.make_block_ptr(p, (64, 64), (64, 1), (0, 0), (16, 16), (0,))': the arguments of 'make_block_ptr' differ in length: 2 and 1
@triton.jit
def lengths_order(p):
    tl.make_block_ptr(p, (64, 64), (64, 1), (0, 0), (16, 16), (0,))


# case: no_dimension *fp32
# want: error '()': a block pointer needs at least one dimension
@triton.jit
def no_dimension(p):
    tl.make_block_ptr(p, (), (), (), (), ())


# case: order_outside *fp32
# want: error '(2, 0)': 'order' must be a permutation of 0 .. 1
@triton.jit
def order_outside(p):
    tl.make_block_ptr(p, (64, 64), (64, 1), (0, 0), (16, 16), (2, 0))


# case: order_negative *fp32
# want: error '(-1, 0)': 'order' must be a permutation of 0 .. 1
@triton.jit
def order_negative(p):
    tl.make_block_ptr(p, (64, 64), (64, 1), (0, 0), (16, 16), (-1, 0))


# case: advance_tile *fp32
# want: error 'p + tl.arange(0, 4)': 'advance' needs a block pointer, got pointer<fp32>[4]
@triton.jit
def advance_tile(p):
    tl.advance(p + tl.arange(0, 4), (1,))


# case: advance_count *fp32
# want: error '(1, 2)': 'advance' needs 1 offsets, got 2
@triton.jit
def advance_count(p):
    tl.advance(tl.make_block_ptr(p, (64,), (1,), (0,), (16,), (0,)), (1, 2))


# case: advance_float *fp32
# want: error '(0.5,)': offsets must hold integers, got float
@triton.jit
def advance_float(p):
    tl.advance(tl.make_block_ptr(p, (64,), (1,), (0,), (16,), (0,)), (0.5,))


# case: check_outside *fp32
# want: error '(1,)': boundary_check must hold dimensions 0 .. 0
@triton.jit
def check_outside(p):
    tl.load(tl.make_block_ptr(p, (64,), (1,), (0,), (16,), (0,)), boundary_check=(1,))


# case: check_negative *fp32
# want: error '(-1,)': boundary_check must hold dimensions 0 .. 0
@triton.jit
def check_negative(p):
    tl.load(tl.make_block_ptr(p, (64,), (1,), (0,), (16,), (0,)), boundary_check=(-1,))


# case: check_twice *fp32
# want: error '(0, 1, 0)': boundary_check holds dimension 0 twice
@triton.jit
def check_twice(p):
    tl.load(tl.make_block_ptr(p, (64, 64), (64, 1), (0, 0), (16, 16), (1, 0)), boundary_check=(0, 1, 0))


# case: check_one *fp32
# want: ok
@triton.jit
def check_one(p):
    tl.load(tl.make_block_ptr(p, (64,), (1,), (0,), (16,), (0,)), boundary_check=0)


# case: padding_word *fp32
# want: error '"one"': unknown padding option 'one': 'zero' and 'nan' are possible
@triton.jit
def padding_word(p):
    tl.load(tl.make_block_ptr(p, (64,), (1,), (0,), (16,), (0,)), boundary_check=(0,), padding_option="one")


# case: store_mask *fp32
# want: error 'True': 'mask' is not for block pointers: use boundary_check
@triton.jit
def store_mask(p):
    tl.store(tl.make_block_ptr(p, (64,), (1,), (0,), (16,), (0,)), 1.0, mask=True)


# case: store_block_shape *fp32
# want: error 'tl.store(tl.make_block_ptr(p, (64,), (1,), (0,), (16,), (0,)), tl.zeros((8,), tl.float32))': shapes do not broadcast: [16] and [8]
# want: note 'tl.store(tl.make_block_ptr(p, (64,), (1,), (0,), (16,), (0,)), tl.zeros((8,), tl.float32))': the left operand gets its shape [16] here
# want: note 'tl.zeros((8,), tl.float32)': the right operand gets its shape [8] here
@triton.jit
def store_block_shape(p):
    tl.store(tl.make_block_ptr(p, (64,), (1,), (0,), (16,), (0,)), tl.zeros((8,), tl.float32))


# case: store_block_type *fp32
# want: ok
@triton.jit
def store_block_type(p):
    tl.store(tl.make_block_ptr(p, (64,), (1,), (0,), (16,), (0,)), tl.zeros((16,), tl.float16))


# case: store_boundary *fp32
# want: error '(0,)': boundary_check is for block pointers only: use 'mask'
@triton.jit
def store_boundary(p):
    tl.store(p, 1.0, boundary_check=(0,))


# case: descriptor_ranks *fp32
# want: error '[1, 1, 1, 1, 1, 1]': a tensor descriptor has 1 to 5 dimensions, got 6
@triton.jit
def descriptor_ranks(p):
    tl.make_tensor_descriptor(p, [1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1])


# case: descriptor_none *fp32
# want: error '[]': a tensor descriptor has 1 to 5 dimensions, got 0
@triton.jit
def descriptor_none(p):
    tl.make_tensor_descriptor(p, [], [], [])


# case: descriptor_base fp32
# want: error 'p': the base of 'make_tensor_descriptor' must be a scalar pointer, got fp32
@triton.jit
def descriptor_base(p):
    tl.make_tensor_descriptor(p, [64], [1], [16])


# case: descriptor_lengths *fp32
# want: error 'tl.make_tensor_descriptor(p, [64, 64], [64, 1], [16])': the arguments of 'make_tensor_descriptor' differ in length: 1 and 2
@triton.jit
def descriptor_lengths(p):
    tl.make_tensor_descriptor(p, [64, 64], [64, 1], [16])


# case: descriptor_stride *fp32
# want: error '[1, 64]': the last stride of a tensor descriptor must be the compile-time number 1
@triton.jit
def descriptor_stride(p):
    tl.make_tensor_descriptor(p, [64, 64], [1, 64], [16, 16])


# case: descriptor_padding *i32
# want: error '"nan"': padding 'nan' of an integer block (option 'nan')
@triton.jit
def descriptor_padding(p):
    tl.make_tensor_descriptor(p, [64], [1], [16], padding_option="nan")


# case: descriptor_padding_word *fp32
# want: error '"one"': unknown padding option 'one': 'zero' and 'nan' are possible
@triton.jit
def descriptor_padding_word(p):
    tl.make_tensor_descriptor(p, [64], [1], [16], padding_option="one")


# case: not_descriptor *fp32
# want: error 'p': 'load_tensor_descriptor' needs a tensor descriptor, got pointer<fp32>
@triton.jit
def not_descriptor(p):
    tl.load_tensor_descriptor(p, [0])


# case: not_descriptor_store *fp32
# want: error 'p': 'store_tensor_descriptor' needs a tensor descriptor, got pointer<fp32>
@triton.jit
def not_descriptor_store(p):
    tl.store_tensor_descriptor(p, [0], tl.zeros((4,), tl.float32))


# case: offsets_count *fp32
# want: error '[0]': 2 offsets are needed, got 1
@triton.jit
def offsets_count(p):
    tl.make_tensor_descriptor(p, [64, 64], [64, 1], [16, 16]).load([0])


# case: offsets_float *fp32
# want: error '[0, 1.5]': offsets must hold integers, got float
@triton.jit
def offsets_float(p):
    tl.make_tensor_descriptor(p, [64, 64], [64, 1], [16, 16]).load([0, 1.5])


# case: descriptor_value_shape *fp32
# want: error 'tl.zeros((16, 8), tl.float32)': a block of shape [16, 16] is needed, got fp32[16, 8]
@triton.jit
def descriptor_value_shape(p):
    tl.make_tensor_descriptor(p, [64, 64], [64, 1], [16, 16]).store([0, 0], tl.zeros((16, 8), tl.float32))


# case: descriptor_value *fp32
# want: error '1.0': a block of shape [16, 16] is needed, got float
@triton.jit
def descriptor_value(p):
    tl.make_tensor_descriptor(p, [64, 64], [64, 1], [16, 16]).store([0, 0], 1.0)


# case: descriptor_atomic *fp32
# want: error 'tl.make_tensor_descriptor(p, [64, 64], [64, 1], [16, 16]).atomic_and([0, 0], tl.zeros((16, 16), tl.float32))': tl.atomic_and does not support fp32
@triton.jit
def descriptor_atomic(p):
    tl.make_tensor_descriptor(p, [64, 64], [64, 1], [16, 16]).atomic_and([0, 0], tl.zeros((16, 16), tl.float32))


# case: descriptor_loaded *fp32
# want: error 'tl.make_tensor_descriptor(p, [64], [1], [16])': a tensor descriptor is loaded with desc.load([..])
@triton.jit
def descriptor_loaded(p):
    tl.load(tl.make_tensor_descriptor(p, [64], [1], [16]))


# case: descriptor_stored *fp32
# want: error 'tl.make_tensor_descriptor(p, [64], [1], [16])': a tensor descriptor is stored with desc.store([..], value)
@triton.jit
def descriptor_stored(p):
    tl.store(tl.make_tensor_descriptor(p, [64], [1], [16]), 1.0)


# case: descriptor_field *fp32
# want: error 'tl.make_tensor_descriptor(p, [64], [1], [16]).size': a tensor descriptor has no attribute 'size'
@triton.jit
def descriptor_field(p):
    tl.make_tensor_descriptor(p, [64], [1], [16]).size


# case: block_field *fp32
# want: ok
@triton.jit
def block_field(p):
    tl.make_block_ptr(p, (64,), (1,), (0,), (16,), (0,)).shape


# case: descriptor_fields *fp32,i32
# want: ok
@triton.jit
def descriptor_fields(p, n):
    d = tl.make_tensor_descriptor(p, [n, 64], [64, 1], [8, 16])
    tl.static_assert(d.block_shape == [8, 16])
    tl.static_assert(d.dtype == tl.float32)
    tl.store(p, (d.shape[0] + d.strides[0]).to(tl.float32))


# ---- memory ----


# case: cas_type *i8
# want: error 'p': tl.atomic_cas does not support int8
@triton.jit
def cas_type(p):
    tl.atomic_cas(p, 0, 1)


# case: cas_value *i32
# want: error 'None': 'cmp' and 'val' must be tensors or numbers, got None
@triton.jit
def cas_value(p):
    tl.atomic_cas(p, None, 1)


# case: cas_width *i32,i64
# want: error 'x': tl.atomic_cas of int32 needs a value of the same width, got int64
@triton.jit
def cas_width(p, x):
    tl.atomic_cas(p, x, x)


# case: cas_not_pointer i32
# want: error 'tl.atomic_cas(p, 0, 1)': tl.atomic_cas needs a pointer, got int32
# want: help: pass the tensor's address as a pointer parameter, as in '*fp32'
@triton.jit
def cas_not_pointer(p):
    tl.atomic_cas(p, 0, 1)


# case: atomic_scope *i32
# want: error '"all"': unknown scope 'all': 'gpu', 'cta' and 'sys' are possible
@triton.jit
def atomic_scope(p):
    tl.atomic_add(p, 1, scope="all")


# case: atomic_no_pointer i32
# want: error 'tl.atomic_add(p, 1)': tl.atomic_add needs a pointer, got int32
# want: help: pass the tensor's address as a pointer parameter, as in '*fp32'
@triton.jit
def atomic_no_pointer(p):
    tl.atomic_add(p, 1)


# case: atomic_const *ki32
# want: error 'tl.atomic_add(p, 1)': tl.atomic_add to a constant pointer
@triton.jit
def atomic_const(p):
    tl.atomic_add(p, 1)


# case: atomic_mask *i32,i32
# want: error 'tl.atomic_add(p, 1, mask=n)': the mask must be boolean, got int32
# want: help: compare, as in 'mask != 0'
@triton.jit
def atomic_mask(p, n):
    tl.atomic_add(p, 1, mask=n)


# case: atomic_shape *i32
# want: error 'tl.atomic_add(p, tl.arange(0, 4))': the value is a tensor [4], but the pointer is a scalar
# want: help: add tl.arange(..) to the pointer to address one element for each lane
@triton.jit
def atomic_shape(p):
    tl.atomic_add(p, tl.arange(0, 4))


# case: atomic_float_and *fp32
# want: error 'tl.atomic_and(p, 1.0)': tl.atomic_and does not support fp32
@triton.jit
def atomic_float_and(p):
    tl.atomic_and(p, 1.0)


# case: atomic_bf16_xchg *bf16
# want: error 'tl.atomic_xchg(p, 1.0)': tl.atomic_xchg does not support bf16
@triton.jit
def atomic_bf16_xchg(p):
    tl.atomic_xchg(p, 1.0)


# case: atomic_pointer **i32
# want: error 'tl.atomic_add(p, 1)': tl.atomic_add does not support pointer<int32>
@triton.jit
def atomic_pointer(p):
    tl.atomic_add(p, 1)


# case: store_modifier *fp32
# want: error '".ca"': unknown cache modifier '.ca' of a store: '.wb', '.cg', '.cs', '.wt' are possible
@triton.jit
def store_modifier(p):
    tl.store(p, 1.0, cache_modifier=".ca")


# case: store_modifier_word *fp32
# want: error '".xx"': unknown cache modifier '.xx' of a store: '.wb', '.cg', '.cs', '.wt' are possible
@triton.jit
def store_modifier_word(p):
    tl.store(p, 1.0, cache_modifier=".xx")


# case: modifiers *fp32
# want: ok
@triton.jit
def modifiers(p):
    a = tl.load(p, cache_modifier=".ca") + tl.load(p, cache_modifier=".cg")
    a += tl.load(p, cache_modifier=".cs") + tl.load(p, cache_modifier=".cv")
    a += tl.load(p, eviction_policy="evict_first") + tl.load(p, eviction_policy="evict_last", volatile=True)
    tl.store(p, a, cache_modifier=".wb")
    tl.store(p, a, cache_modifier=".cg")
    tl.store(p, a, cache_modifier=".cs", eviction_policy="evict_last")
    tl.store(p, a, cache_modifier=".wt", eviction_policy="evict_first")


# case: modifier_number *fp32
# want: error '1': 'cache_modifier' of 'load' must be a string, got int
@triton.jit
def modifier_number(p):
    tl.load(p, cache_modifier=1)


# case: volatile_number *fp32
# want: ok
@triton.jit
def volatile_number(p):
    tl.load(p, volatile=3)


# case: volatile_text *fp32
# want: error '"yes"': 'volatile' of 'load' must be a compile-time bool, got str
@triton.jit
def volatile_text(p):
    tl.load(p, volatile="yes")


# case: load_other_type *fp32
# want: error 'tl.load(p, mask=True, other="zero")': expected a number or a tensor, got str
@triton.jit
def load_other_type(p):
    tl.load(p, mask=True, other="zero")


# case: store_none *fp32
# want: error 'tl.store(p, None)': expected a number or a tensor, got None
@triton.jit
def store_none(p):
    tl.store(p, None)


# case: store_tuple *fp32
# want: error 'tl.store(p, (1, 2))': expected a number or a tensor, got tuple
@triton.jit
def store_tuple(p):
    tl.store(p, (1, 2))


# case: pointer_value *fp32
# want: error 'tl.store(p, p)': cannot cast pointer<fp32> to fp32
@triton.jit
def pointer_value(p):
    tl.store(p, p)


# case: block_other *fp32
# want: error 'tl.load(p, mask=True, other=tl.arange(0, 4))': the value of 'other' is a tensor [4], but the pointer is a scalar
# want: help: add tl.arange(..) to the pointer to address one element for each lane
@triton.jit
def block_other(p):
    tl.load(p, mask=True, other=tl.arange(0, 4))


# ---- shapes ----


# case: arange_wide
# want: error 'tl.arange(0, 1 << 40)': the values of 'arange' must fit in int32
@triton.jit
def arange_wide():
    tl.arange(0, 1 << 40)


# case: arange_low
# want: error 'tl.arange(-(1 << 31) - 1, 0)': the values of 'arange' must fit in int32
@triton.jit
def arange_low():
    tl.arange(-(1 << 31) - 1, 0)


# case: arange_lowest
# want: ok
@triton.jit
def arange_lowest():
    tl.arange(-(1 << 31), -(1 << 31) + 16)


# case: arange_high
# want: ok
@triton.jit
def arange_high():
    tl.arange((1 << 31) - 1 - 16, (1 << 31) - 1)


# case: arange_above
# want: error 'tl.arange(1 << 31, (1 << 31) + 16)': the values of 'arange' must fit in int32
@triton.jit
def arange_above():
    tl.arange(1 << 31, (1 << 31) + 16)


# case: arange_empty
# want: error 'tl.arange(4, 4)': the end of 'arange' must be greater than the start: 4 and 4
@triton.jit
def arange_empty():
    tl.arange(4, 4)


# case: arange_back
# want: error 'tl.arange(8, 4)': the end of 'arange' must be greater than the start: 8 and 4
@triton.jit
def arange_back():
    tl.arange(8, 4)


# case: arange_power
# want: error 'tl.arange(1, 4)': the range of 'arange' must be a power of 2, got 3
# want: help: take the next power of 2 (triton.next_power_of_2) and mask what is too much
@triton.jit
def arange_power():
    tl.arange(1, 4)


# case: arange_float
# want: error '4.0': the arguments of 'arange' must be tl.constexpr, got float
@triton.jit
def arange_float():
    tl.arange(0, 4.0)


# case: full_tile
# want: error 'tl.arange(0, 4)': the value of 'full' must be a scalar, got int32[4]
@triton.jit
def full_tile():
    tl.full((4,), tl.arange(0, 4), tl.int32)


# case: full_text
# want: error '"a"': the value of 'full' must be a number or a scalar, got str
@triton.jit
def full_text():
    tl.full((4,), "a", tl.int32)


# case: full_power
# want: error '(3,)': dimension 0 of the shape is 3, not a power of two
@triton.jit
def full_power():
    tl.full((3,), 0, tl.int32)


# case: full_zero
# want: error '(0,)': dimension 0 of the shape is 0, not a power of two
@triton.jit
def full_zero():
    tl.full((0,), 0, tl.int32)


# case: full_negative
# want: error '(-4,)': dimension 0 of the shape is -4, not a power of two
@triton.jit
def full_negative():
    tl.full((-4,), 0, tl.int32)


# case: full_float_shape
# want: error '(4.0,)': each dimension of the shape must be a compile-time int, got float
@triton.jit
def full_float_shape():
    tl.full((4.0,), 0, tl.int32)


# case: full_type
# want: error '5': 'dtype' of 'full' must be a dtype, got int
@triton.jit
def full_type():
    tl.full((4,), 0, 5)


# case: full_pointer
# want: error '1': cannot make a pointer<int8> from a number
@triton.jit
def full_pointer():
    tl.full((4,), 1, tl.pointer_type(tl.int8))


# case: full_large
# want: error '1e30': the number 1e+30 does not fit in int32
@triton.jit
def full_large():
    tl.full((4,), 1e30, tl.int32)


# case: full_ranks
# want: refused '(1,) * 33': the shape has 33 dimensions, tern supports 32
@triton.jit
def full_ranks():
    tl.zeros((1,) * 33, tl.int32)


# case: full_int
# want: ok
@triton.jit
def full_int():
    tl.zeros(16, tl.float32)


# case: zeros_like_number
# want: ok
@triton.jit
def zeros_like_number():
    tl.zeros_like(5)


# case: item_of_many
# want: error 'tl.arange(0, 4)': 'item' needs a tensor of one element, got int32[4]
@triton.jit
def item_of_many():
    tl.arange(0, 4).item()


# case: item_of_one
# want: ok
@triton.jit
def item_of_one():
    tl.static_assert(tl.zeros((1, 1), tl.int32).item().shape == ())


# case: trans_vector
# want: error 'tl.arange(0, 4)': 'trans' needs two dimensions or more, got int32[4]
@triton.jit
def trans_vector():
    tl.trans(tl.arange(0, 4))


# case: trans_count
# want: error '0': 'trans' needs 2 dimensions, got 3
@triton.jit
def trans_count():
    tl.trans(tl.zeros((4, 8), tl.int8), 0, 1, 2)


# case: permute_outside
# want: error '(0, 2)': axis 2 is out of range for 2 dimensions
# want: help: axes are counted from 0 to 1, or from the end from -1 to -2
@triton.jit
def permute_outside():
    tl.permute(tl.zeros((4, 8), tl.int8), (0, 2))


# case: permute_negative
# want: ok
@triton.jit
def permute_negative():
    tl.static_assert(tl.permute(tl.zeros((2, 4, 8), tl.int8), (-1, 0, 1)).shape == (8, 2, 4))


# case: expand_twice
# want: error '(0, 0)': 'expand_dims' got axis 0 twice
@triton.jit
def expand_twice():
    tl.expand_dims(tl.zeros((4,), tl.int8), (0, 0))


# case: expand_outside
# want: error '2': axis 2 is out of range for 2 dimensions
# want: help: axes are counted from 0 to 1, or from the end from -1 to -2
@triton.jit
def expand_outside():
    tl.expand_dims(tl.zeros((4,), tl.int8), 2)


# case: expand_ranks
# want: refused '0': the result has 33 dimensions, tern supports 32
@triton.jit
def expand_ranks():
    tl.expand_dims(tl.zeros((1,) * 32, tl.int8), 0)


# case: expand_axes
# want: ok
@triton.jit
def expand_axes():
    tl.static_assert(tl.expand_dims(tl.zeros((4,), tl.int8), (0, 2)).shape == (1, 4, 1))
    tl.static_assert(tl.expand_dims(tl.zeros((4,), tl.int8), -1).shape == (4, 1))
    tl.static_assert(tl.expand_dims(tl.zeros((4, 8), tl.int8), -2).shape == (4, 1, 8))


# case: expand_float
# want: error '0.5': the axis must be a compile-time int, got float
@triton.jit
def expand_float():
    tl.expand_dims(tl.zeros((4,), tl.int8), 0.5)


# case: join_types *fp32
# want: error 'tl.join(p, 1.0)': invalid operands of type pointer<fp32> and fp32
@triton.jit
def join_types(p):
    tl.join(p, 1.0)


# case: join_shapes
# want: error 'tl.join(tl.arange(0, 4), tl.arange(0, 8))': shapes do not broadcast: [4] and [8]
# want: note 'tl.arange(0, 4)': the left operand gets its shape [4] here
# want: note 'tl.arange(0, 8)': the right operand gets its shape [8] here
@triton.jit
def join_shapes():
    tl.join(tl.arange(0, 4), tl.arange(0, 8))


# case: join_kinds
# want: error 'tl.join(tl.zeros((4,), tl.float32), tl.zeros((4,), tl.int32))': 'join' needs two tensors of one type, got fp32 and int32
@triton.jit
def join_kinds():
    tl.join(tl.zeros((4,), tl.float32), tl.zeros((4,), tl.int32))


# case: interleave_shapes
# want: error 'tl.interleave(tl.arange(0, 4), tl.arange(0, 8))': shapes do not broadcast: [4] and [8]
# want: note 'tl.arange(0, 4)': the left operand gets its shape [4] here
# want: note 'tl.arange(0, 8)': the right operand gets its shape [8] here
@triton.jit
def interleave_shapes():
    tl.interleave(tl.arange(0, 4), tl.arange(0, 8))


# case: cat_scalars
# want: error 'tl.to_tensor(1)': 'cat' needs tensors with a dimension
@triton.jit
def cat_scalars():
    tl.cat(tl.to_tensor(1), tl.to_tensor(2), can_reorder=True)


# case: cat_shapes
# want: error 'tl.arange(0, 8)': 'cat' needs tensors of one shape, got int32[4] and int32[8]
@triton.jit
def cat_shapes():
    tl.cat(tl.arange(0, 4), tl.arange(0, 8), can_reorder=True)


# case: cat_order
# want: ok
@triton.jit
def cat_order():
    tl.cat(tl.arange(0, 4), tl.arange(0, 4))


# case: cat_axis
# want: error '2': axis 2 is out of range for 2 dimensions
# want: help: axes are counted from 0 to 1, or from the end from -1 to -2
@triton.jit
def cat_axis():
    tl.cat(tl.zeros((4, 4), tl.int8), tl.zeros((4, 4), tl.int8), can_reorder=True, dim=2)


# case: squeeze_wide
# want: error '1': dimension 1 of int8[4, 2] is not 1
@triton.jit
def squeeze_wide():
    tl.squeeze(tl.zeros((4, 2), tl.int8), 1)


# case: broadcast_to_middle
# want: error 'tl.broadcast_to(tl.zeros((4, 2), tl.int8), (8, 2))': cannot broadcast [4, 2] to [8, 2]: dimension 0 is neither 1 nor 8
@triton.jit
def broadcast_to_middle():
    tl.broadcast_to(tl.zeros((4, 2), tl.int8), (8, 2))


# case: broadcast_to_shapes
# want: ok
@triton.jit
def broadcast_to_shapes():
    tl.static_assert(tl.broadcast_to(tl.zeros((1, 4), tl.int8), (8, 4)).shape == (8, 4))
    tl.static_assert(tl.broadcast_to(3, (8, 4)).shape == (8, 4))
    tl.static_assert(tl.zeros((4, 1), tl.int8).broadcast_to(4, 8).shape == (4, 8))


# case: broadcast_pair
# want: ok
@triton.jit
def broadcast_pair():
    a, b = tl.broadcast(tl.zeros((4, 1), tl.int8), tl.zeros((1, 8), tl.int8))
    tl.static_assert(a.shape == (4, 8))
    tl.static_assert(b.shape == (4, 8))


# case: reshape_shapes
# want: ok
@triton.jit
def reshape_shapes():
    a = tl.zeros((4, 8), tl.int8)
    tl.static_assert(tl.reshape(a, (32,)).shape == (32,))
    tl.static_assert(tl.reshape(a, 2, 16).shape == (2, 16))
    tl.static_assert(a.reshape([8, 4]).shape == (8, 4))
    tl.static_assert(tl.ravel(a).shape == (32,))
    tl.static_assert(a.view(8, 2, 2).shape == (8, 2, 2))
    tl.static_assert(a.T.shape == (8, 4))
    tl.static_assert(a.trans().shape == (8, 4))
    tl.static_assert(tl.trans(a, 1, 0).shape == (8, 4))
    tl.static_assert(tl.trans(tl.zeros((2, 4, 8), tl.int8)).shape == (2, 8, 4))


# case: index_shapes
# want: ok
@triton.jit
def index_shapes():
    a = tl.zeros((4, 8), tl.int8)
    tl.static_assert(a[:, None, :].shape == (4, 1, 8))
    tl.static_assert(a[None].shape == (1, 4, 8))
    tl.static_assert(a[None, :, None, :, None].shape == (1, 4, 1, 8, 1))
    tl.static_assert(a[:, :].shape == (4, 8))
    tl.static_assert(a[:].shape == (4, 8))


# case: index_part
# want: error 'tl.zeros((4, 8), tl.int8)[0:2]': a tensor can be indexed with ':' and None only, got slice
# want: help: select elements with masks and tl.sum or tl.where, or load what you need from memory
@triton.jit
def index_part():
    tl.zeros((4, 8), tl.int8)[0:2]


# case: index_many
# want: ok
@triton.jit
def index_many():
    tl.zeros((4, 8), tl.int8)[:, :, :]


# case: index_ellipsis
# want: error 'tl.zeros((4, 8), tl.int8)[..., None]': a tensor can be indexed with ':' and None only, got ellipsis
# want: help: select elements with masks and tl.sum or tl.where, or load what you need from memory
@triton.jit
def index_ellipsis():
    tl.zeros((4, 8), tl.int8)[..., None]


# case: t_of_three
# want: error 'tl.zeros((2, 4, 8), tl.int8).T': '.T' needs two dimensions, got [2, 4, 8]
@triton.jit
def t_of_three():
    tl.zeros((2, 4, 8), tl.int8).T


# case: cast_void fp32
# want: error 'tl.void': cannot cast to void
@triton.jit
def cast_void(x):
    x.to(tl.void)


# case: cast_rounding fp32
# want: error '"up"': unknown rounding 'up': 'rtne' and 'rtz' are possible
@triton.jit
def cast_rounding(x):
    x.to(tl.float16, fp_downcast_rounding="up")


# case: cast_roundings fp32
# want: ok
@triton.jit
def cast_roundings(x):
    x.to(tl.float16, fp_downcast_rounding="rtz") + x.to(tl.float16, fp_downcast_rounding="rtne")


# case: cast_pointer_float *fp32
# want: error 'p.to(tl.float32)': cannot cast pointer<fp32> to fp32
@triton.jit
def cast_pointer_float(p):
    p.to(tl.float32)


# case: cast_pointer_narrow *fp32
# want: error 'p.to(tl.int32)': cannot cast pointer<fp32> to int32
@triton.jit
def cast_pointer_narrow(p):
    p.to(tl.int32)


# case: cast_pointer_wide *fp32
# want: ok
@triton.jit
def cast_pointer_wide(p):
    tl.static_assert(p.to(tl.int64).dtype == tl.int64)
    tl.static_assert(p.to(tl.int1).dtype == tl.int1)
    tl.static_assert(p.to(tl.pointer_type(tl.int8)).dtype == tl.pointer_type(tl.int8))


# case: cast_int_pointer i32
# want: ok
@triton.jit
def cast_int_pointer(n):
    tl.static_assert(n.to(tl.pointer_type(tl.int8)).dtype == tl.pointer_type(tl.int8))


# case: cast_text fp32
# want: error '"float16"': 'dtype' of 'to' must be a dtype, got str
@triton.jit
def cast_text(x):
    x.to("float16")


# case: cast_fp8_int i32
# want: error 'x.to(tl.float8e5)': cannot cast int32 to fp8e5
# want: help: cast to fp32 first
@triton.jit
def cast_fp8_int(x):
    x.to(tl.float8e5)


# ---- arithmetic ----


# case: where_text i32
# want: error '"a"': 'where' needs tensors or numbers, got str
@triton.jit
def where_text(x):
    tl.where(x > 0, "a", 1)


# case: where_pointer *fp32
# want: error 'tl.where(True, p, 1.5)': invalid operands of type pointer<fp32> and fp32
@triton.jit
def where_pointer(p):
    tl.where(True, p, 1.5)


# case: where_condition i32
# want: warning 'x': the condition of 'where' should be boolean, got int32: it means '!= 0'
# want: ok
@triton.jit
def where_condition(x):
    tl.where(x, 1, 2)


# case: minimum_fp8 fp8e5
# want: refused 'tl.minimum(x, x)': minimum and maximum of fp8e5 are not supported: cast first
@triton.jit
def minimum_fp8(x):
    tl.minimum(x, x)


# case: maximum_nan fp32
# want: ok
@triton.jit
def maximum_nan(x):
    tl.maximum(x, x, propagate_nan=7)


# case: clamp_text fp32
# want: error '"a"': 'min' of 'clamp' must be a tensor or a number, got str
@triton.jit
def clamp_text(x):
    tl.clamp(x, "a", 1.0)


# case: clamp_types i32
# want: ok
@triton.jit
def clamp_types(x):
    tl.clamp(x, 0.5, 1.5)


# case: umulhi_narrow i16
# want: error 'x': 'umulhi' needs 32-bit or 64-bit integers, got int16
@triton.jit
def umulhi_narrow(x):
    tl.umulhi(x, x)


# case: umulhi_float fp32
# want: error 'x': 'umulhi' needs 32-bit or 64-bit integers, got fp32
@triton.jit
def umulhi_float(x):
    tl.umulhi(x, x)


# case: abs_pointer *fp32
# want: error 'p': 'abs' of a pointer
@triton.jit
def abs_pointer(p):
    tl.abs(p)


# case: abs_types i8,u32,fp16,i1
# want: ok
@triton.jit
def abs_types(a, b, c, d):
    tl.static_assert(tl.abs(a).dtype == tl.int8)
    tl.static_assert(tl.abs(b).dtype == tl.uint32)
    tl.static_assert(tl.abs(c).dtype == tl.float16)
    tl.static_assert(tl.abs(d).dtype == tl.int1)


# case: fdiv_ints i32
# want: error 'tl.fdiv(x, x)': 'fdiv' needs floats, got int32 and int32
@triton.jit
def fdiv_ints(x):
    tl.fdiv(x, x)


# case: fdiv_mixed i32
# want: error 'tl.fdiv(x, 2.0)': 'fdiv' needs floats, got int32 and fp32
@triton.jit
def fdiv_mixed(x):
    tl.fdiv(x, 2.0)


# case: fdiv_fp8 fp8e5
# want: refused 'tl.fdiv(x, x)': 'fdiv' of fp8e5 is not supported: cast to fp16 or fp32 first
@triton.jit
def fdiv_fp8(x):
    tl.fdiv(x, x)


# case: div_rn_int i32
# want: error 'x': 'div_rn' needs fp32 or fp64, got int32
# want: help: cast with .to(tl.float32)
@triton.jit
def div_rn_int(x):
    tl.div_rn(x, x)


# case: sqrt_rn_half fp16
# want: error 'x': 'sqrt_rn' needs fp32, got fp16
# want: help: cast with .to(tl.float32)
@triton.jit
def sqrt_rn_half(x):
    tl.sqrt_rn(x)


# case: exp_int i32
# want: error 'x': 'exp' needs fp32 or fp64, got int32
# want: help: cast with .to(tl.float32)
@triton.jit
def exp_int(x):
    tl.exp(x)


# case: not_tile *fp32
# want: error 'not x': 'not' on tensors needs booleans, got pointer<fp32>
# want: help: compare first, as in 'x != 0'
@triton.jit
def not_tile(x):
    not x


# case: add_text i32
# want: error 'x + "a"': '+' does not work on int32 and str
@triton.jit
def add_text(x):
    x + "a"


# case: add_dict i32
# want: error '{}': a dict is not supported in a kernel
# want: help: a NamedTuple is
@triton.jit
def add_dict(x):
    x + {}


# case: add_fp8 fp8e5
# want: refused 'x + x': '+' on fp8e5 is not supported: cast to fp16 or fp32 first
@triton.jit
def add_fp8(x):
    x + x


# case: and_float fp32
# want: error 'x & x': '&' needs integers or booleans, got fp32
@triton.jit
def and_float(x):
    x & x


# case: shift_float fp32
# want: error 'x << 1': '<<' needs integers or booleans, got fp32
@triton.jit
def shift_float(x):
    x << 1


# case: shift_pointer *fp32
# want: error 'p << 1': invalid operands of type pointer<fp32> and int32
@triton.jit
def shift_pointer(p):
    p << 1


# case: xor_mixed i32
# want: error 'x ^ 1.5': '^' needs integers or booleans, got fp32
@triton.jit
def xor_mixed(x):
    x ^ 1.5


# case: negate_pointer *fp32
# want: error '-p': unary '-' does not work on pointer<fp32>
@triton.jit
def negate_pointer(p):
    -p


# case: negate_text
# want: error '-"a"': unary '-' does not work on str
@triton.jit
def negate_text():
    -"a"


# case: invert_types u8,i1
# want: ok
@triton.jit
def invert_types(a, b):
    tl.static_assert((~a).dtype == tl.uint8)
    tl.static_assert((~b).dtype == tl.int1)


# case: compare_none i32
# want: error 'x < None': '<' does not work on int32 and None
# want: help: test with 'is None' before using an optional argument
@triton.jit
def compare_none(x):
    x < None


# case: compare_text i32
# want: error 'x == "a"': '==' does not work on int32 and str
@triton.jit
def compare_text(x):
    x == "a"


# case: compare_fp8 fp8e5
# want: refused 'x < x': '<' on fp8e5 is not supported: cast to fp16 or fp32 first
@triton.jit
def compare_fp8(x):
    x < x


# case: pointer_less *fp32,*fp32
# want: error 'p < q': invalid operands of type pointer<fp32> and pointer<fp32>
@triton.jit
def pointer_less(p, q):
    p < q


# case: pointer_minus *fp32
# want: ok
@triton.jit
def pointer_minus(p):
    tl.static_assert((p - 4).dtype == p.dtype)


# case: pointer_times *fp32
# want: error 'p * 2': invalid operands of type pointer<fp32> and int32
@triton.jit
def pointer_times(p):
    p * 2


# case: int_minus_pointer *fp32
# want: error '4 - p': invalid operands of type pointer<fp32> and int32
@triton.jit
def int_minus_pointer(p):
    4 - p


# case: int_plus_pointer *fp32,i32
# want: ok
@triton.jit
def int_plus_pointer(p, n):
    tl.static_assert((n + p).dtype == p.dtype)


# case: literal_128 i64
# want: error 'x + (1 << 64)': the integer 18446744073709551616 does not fit in 64 bits
@triton.jit
def literal_128(x):
    x + (1 << 64)


# case: literal_edges i8,u8,i1
# want: ok
@triton.jit
def literal_edges(a, b, c):
    a + 127 + (-128)
    b + 255 + 0
    c & True


# case: literal_above i8
# want: error 'a + 128': the number 128 is out of range for int8
@triton.jit
def literal_above(a):
    a + 128


# case: literal_below i8
# want: error 'a + -129': the number -129 is out of range for int8
@triton.jit
def literal_below(a):
    a + -129


# case: literal_unsigned u8
# want: error 'a + 256': the number 256 is out of range for uint8
@triton.jit
def literal_unsigned(a):
    a + 256


# case: compare_edges u8
# want: ok
@triton.jit
def compare_edges(a):
    (a < 255) & (a >= 0)


# case: mod_signs i32,u8
# want: error 'a % b': cannot use /, // or % with int32 and uint8: one is signed, the other is not
# want: help: cast them to the same signedness with .to(..)
@triton.jit
def mod_signs(a, b):
    a % b


# case: floordiv_bool i1
# want: ok
@triton.jit
def floordiv_bool(a):
    a // a
