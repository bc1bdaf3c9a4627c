# SPDX-License-Identifier: Apache-2.0
# Rows of a 2-D tensor descriptor by number: rows and columns outside of it give the padding, and
# nothing is stored there.
import triton
import triton.language as tl


@triton.jit
def _check(desc, x_offsets):
    tl.static_assert(len(desc.block_shape) == 2 and desc.block_shape[0] == 1, "the descriptor's block must be [1, N]")
    tl.static_assert(len(x_offsets.shape) == 1, "the row numbers must have one dimension")
    tl.static_assert(x_offsets.dtype == tl.int32 or x_offsets.dtype == tl.int16, "the row numbers must be int32 or int16")
    tl.static_assert(x_offsets.shape[0] >= 8, "at least 8 rows are needed")


@triton.jit
def _places(desc, x_offsets, y_offset):
    rows = x_offsets.to(tl.int64)[:, None]
    columns = (tl.arange(0, desc.block_shape[1]).to(tl.int64) + y_offset)[None, :]
    inside = (rows >= 0) & (rows < desc.shape[0]) & (columns >= 0) & (columns < desc.shape[1])
    return desc.base + (rows * desc.strides[0] + columns * desc.strides[1]), inside


@triton.jit
def gather(desc, x_offsets, y_offset):
    _check(desc, x_offsets)
    pointers, inside = _places(desc, x_offsets, y_offset)
    zero: tl.constexpr = 0.0 if desc.dtype.is_floating() else 0
    return tl.load(pointers, mask=inside, other=float("nan") if desc._padding == "nan" else zero)


@triton.jit
def scatter(desc, value, x_offsets, y_offset):
    _check(desc, x_offsets)
    tl.static_assert(value.shape == (x_offsets.shape[0], desc.block_shape[1]), "the value must be [rows, N]")
    pointers, inside = _places(desc, x_offsets, y_offset)
    tl.store(pointers, value.to(desc.dtype), mask=inside)


# The names of Triton 3.0 to 3.2. Its descriptors of triton.tools know how wide an element is, and
# no more: what it is, the kernel says.
@triton.jit
def _typed(desc, dtype: tl.constexpr):
    if desc.dtype == dtype:
        return desc
    tl.static_assert(len(desc.block_shape) <= 2, "the dtype must be the descriptor's")
    same: tl.constexpr = desc.dtype.is_int() and desc.dtype.primitive_bitwidth == dtype.primitive_bitwidth
    tl.static_assert(same, "the dtype must be the descriptor's")
    base = desc.base.to(tl.pointer_type(dtype), bitcast=True)
    if len(desc.block_shape) == 1:
        return tl.make_tensor_descriptor(base, desc.shape, [1], desc.block_shape)
    return tl.make_tensor_descriptor(base, desc.shape, [desc.strides[0], 1], desc.block_shape)


@triton.jit
def _experimental_descriptor_load(desc_ptr, offsets, shape: tl.constexpr, dtype: tl.constexpr):
    tl.static_assert(tuple(desc_ptr.block_shape) == tuple(shape), "the shape must be the block of the descriptor")
    return _typed(desc_ptr, dtype).load(offsets)


@triton.jit
def _experimental_descriptor_store(desc_ptr, value, offsets):
    _typed(desc_ptr, value.dtype).store(offsets, value)
