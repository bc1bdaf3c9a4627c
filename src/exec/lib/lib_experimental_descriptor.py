# SPDX-License-Identifier: Apache-2.0
# triton.tools.experimental_descriptor of Triton 3.0 to 3.2: a block of what lies at an address, which kernels take
# (descriptor.c). Whose memory that is, is looked up at each launch.


class TmaDescriptor:
    def __init__(self, address, shape, block_shape, element_size):
        if element_size not in (1, 2, 4):
            raise ValueError('elementSize must be 1, 2, or 4')
        self.address, self.shape, self.block_shape, self.element_size = address, shape, block_shape, element_size
        self.strides = [1] if len(shape) == 1 else [shape[1], 1]


def create_1d_tma_descriptor(ptr, dim, block_dim, element_size):
    return TmaDescriptor(ptr, [dim], [block_dim], element_size)


def create_2d_tma_descriptor(ptr, dim1, dim0, block_dim1, block_dim0, element_size):
    return TmaDescriptor(ptr, [dim1, dim0], [block_dim1, block_dim0], element_size)
