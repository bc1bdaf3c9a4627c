# The largest tile that there can be, by whatever makes one: never an internal error.
import triton
import triton.language as tl


# case: dot_too_large
# want: error 'tl.dot(tl.zeros((2048, 16), tl.float16), tl.zeros((16, 2048), tl.float16))': a tensor of shape [2048, 2048] is larger than the limit of 1048576 elements
@triton.jit
def dot_too_large():
    tl.dot(tl.zeros((2048, 16), tl.float16), tl.zeros((16, 2048), tl.float16))


# case: join_too_large
# want: error 'tl.join(a, a)': a tensor of shape [1048576, 2] is larger than the limit of 1048576 elements
@triton.jit
def join_too_large():
    a = tl.zeros((1048576, ), tl.int8)
    tl.join(a, a)


# case: interleave_too_large
# want: error 'tl.interleave(a, a)': a tensor of shape [1048576, 2] is larger than the limit of 1048576 elements
@triton.jit
def interleave_too_large():
    a = tl.zeros((1048576, ), tl.int8)
    tl.interleave(a, a)


# case: cat_too_large
# want: error 'tl.cat(a, a, can_reorder=True)': a tensor of shape [1048576, 2] is larger than the limit of 1048576 elements
@triton.jit
def cat_too_large():
    a = tl.zeros((1048576, ), tl.int8)
    tl.cat(a, a, can_reorder=True)


# case: broadcast_too_large
# want: error 'a[:, None] + a[None, :]': a tensor of shape [2048, 2048] is larger than the limit of 1048576 elements
@triton.jit
def broadcast_too_large():
    a = tl.arange(0, 2048)
    a[:, None] + a[None, :]


# case: arange_too_large
# want: error 'tl.arange(0, 2097152)': a tensor of 2097152 elements is larger than the limit of 1048576
@triton.jit
def arange_too_large():
    tl.arange(0, 2097152)


# case: arange_far_too_large
# want: error 'tl.arange(-1073741824, 1073741824)': a tensor of 2147483648 elements is larger than the limit of 1048576
@triton.jit
def arange_far_too_large():
    tl.arange(-1073741824, 1073741824)


# case: full_too_large
# want: error '(2048, 2048)': the shape has more than 1048576 elements
@triton.jit
def full_too_large():
    tl.full((2048, 2048), 0, tl.int8)


# case: reshape_too_large
# want: error '(4096, 4096)': the shape has more than 1048576 elements
@triton.jit
def reshape_too_large():
    tl.reshape(tl.zeros((16, ), tl.int8), (4096, 4096))


# case: broadcast_to_too_large
# want: error '(1048576, 16)': the shape has more than 1048576 elements
@triton.jit
def broadcast_to_too_large():
    tl.broadcast_to(tl.zeros((16, ), tl.int8), (1048576, 16))


# case: descriptor_too_large *fp32
# want: error '[4096, 4096]': block_shape has more than 1048576 elements
@triton.jit
def descriptor_too_large(p):
    tl.make_tensor_descriptor(p, [4096, 4096], [4096, 1], [4096, 4096]).load([0, 0])


# case: block_pointer_too_large *fp32
# want: error '(4096, 4096)': block_shape has more than 1048576 elements
@triton.jit
def block_pointer_too_large(p):
    tl.load(tl.make_block_ptr(p, (4096, 4096), (4096, 1), (0, 0), (4096, 4096), (1, 0)))


# case: largest_is_fine
# want: ok
@triton.jit
def largest_is_fine():
    a = tl.zeros((524288, ), tl.int8)
    tl.join(a, a)
    tl.arange(0, 1024)[:, None] + tl.arange(0, 1024)[None, :]


@triton.jit
def sums(a):
    return tl.sum(a, 0)


@triton.jit
def counts(a):
    while a > 0:
        a -= 1
    return a


@triton.jit
def stores(a):
    if a > 0:
        tl.device_print("a", a)
    return a


@triton.jit
def sees_shape(a):
    return a + a.shape[0]


@triton.jit
def pairs(a0, a1):
    return a0 + a1


# case: mapped_pairs
# want: error 'pairs': the function gives 1 results, which 2 elements do not share
@triton.jit
def mapped_pairs():
    tl.map_elementwise(pairs, tl.arange(0, 16), pack=2)


# case: mapped_sums
# want: refused 'tl.sum(a, 0)': 'reduce' in map_elementwise is not supported, in tl.sum
# want: note 'tl.map_elementwise(sums, tl.arange(0, 16))': in the call of 'sums' here
# want: help: the function gets one element of each tensor and gives one of each result
@triton.jit
def mapped_sums():
    tl.map_elementwise(sums, tl.arange(0, 16))


# case: mapped_counts
# want: refused 'a > 0': in map_elementwise a 'while' that may end at another turn for each element is not supported
# want: note 'tl.map_elementwise(counts, tl.arange(0, 16))': in the call of 'counts' here
@triton.jit
def mapped_counts():
    tl.map_elementwise(counts, tl.arange(0, 16))


# case: mapped_stores
# want: refused 'tl.device_print("a", a)': 'device_print' in map_elementwise is not supported
# want: note 'tl.map_elementwise(stores, tl.arange(0, 16))': in the call of 'stores' here
# want: help: the function gets one element of each tensor and gives one of each result
@triton.jit
def mapped_stores():
    tl.map_elementwise(stores, tl.arange(0, 16))


# case: mapped_sees_shape
# want: refused 'a.shape': '.shape' in map_elementwise is not supported
# want: note 'tl.map_elementwise(sees_shape, tl.arange(0, 16))': in the call of 'sees_shape' here
@triton.jit
def mapped_sees_shape():
    tl.map_elementwise(sees_shape, tl.arange(0, 16))


# case: mapped_pack
# want: error '3': 'pack' must be a power of two up to 64 and to the last dimension, got 3
@triton.jit
def mapped_pack():
    tl.map_elementwise(pairs, tl.arange(0, 16), pack=3)
