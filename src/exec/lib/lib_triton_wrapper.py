# SPDX-License-Identifier: Apache-2.0
# triton.reinterpret: a tensor that kernels see as pointers to another type (jit.c).


class TensorWrapper:
    def __init__(self, base, dtype):
        self.dtype, self.base = dtype, base
        self.data, self.device, self.shape = base.data, base.device, base.shape

    def data_ptr(self):
        return self.base.data_ptr()

    def stride(self, *args):
        return self.base.stride(*args)

    def __str__(self):
        return f'TensorWrapper[{self.dtype}]({self.base})'

    def element_size(self):
        return self.base.element_size()

    def cpu(self):
        return TensorWrapper(self.base.cpu(), self.dtype)

    def copy_(self, other):
        self.base.copy_(other.base)

    def clone(self):
        return TensorWrapper(self.base.clone(), self.dtype)

    def to(self, device):
        return TensorWrapper(self.base.to(device), self.dtype)

    def new_empty(self, sizes):
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)


def reinterpret(tensor, dtype):
    if isinstance(tensor, TensorWrapper):
        return tensor.base if dtype == tensor.base.dtype else TensorWrapper(tensor.base, dtype)
    if hasattr(tensor, 'data_ptr'):
        return TensorWrapper(tensor, dtype)
    raise TypeError(f'Cannot reinterpret a {type(tensor)}.')
