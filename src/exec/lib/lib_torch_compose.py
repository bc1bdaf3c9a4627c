# SPDX-License-Identifier: Apache-2.0
# What turns, picks and multiplies dimensions, of views and products: functions of torch that are methods, too.
import math
from _torch import Tensor, arange, bmm, cat, index_select, refuse, sort, stack, where, zeros


def _dim(input, dim):
    if input.ndim:
        input.size(dim)  # which says so where there is no such dimension
    return dim % max(input.ndim, 1)


def _listed(sizes):
    return [sizes] if isinstance(sizes, int) else list(sizes)


def flip(input, *of, dims=None):
    dims = [_dim(input, d) for d in (_listed(of[0]) if len(of) == 1 else list(of) if dims is None else _listed(dims))]
    for d in dims:
        if dims.count(d) > 1:
            raise RuntimeError(f'dim {d} appears multiple times in the list of dims')
    if not dims or not input.ndim:
        return input.clone()
    order = sorted(range(input.ndim), key=lambda d: -input.stride(d))
    turned = input.permute(order)
    for d in dims:
        turned = index_select(turned, order.index(d), arange(input.shape[d] - 1, -1, -1, device=input.device))
    return turned.permute([order.index(d) for d in range(input.ndim)])


def fliplr(input):
    if input.ndim < 2:
        raise RuntimeError('Input must be >= 2-d.')
    return flip(input, 1)


def flipud(input):
    if input.ndim < 1:
        raise RuntimeError('Input must be >= 1-d.')
    return flip(input, 0)


def roll(input, shifts, dims=None):
    if dims is None or dims == ():
        return roll(input.flatten(), shifts, 0).view(input.shape)
    shifts, dims = _listed(shifts), _listed(dims)
    if len(shifts) != len(dims):
        raise RuntimeError(f'shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}')
    for shift, dim in zip(shifts, dims):
        size = input.shape[_dim(input, dim)]
        if size:
            input = index_select(input, dim, (arange(size, device=input.device) - shift) % size)
    return input


def diagonal(input, offset=0, dim1=0, dim2=1):
    dim1, dim2 = _dim(input, dim1), _dim(input, dim2)
    if dim1 == dim2:
        raise RuntimeError(f'diagonal dimensions cannot be identical {dim1}, {dim2}')
    down, right = max(0, -offset), max(0, offset)
    count = max(0, min(input.shape[dim1] - down, input.shape[dim2] - right))
    rest = [d for d in range(input.ndim) if d not in (dim1, dim2)]
    shape, strides = [input.shape[d] for d in rest], [input.stride(d) for d in rest]
    start = input.storage_offset() + (down * input.stride(dim1) + right * input.stride(dim2) if count else 0)
    return input.as_strided(shape + [count], strides + [input.stride(dim1) + input.stride(dim2)], start)


def diag(input, diagonal=0):
    if input.ndim == 2:
        return _functions['diagonal'](input, diagonal).clone()
    if input.ndim != 1:
        raise RuntimeError(f'diag(): Supports 1D or 2D tensors. Got {input.ndim}D')
    at = arange(input.numel() + abs(diagonal), device=input.device)
    spread = cat([input, zeros(abs(diagonal), dtype=input.dtype, device=input.device)])
    spread = spread[:, None] if diagonal >= 0 else spread[None, :]
    return where(at[None, :] - at[:, None] == diagonal, spread, zeros((), dtype=input.dtype, device=input.device))


def unfold(input, dimension, size, step):
    dim = _dim(input, dimension)
    if size > input.shape[dim]:
        raise RuntimeError(f'maximum size for tensor at dimension {dim} is {input.shape[dim]} but size is {size}')
    if step <= 0:
        raise RuntimeError(f'step is {step} but must be > 0')
    shape, strides = list(input.shape), list(input.stride())
    shape[dim], strides[dim] = (shape[dim] - size) // step + 1, strides[dim] * step
    return input.as_strided(shape + [size], strides + [input.stride(dim)], input.storage_offset())


def trace(input):
    if input.ndim != 2:
        raise RuntimeError(f'trace: expected a matrix, but got tensor with dim {input.ndim}')
    return diagonal(input).sum()


def tile(input, *dims):
    dims = _listed(dims[0]) if len(dims) == 1 else list(dims)
    return input.repeat(*([1] * (input.ndim - len(dims)) + dims))


def repeat_interleave(input, repeats, dim=None):
    if not isinstance(repeats, int):
        refuse('repeat_interleave by a tensor')
    if dim is None:
        input, dim = input.flatten(), 0
    dim = _dim(input, dim)
    shape = list(input.shape)
    spread = input.unsqueeze(dim + 1).expand(*shape[:dim + 1], repeats, *shape[dim + 1:])
    return spread.reshape(*shape[:dim], shape[dim] * repeats, *shape[dim + 1:])


def broadcast_to(input, size):
    return input.expand(*size)


def column_stack(tensors):
    return cat([t.reshape(-1, 1) if t.ndim < 2 else t for t in tensors], 1)


def meshgrid(*tensors, indexing='ij'):
    tensors = list(tensors[0]) if len(tensors) == 1 and not isinstance(tensors[0], Tensor) else list(tensors)
    if indexing not in ('ij', 'xy'):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    swaps = indexing == 'xy' and len(tensors) > 1
    if swaps:
        tensors[:2] = tensors[1::-1]
    shape = [t.numel() for t in tensors]
    grids = [t.reshape([-1 if d == i else 1 for d in range(len(shape))]).expand(*shape) for i, t in enumerate(tensors)]
    if swaps:
        grids[:2] = grids[1::-1]
    return tuple(grids)


def diff(input, n=1, dim=-1):
    dim = _dim(input, dim)
    for _ in range(n):
        count = input.shape[dim]
        later, sooner = input.narrow(dim, min(1, count), max(0, count - 1)), input.narrow(dim, 0, max(0, count - 1))
        input = later ^ sooner if str(input.dtype) == 'torch.bool' else later - sooner
    return input


def logaddexp(input, other):
    most = input.maximum(other)
    finite = where(most.isinf(), 0.0, most)
    return finite + ((input - finite).exp() + (other - finite).exp()).log()


def xlogy(input, other):
    return where(input == 0, where(other.isnan(), math.nan, 0.0), input * other.log())


def isin(elements, test_elements):
    return (elements.unsqueeze(-1) == test_elements.flatten()).any(-1)


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    if return_inverse or return_counts or dim is not None:
        refuse('unique with inverse, counts or dim')
    values = sort(input.flatten())[0]
    return values[cat([values[:1] == values[:1], values[1:] != values[:-1]])] if values.numel() else values


def var_mean(input, dim=None, **options):
    return input.var(dim, **options), input.mean() if dim is None else input.mean(dim, options.get('keepdim', False))


def std_mean(input, dim=None, **options):
    return input.std(dim, **options), input.mean() if dim is None else input.mean(dim, options.get('keepdim', False))


# ---- products over named dimensions ----


def _contract(a, of_a, b, of_b, kept):
    """One product of two tensors; a dimension that only one has, and that is not kept, is summed before."""
    for letters, others, first in ((of_a, of_b, True), (of_b, of_a, False)):
        lone = [i for i, c in enumerate(letters) if c not in others and c not in kept]
        if lone and first:
            a, of_a = a.sum(lone), [c for i, c in enumerate(of_a) if i not in lone]
        elif lone:
            b, of_b = b.sum(lone), [c for i, c in enumerate(of_b) if i not in lone]
    batch = [c for c in of_a if c in of_b and c in kept]
    summed = [c for c in of_a if c in of_b and c not in kept]
    rows, columns = [c for c in of_a if c not in of_b], [c for c in of_b if c not in of_a]
    sizes = dict(list(zip(of_a, a.shape)) + [(c, n) for c, n in zip(of_b, b.shape) if c not in of_a or n != 1])
    a = a.expand(*[sizes[c] for c in of_a]) if of_a else a
    b = b.expand(*[sizes[c] for c in of_b]) if of_b else b

    def count(letters):
        return math.prod([sizes[c] for c in letters])

    left = a.permute(*[of_a.index(c) for c in batch + rows + summed]) if of_a else a
    right = b.permute(*[of_b.index(c) for c in batch + summed + columns]) if of_b else b
    product = bmm(left.reshape(count(batch), count(rows), count(summed)),
                  right.reshape(count(batch), count(summed), count(columns)))
    letters = batch + rows + columns
    return product.reshape([sizes[c] for c in letters]), letters


def einsum(equation, *operands):
    operands = list(operands[0]) if len(operands) == 1 and not isinstance(operands[0], Tensor) else list(operands)
    equation = equation.replace(' ', '')
    if '...' in equation:
        refuse("einsum with '...'")
    given, arrow, out = equation.partition('->')
    terms = [list(term) for term in given.split(',')]
    if len(terms) != len(operands):
        raise RuntimeError('einsum(): ' + ('fewer' if len(terms) > len(operands) else 'more')
                           + ' operands were provided than specified in the equation')
    every = ''.join(given.split(','))
    out = list(out) if arrow else [c for c in sorted(set(every)) if every.count(c) == 1]
    for i, (letters, x) in enumerate(zip(terms, operands)):
        if len(letters) != x.ndim:
            raise RuntimeError(f'einsum(): the number of subscripts in the equation ({len(letters)}) does not match the '
                               f'number of dimensions ({x.ndim}) for operand {i} and no ellipsis was given')
        for c in sorted(set(letters)):
            while letters.count(c) > 1:
                first = letters.index(c)
                second = first + 1 + letters[first + 1:].index(c)
                x = x.diagonal(0, first, second)
                letters = [k for at, k in enumerate(letters) if at not in (first, second)] + [c]
        terms[i], operands[i] = letters, x
    for c in out:
        if c not in every:
            raise RuntimeError(f"einsum(): output subscript {c} does not appear in the equation for any input operand")
    result, letters = operands[0], terms[0]
    for i in range(1, len(operands)):
        kept = out + [c for term in terms[i + 1:] for c in term]
        result, letters = _contract(result, letters, operands[i], terms[i], kept)
    lone = [i for i, c in enumerate(letters) if c not in out]
    if lone:
        result, letters = result.sum(lone), [c for c in letters if c in out]
    return result.permute(*[letters.index(c) for c in out]) if out else result


def tensordot(a, b, dims=2):
    of_a, of_b = (list(range(a.ndim - dims, a.ndim)), list(range(dims))) if isinstance(dims, int) else \
        (_listed(dims[0]), _listed(dims[1]))
    of_a, of_b = [_dim(a, d) for d in of_a], [_dim(b, d) for d in of_b]
    left = [chr(ord('a') + d) for d in range(a.ndim)]
    right = [chr(ord('A') + d) for d in range(b.ndim)]
    for i, j in zip(of_a, of_b):
        right[j] = left[i]
    out = [c for i, c in enumerate(left) if i not in of_a] + [c for i, c in enumerate(right) if i not in of_b]
    return einsum(f"{''.join(left)},{''.join(right)}->{''.join(out)}", a, b)


def inner(input, other):
    return input * other if not input.ndim or not other.ndim else tensordot(input, other, ([-1], [-1]))


_functions = {'flip': flip, 'fliplr': fliplr, 'flipud': flipud, 'roll': roll, 'diagonal': diagonal, 'diag': diag, 'trace': trace,
              'tile': tile, 'repeat_interleave': repeat_interleave, 'broadcast_to': broadcast_to, 'diff': diff,
              'logaddexp': logaddexp, 'xlogy': xlogy, 'unique': unique, 'inner': inner}


def method(name):
    return unfold if name == 'unfold' else _functions.get(name)
