# SPDX-License-Identifier: Apache-2.0
# Tensors as subscripts. x[:, rows, 0] is x[:, :, 0], a view, whose dimension 1 `rows` picks from; of several
# indices the shapes are broadcast, and their result takes their place, or the front where they stand apart.
import math
from _torch import Tensor, arange, int64, refuse, tensor, where, zeros


def _of_list(index):
    if not index:
        return tensor(index, dtype=int64)
    return tensor(index)


def nonzero_1d(mask):
    """Where a mask of one dimension is true, in order."""
    n, count = mask.numel(), int(mask.sum())
    at = where(mask, mask.cumsum(0) - 1, count)
    return zeros(count + 1, dtype=at.dtype, device=mask.device).scatter_add(0, at, arange(n, device=mask.device))[:count]


def nonzero(input, *, as_tuple=False):
    mask, columns = input != 0, []
    at = nonzero_1d(mask.reshape(-1))
    for n in reversed(mask.shape):
        columns.insert(0, at % n)
        at = at // n
    if as_tuple:
        return tuple(columns)
    if not columns:
        return zeros((int(mask.sum()), 0), dtype=at.dtype)
    return zeros((0, len(columns)), dtype=at.dtype) if not at.numel() else _stacked(columns)


def _stacked(columns):
    made = zeros((len(columns), columns[0].numel()), dtype=columns[0].dtype, device=columns[0].device)
    for i, column in enumerate(columns):
        made[i] = column
    return made.t()


def _dims_of(part):
    if part is None:
        return 0
    return part.ndim if isinstance(part, Tensor) and str(part.dtype) in ('torch.bool', 'torch.uint8') else 1


def _plan(x, key):
    """The view that the other subscripts give, and an index or None for each of its dimensions."""
    parts = [_of_list(part) if isinstance(part, list) else part for part in (key if isinstance(key, tuple) else (key,))]
    if any(isinstance(part, bool) for part in parts):
        refuse('subscripts that are True or False')
    used = sum(_dims_of(part) for part in parts if part is not ...)
    if used > x.ndim:
        raise IndexError(f'too many indices for tensor of dimension {x.ndim}')
    view, indices, dim = [], [], 0
    for part in parts:
        if part is ...:
            for _ in range(x.ndim - used):
                view.append(slice(None))
                indices.append(None)
                dim += 1
        elif not isinstance(part, Tensor):
            view.append(part)
            if part is None or isinstance(part, slice):
                indices.append(None)
            dim += part is not None
        elif str(part.dtype) in ('torch.bool', 'torch.uint8'):
            if part.ndim == 0:
                refuse('subscripts that are one truth')
            for i, n in enumerate(part.shape):
                if n != x.shape[dim + i]:
                    raise IndexError(f'The shape of the mask {list(part.shape)} at index {i} does not match the shape of the '
                                     f'indexed tensor {list(x.shape)} at index {dim + i}')
            for column in nonzero(part, as_tuple=True):
                view.append(slice(None))
                indices.append(column)
                dim += 1
        elif str(part.dtype) not in ('torch.int64', 'torch.int32', 'torch.int16', 'torch.int8'):
            raise IndexError('tensors used as indices must be long, int, byte or bool tensors')
        elif part.ndim == 0:
            view.append(int(part))
            dim += 1
        else:
            view.append(slice(None))
            indices.append(part.long())
            dim += 1
    x = x[tuple(view)]
    return x, indices + [None] * (x.ndim - len(indices))


def _broadcast(indices):
    rank = max(i.ndim for i in indices)
    shape = [1] * rank
    for index in indices:
        for k, n in enumerate(index.shape):
            at = rank - index.ndim + k
            if n != 1 and shape[at] not in (1, n):
                shapes = ', '.join(str(list(i.shape)) for i in indices)
                raise IndexError(f'shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}')
            shape[at] = n if shape[at] == 1 else shape[at]
    return [index.expand(shape) for index in indices], shape


def take(x, key):
    x, indices = _plan(x, key)
    dims = [d for d, index in enumerate(indices) if index is not None]
    if not dims:
        return x
    picks, shape = _broadcast([indices[d] for d in dims])
    at = None
    for k, (d, index) in enumerate(zip(dims, picks)):
        n = x.shape[d]
        wrong = (index < -n) | (index >= n)
        if index.numel() and bool(wrong.any()):
            bad = next(i for i in index.reshape(-1).tolist() if not -n <= i < n)
            raise IndexError(f'index {bad} is out of bounds for dimension {k} with size {n}')
        index = where(index < 0, index + n, index)
        at = index if at is None else at * n + index
    rest = [d for d in range(x.ndim) if d not in dims]
    front = dims[0] if dims[-1] - dims[0] + 1 == len(dims) else 0
    rest = rest[:front] + dims + rest[front:]
    sizes, strides = [x.shape[d] for d in rest], [x.stride(d) for d in rest]
    before, after = sizes[:front], sizes[front + len(dims):]
    flat = x.permute(rest).reshape(before + [-1 if x.numel() else math.prod(sizes[front:front + len(dims)])] + after)
    taken = flat.index_select(front, at.reshape(-1)).reshape(before + shape + after)
    spread = [i.reshape([1] * front + shape + [1] * len(after)) for i in picks]
    order = _order(list(taken.shape), [strides[:front] + [0] * len(shape) + strides[front + len(dims):]]
                   + [[0 if n < m else s for n, m, s in zip(i.shape, taken.shape, i.stride())] for i in spread])
    if order == sorted(order):
        return taken
    return taken.permute(order).contiguous().permute([order.index(d) for d in range(len(order))])


def _order(shape, operands):
    """The dimensions as PyTorch lays its result out, the last one without gaps: as those of what it reads lie, of which
    a stride of 0 says nothing."""
    order = list(range(len(shape)))[::-1]
    for n in range(1, len(order)):
        at = n
        for k in range(n - 1, -1, -1):
            swap = _swaps(shape, operands, order[k], order[at])
            if swap > 0:
                order[k], order[at] = order[at], order[k]
                at = k
            elif swap < 0:
                break
    return order[::-1]


def _swaps(shape, operands, a, b):
    for strides in operands:
        if strides[a] == 0 or strides[b] == 0:
            continue
        if strides[a] != strides[b]:
            return 1 if strides[a] > strides[b] else -1
        if shape[a] > shape[b]:
            return 1
    return 0


def put(x, key, value):
    mask = key if isinstance(key, Tensor) and str(key.dtype) == 'torch.bool' else None
    if mask is not None and mask.shape == x.shape and (not isinstance(value, Tensor) or value.ndim == 0):
        x.copy_(where(mask, value, x).to(x.dtype))
        return
    x, indices = _plan(x, key)
    places = arange(x.numel(), device=x.device).reshape(x.shape)
    for_view = tuple(slice(None) if index is None else index for index in indices)
    at = take(places, for_view)
    if not isinstance(value, Tensor):
        value = tensor(value, dtype=x.dtype, device=x.device)
    value = value.to(x.dtype).expand(at.shape).reshape(-1)
    at = at.reshape(-1)
    if not at.numel():
        return
    counts = zeros(x.numel(), dtype=at.dtype, device=x.device)
    counts = counts.scatter_add(0, at, at * 0 + 1)
    if bool((counts > 1).any()):
        refuse('an element that is assigned twice')
    order = zeros(x.numel(), dtype=at.dtype, device=x.device).scatter_add(0, at, arange(at.numel(), device=x.device))
    x.copy_(where(counts > 0, value.index_select(0, order), x.reshape(-1)).reshape(x.shape))
