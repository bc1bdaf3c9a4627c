# SPDX-License-Identifier: Apache-2.0
# triton.tools.tensor_descriptor: a block of a tensor, which kernels take (descriptor.c).


class TensorDescriptor:
    def __init__(self, base, shape, strides, block_shape, padding='zero'):
        rank = len(shape)
        assert rank == len(strides) and rank == len(block_shape), f'rank mismatch: {self}'
        self.base, self.shape, self.strides, self.block_shape, self.padding = base, shape, strides, block_shape, padding

    @staticmethod
    def from_tensor(tensor, block_shape, padding='zero'):
        return TensorDescriptor(tensor, tensor.shape, tensor.stride(), block_shape, padding)
