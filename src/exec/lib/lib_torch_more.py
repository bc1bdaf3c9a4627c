# SPDX-License-Identifier: Apache-2.0
# What of torch are few calls of others: functions of torch that are methods of tensors, too.
import math
from _torch import Tensor, arange, bmm, cat, empty, empty_like, full, import_module, index_select, matmul, ones, print_options, refuse, sort, stack, std as _std, sub, tensor, var as _var, where, zeros

from torch._index import nonzero


_printing = {'precision': 4, 'threshold': 1000, 'edgeitems': 3, 'linewidth': 80}


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    profiles = {'default': (4, 1000, 3), 'short': (2, 1000, 2), 'full': (4, math.inf, 3)}
    if profile in profiles:
        _printing['precision'], _printing['threshold'], _printing['edgeitems'] = profiles[profile]
        _printing['linewidth'] = 80
    given = {'precision': precision, 'threshold': threshold, 'edgeitems': edgeitems, 'linewidth': linewidth}
    for name, value in given.items():
        if value is not None:
            _printing[name] = value
    digits, most, edges, width = _printing.values()
    if digits > 30 or edges < 1 or width < 1:
        refuse('set_printoptions of more than 30 digits, or of no items or columns')
    print_options(digits or -1, 2**62 if most == math.inf else int(most) or -1, edges, width,
                  0 if sci_mode is None else 1 if sci_mode else -1)


def is_tensor(obj):
    return isinstance(obj, Tensor)


def is_floating_point(input):
    return str(input.dtype) in ('torch.float32', 'torch.float64', 'torch.float16', 'torch.bfloat16')


def _dims(dim):
    return None if dim is None else [dim] if isinstance(dim, int) else list(dim)


def _correction(unbiased, correction):
    return (1 if unbiased is None or unbiased else 0) if correction is None else correction


def var(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    return _var(input, _dims(dim), keepdim, _correction(unbiased, correction))


def std(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    return _std(input, _dims(dim), keepdim, _correction(unbiased, correction))


def _dim(input, dim):
    if not -max(input.ndim, 1) <= dim < max(input.ndim, 1):
        raise IndexError(f'Dimension out of range (expected to be in range of [{-max(input.ndim, 1)}, '
                         f'{max(input.ndim, 1) - 1}], but got {dim})')
    return dim % max(input.ndim, 1)


def flatten(input, start_dim=0, end_dim=-1):
    start, end = _dim(input, start_dim), _dim(input, end_dim)
    if start > end:
        raise RuntimeError('flatten() has invalid args: start_dim cannot come after end_dim')
    return input.reshape(*input.shape[:start], math.prod(input.shape[start:end + 1]), *input.shape[end + 1:])


def unflatten(input, dim, sizes):
    dim, sizes = _dim(input, dim), list(sizes)
    known, size = math.prod([n for n in sizes if n != -1]), input.shape[dim]
    if size != known and (-1 not in sizes or not known or size % known):
        raise RuntimeError(f"unflatten: Provided sizes {sizes} don't multiply up to the size of dim {dim} ({size}) "
                           'in the input tensor')
    return input.view(*input.shape[:dim], *sizes, *input.shape[dim + 1:])


def narrow(input, dim, start, length):
    if input.ndim == 0:
        raise RuntimeError('narrow() cannot be applied to a 0-dim tensor.')
    size = input.shape[_dim(input, dim)]
    if length < 0:
        raise RuntimeError('narrow(): length must be non-negative.')
    if not -size <= start <= size:
        raise IndexError(f'start out of range (expected to be in range of [{-size}, {size}], but got {start})')
    start += size if start < 0 else 0
    if start + length > size:
        raise RuntimeError(f'start ({start}) + length ({length}) exceeds dimension size ({size}).')
    index = [slice(None)] * (dim % input.ndim) + [slice(start, start + length)]
    return input[tuple(index)]


def select(input, dim, index):
    if input.ndim == 0:
        raise IndexError('select() cannot be applied to a 0-dim tensor.')
    if not -input.shape[_dim(input, dim)] <= index < input.shape[_dim(input, dim)]:
        raise IndexError(f'select(): index {index} out of range for tensor of size {list(input.shape)} at dimension '
                         f'{_dim(input, dim)}')
    return input[tuple([slice(None)] * (dim % input.ndim) + [index])]


def unbind(input, dim=0):
    return tuple(select(input, dim, i) for i in range(input.shape[_dim(input, dim)]))


def split(tensor, split_size_or_sections, dim=0):
    dim = _dim(tensor, dim)
    n = tensor.shape[dim]
    if isinstance(split_size_or_sections, int):
        size = split_size_or_sections
        sizes = [min(size, n - at) for at in range(0, n, size)]
    else:
        sizes = list(split_size_or_sections)
        if sum(sizes) != n:
            raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension "
                               f"{dim}), but got split_sizes={sizes}")
    parts, at = [], 0
    for size in sizes:
        parts.append(narrow(tensor, dim, at, size))
        at += size
    return tuple(parts)


def chunk(input, chunks, dim=0):
    return split(input, max(1, -(-input.shape[_dim(input, dim)] // chunks)), dim)


# In C++'s words, as torch's errors have them; an integer's with the least and the most that it holds.
_floats = {'torch.float32': 'float', 'torch.float64': 'double', 'torch.float16': 'c10::Half', 'torch.bfloat16': 'c10::BFloat16'}
_integers = {'torch.int64': ('long int', 'int64_t', -2**63, 2**63 - 1), 'torch.int32': ('int', 'int', -2**31, 2**31 - 1),
             'torch.int16': ('short int', 'int16_t', -32768, 32767), 'torch.int8': ('signed char', 'int8_t', -128, 127),
             'torch.uint8': ('unsigned char', 'uint8_t', -255, 255)}


def masked_fill(input, mask, value):
    kind = str(mask.dtype)
    if kind != 'torch.bool':
        raise RuntimeError('masked_fill_ only supports boolean masks, but got mask with dtype '
                           + (_floats.get(kind) or _integers[kind][0]))
    if isinstance(value, Tensor):
        if value.dim():
            raise RuntimeError('masked_fill_ only supports a 0-dimensional value tensor, but got tensor with '
                               f'{value.dim()} dimension(s).')
        value = value.to(input.dtype)
    elif str(input.dtype) == 'torch.bool':
        value = tensor(bool(value))
    elif str(input.dtype) in _integers:
        _, name, least, most = _integers[str(input.dtype)]
        if isinstance(value, float) and name == 'uint8_t':
            least = 0
        if not least <= value < most + 1:
            raise RuntimeError(f'value cannot be converted to type {name} without overflow')
        value = tensor(int(value)).to(input.dtype)
    return where(mask, value, input).contiguous()


def masked_select(input, mask):
    mask, input = broadcast_tensors(mask, input)
    return input[mask]


def outer(input, vec2):
    for name, x in (('self', input), ('vec2', vec2)):
        if x.ndim != 1:
            raise RuntimeError(f'outer: Expected 1-D argument {name}, but got {x.ndim}-D')
    return input[:, None] * vec2[None, :]


def dot(input, tensor):
    if input.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f'1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors')
    return input @ tensor


def mv(input, vec):
    if input.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f'vector + matrix @ vector expected, got 1, {input.ndim}, {vec.ndim}')
    return input @ vec


def baddbmm(input, batch1, batch2, *, beta=1, alpha=1):
    product = bmm(batch1, batch2)
    return beta * input.expand(product.shape) + alpha * product


def movedim(input, source, destination):
    order = [d for d in range(input.ndim) if d != source % input.ndim]
    order.insert(destination % input.ndim, source % input.ndim)
    return input.permute(order)


def swapaxes(input, axis0, axis1):
    return input.transpose(axis0, axis1)


def ravel(input):
    return input.reshape(-1)


def numel(input):
    return input.numel()


def lerp(input, end, weight):
    return input + weight * (end - input)


def addcmul(input, tensor1, tensor2, *, value=1):
    if not any(is_floating_point(x) for x in (input, tensor1, tensor2)):
        value = int(value)
    return input + value * tensor1 * tensor2


def addcdiv(input, tensor1, tensor2, *, value=1):
    if not is_floating_point(tensor1) and not is_floating_point(tensor2):
        raise RuntimeError('Integer division with addcdiv is no longer supported, and in a future  release addcdiv will '
                           'perform a true division of tensor1 and tensor2.')
    return input + value * tensor1 / tensor2


def rsub(input, other, *, alpha=1):
    return sub(other, input, alpha=alpha)


def clip(input, min=None, max=None):
    if min is None:
        return input.minimum(tensor(max, dtype=input.dtype, device=input.device))
    if max is None:
        return input.maximum(tensor(min, dtype=input.dtype, device=input.device))
    return input.clamp(min, max)


def nan_to_num(input, nan=0.0):
    refuse('nan_to_num')


def count_nonzero(input, dim=None):
    return (input != 0).sum() if dim is None else (input != 0).sum(dim)


# ---- of torch alone ----


class _Layout:
    def __repr__(self):
        return 'torch.strided'


strided = _Layout()


def argsort(input, dim=-1, descending=False, stable=False):
    return sort(input, dim, descending=descending, stable=stable)[1]


def made(dtype, name, *args, device=None):
    """torch.Tensor(..), torch.LongTensor(..): of sizes, or of data."""
    first = args[0] if args else 0
    is_size = isinstance(first, int) or (isinstance(first, tuple) and repr(first).startswith('torch.Size'))
    if len(args) > 1 or is_size:
        return empty(*args or (0,), dtype=dtype, device=device)
    if isinstance(first, Tensor):
        if first.dtype != dtype:
            refuse(f'torch.{name} of a tensor of {first.dtype}')
        return first.detach()
    if isinstance(first, (list, tuple)):
        return tensor(first, dtype=dtype, device=device)
    if type(first).__name__ == 'ndarray':
        return tensor(first.tolist(), dtype=dtype, device=device)
    refuse(f'torch.{name} of a {type(first).__name__}')


def typed(dtype, name):
    return lambda *args, device=None: made(dtype, name, *args, device=device)


def set_float32_matmul_precision(precision):
    """Allows PyTorch less than what is computed here."""
    if precision not in ('highest', 'high', 'medium'):
        raise RuntimeError(f"Invalid float32 matmul precision: {precision}")


def from_numpy(ndarray):
    return ndarray._tensor



def eye(n, m=None, *, dtype=None, device=None):
    m = n if m is None else m
    rows, columns = arange(n, device=device), arange(m, device=device)
    made = (rows[:, None] == columns[None, :])
    return made.float() if dtype is None else made.to(dtype)


def linspace(start, end, steps, *, dtype=None, device=None):
    step = (end - start) / (steps - 1) if steps > 1 else 0.0
    return tensor([start + step * i if i < steps // 2 else end - step * (steps - 1 - i) for i in range(steps)],
                  dtype=dtype, device=device)


def full_like(input, fill_value, *, dtype=None, device=None):
    made = empty_like(input, dtype=input.dtype if dtype is None else dtype, device=input.device if device is None else device)
    return made.fill_(fill_value)


def concat(tensors, dim=0):
    return cat(tensors, dim)


concatenate = concat


def vstack(tensors):
    return cat([t[None] if t.ndim == 1 else t for t in tensors], 0)


def hstack(tensors):
    return cat(tensors, 0 if tensors[0].ndim == 1 else 1)


def as_tensor(data, dtype=None, device=None):
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    return tensor(data, dtype=dtype, device=device)


def broadcast_tensors(*tensors):
    shape = broadcast_shapes(*[t.shape for t in tensors])
    return tuple(t.expand(shape) for t in tensors)


def broadcast_shapes(*shapes):
    rank = max(len(s) for s in shapes)
    result = [1] * rank
    for shape in shapes:
        for i, n in enumerate(shape):
            at = rank - len(shape) + i
            if n != 1 and result[at] != 1 and n != result[at]:
                raise RuntimeError('Shape mismatch: objects cannot be broadcast to a single shape')
            result[at] = n if result[at] == 1 else result[at]
    return tuple(result)


# ---- of tensors alone ----


class _Methods:
    def view_as(self, other):
        return self.view(other.shape)

    def reshape_as(self, other):
        return self.reshape(other.shape)

    def broadcast_to(self, *size):
        return self.expand(*size)

    def expand_as(self, other):
        return self.expand(other.shape)

    def type_as(self, other):
        return self.to(other.dtype)

    def repeat(self, *sizes):
        sizes = list(sizes[0]) if len(sizes) == 1 and not isinstance(sizes[0], int) else list(sizes)
        x = self
        while x.ndim < len(sizes):
            x = x[None]
        for dim, times in enumerate(sizes):
            if times != 1:
                x = cat([x] * times, dim)
        return x if x is not self else self.clone()

    def new_empty(self, *size, dtype=None, device=None):
        return empty(*size, dtype=dtype or self.dtype, device=device or self.device)

    def new_zeros(self, *size, dtype=None, device=None):
        return zeros(*size, dtype=dtype or self.dtype, device=device or self.device)

    def new_ones(self, *size, dtype=None, device=None):
        return ones(*size, dtype=dtype or self.dtype, device=device or self.device)

    def new_full(self, size, fill_value, *, dtype=None, device=None):
        return full(size, fill_value, dtype=dtype or self.dtype, device=device or self.device)

    def new_tensor(self, data, *, dtype=None, device=None):
        return tensor(data, dtype=dtype or self.dtype, device=device or self.device)

    def where(self, condition, other):
        return where(condition, self, other)

    def masked_fill_(self, mask, value):
        return self.copy_(masked_fill(self, mask, value))

    def clamp_(self, min=None, max=None):
        return self.copy_(clip(self.clone() if self.requires_grad else self, min, max))

    def detach_(self):
        refuse('detach_')

    def get_device(self):
        return 0 if self.is_cuda else -1

    def type(self, dtype=None):
        if dtype is None:
            refuse('the type() of a tensor')
        return self.to(dtype)

    def pin_memory(self):
        return self

    def numpy(self):
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self.is_cuda:
            raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
                            "memory first.")
        if str(self.dtype) == 'torch.bfloat16':
            raise TypeError('Got unsupported ScalarType BFloat16')
        return import_module('numpy').ndarray(self)

    def nelement(self):
        return self.numel()

    def record_stream(self, stream):
        return None


_functions = {'var': var, 'std': std, 'flatten': flatten, 'unflatten': unflatten, 'narrow': narrow, 'select': select, 'unbind': unbind, 'split': split, 'chunk': chunk,
              'argsort': argsort, 'masked_fill': masked_fill, 'masked_select': masked_select, 'nonzero': nonzero, 'count_nonzero': count_nonzero, 'outer': outer, 'dot': dot, 'mv': mv, 'baddbmm': baddbmm, 'movedim': movedim,
              'swapaxes': swapaxes, 'ravel': ravel, 'lerp': lerp, 'addcmul': addcmul, 'addcdiv': addcdiv, 'clip': clip,
              'is_floating_point': is_floating_point}


def method(name):
    return _functions.get(name) or getattr(_Methods, name, None) if not name.startswith('__') else None
