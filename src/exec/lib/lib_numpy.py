# SPDX-License-Identifier: Apache-2.0
# numpy, of what files of this kind use: arrays that are tensors on the CPU, with NumPy's types, promotion of numbers
# and text. What is not here is refused where it is used.
import math
import torch
from _numpy_random import below as _below, doubles as _doubles, generator as _generator, normals as _normals, shuffled as _shuffled
from _torch import Tensor, refuse
import _numpy_pcg as _pcg

_any, _all, _max, _min, _abs = any, all, max, min, abs
pi, e, inf, nan, newaxis = math.pi, math.e, math.inf, math.nan, None


class dtype:
    """A type of NumPy's, which is torch's of the same name; called, it converts a number."""

    def __init__(self, type):
        self._torch = _torch_dtype(type)
        self.name = str(self._torch)[6:]

    itemsize = property(lambda self: torch.empty(1, dtype=self._torch).element_size())

    def __call__(self, x):
        return x.astype(self) if isinstance(x, ndarray) else torch.tensor(x).to(self._torch).item()

    def __eq__(self, other):
        return self._torch == _torch_dtype(other)

    def __hash__(self):
        return hash(self.name)

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"dtype('{self.name}')"


def _torch_dtype(type):
    if isinstance(type, dtype):
        return type._torch
    if isinstance(type, str):
        return getattr(torch, {'float': 'float64', 'int': 'int64'}.get(type, type))
    return torch.float64 if type is float else torch.int64 if type is int else torch.bool if type is bool else type


float64, float32, float16 = dtype('float64'), dtype('float32'), dtype('float16')
int64, int32, int16, int8 = dtype('int64'), dtype('int32'), dtype('int16'), dtype('int8')
uint8, bool_ = dtype('uint8'), dtype('bool')
_floats = ('torch.float64', 'torch.float32', 'torch.float16')


def _dtype(type):
    return _torch_dtype(type)


def _plain(data):
    if isinstance(data, ndarray):
        return data._tensor.tolist()
    return [_plain(x) for x in data] if isinstance(data, (list, tuple)) else data


def _has_float(data):
    return _any(_has_float(x) for x in data) if isinstance(data, list) else isinstance(data, float)


def _has_true_int(data):
    return _any(_has_true_int(x) for x in data) if isinstance(data, list) else not isinstance(data, bool)


def _tensor_of(data, dtype=None):
    if isinstance(data, ndarray):
        data = data._tensor
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(_dtype(dtype))
    data = _plain(list(data) if isinstance(data, range) else data)
    if dtype is None:
        dtype = float if _has_float(data) or data == [] else int if _has_true_int(data) else bool
    return torch.tensor(data, dtype=_dtype(dtype))


def _key(key):
    if isinstance(key, tuple):
        return tuple(_key(k) for k in key)
    return key._tensor if isinstance(key, ndarray) else key


def _given(x):
    """An operand: tensors and numbers; NumPy's numbers of Python take the array's type, and so do torch's."""
    return x._tensor if isinstance(x, ndarray) else _tensor_of(x) if isinstance(x, (list, tuple)) else x


def _binary(a, b, what):
    a, b = _pair(a, b)
    return _wrap(what(a, b))


def _is_float(x):
    return str(x.dtype) in _floats


def _pair(a, b):
    """Two operands as NumPy promotes them, where torch does otherwise: integers beside floating-point numbers."""
    a, b = _given(a), _given(b)
    for x, y in ((a, b), (b, a)):
        if isinstance(x, Tensor) and not _is_float(x) and str(x.dtype) != 'torch.bool':
            if isinstance(y, float) or (isinstance(y, Tensor) and _is_float(y)):
                if str(x.dtype) not in ('torch.int64', 'torch.int32'):
                    refuse('arrays of small integers beside floating-point numbers')
                x = x.to(torch.float64)
                return (x, y) if y is b else (y, x)
        if isinstance(x, Tensor) and isinstance(y, float) and str(x.dtype) == 'torch.bool':
            refuse('arrays of bool beside floating-point numbers')
    return a, b


def _divided(a, b):
    a, b = _pair(a, b)
    a = a.to(torch.float64) if isinstance(a, Tensor) and not _is_float(a) else a
    b = b.to(torch.float64) if isinstance(b, Tensor) and not _is_float(b) else b
    return a / b


def _wrap(x):
    """Of no dimensions: a number of Python's, but of float32 and float16, which have fewer digits."""
    keeps = isinstance(x, Tensor) and (x.ndim or str(x.dtype) in ('torch.float32', 'torch.float16'))
    return ndarray(x) if keeps else x.item() if isinstance(x, Tensor) else x


class ndarray:
    __array_priority__ = 1

    def __init__(self, tensor):
        self._tensor = tensor

    shape = property(lambda self: tuple(self._tensor.shape))
    ndim = property(lambda self: self._tensor.ndim)
    size = property(lambda self: self._tensor.numel())
    dtype = property(lambda self: dtype(self._tensor.dtype))
    T = property(lambda self: ndarray(self._tensor.permute(list(range(self.ndim))[::-1])))

    def __len__(self):
        return self._tensor.shape[0]

    def __iter__(self):
        return iter([_wrap(x) for x in self._tensor])

    def __getitem__(self, key):
        return _wrap(self._tensor[_key(key)])

    def __setitem__(self, key, value):
        self._tensor[_key(key)] = _given(value)

    def __add__(self, other): return _binary(self, other, lambda a, b: a + b)
    def __sub__(self, other): return _binary(self, other, lambda a, b: a - b)
    def __mul__(self, other): return _binary(self, other, lambda a, b: a * b)
    def __floordiv__(self, other): return _binary(self, other, lambda a, b: a // b)
    def __mod__(self, other): return _binary(self, other, lambda a, b: a % b)
    def __pow__(self, other): return _binary(self, other, lambda a, b: a ** b)
    def __lt__(self, other): return _binary(self, other, lambda a, b: a < b)
    def __le__(self, other): return _binary(self, other, lambda a, b: a <= b)
    def __gt__(self, other): return _binary(self, other, lambda a, b: a > b)
    def __ge__(self, other): return _binary(self, other, lambda a, b: a >= b)
    def __eq__(self, other): return _binary(self, other, lambda a, b: a == b)
    def __ne__(self, other): return _binary(self, other, lambda a, b: a != b)
    def __and__(self, other): return _binary(self, other, lambda a, b: a & b)
    def __or__(self, other): return _binary(self, other, lambda a, b: a | b)
    def __radd__(self, other): return _binary(other, self, lambda a, b: a + b)
    def __rsub__(self, other): return _binary(other, self, lambda a, b: a - b)
    def __rmul__(self, other): return _binary(other, self, lambda a, b: a * b)
    def __truediv__(self, other): return _wrap(_divided(self, other))
    def __rtruediv__(self, other): return _wrap(_divided(other, self))
    def __matmul__(self, other):
        a, b = _pair(self, other)
        return _wrap(a @ b)

    def __float__(self): return float(self._tensor)
    def __int__(self): return int(self._tensor)
    def __format__(self, spec): return str(self) if self.ndim else format(self.item(), spec)

    def __neg__(self): return _wrap(-self._tensor)
    def __abs__(self): return _wrap(self._tensor.abs())

    def __bool__(self):
        if self.size != 1:
            raise ValueError('The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()')
        return bool(self._tensor)

    def astype(self, dtype): return ndarray(self._tensor.to(_dtype(dtype)).clone())
    def copy(self): return ndarray(self._tensor.clone())
    def item(self): return self._tensor.item()
    def tolist(self): return self._tensor.tolist()
    def flatten(self): return ndarray(self._tensor.reshape(-1).clone())
    def ravel(self): return ndarray(self._tensor.reshape(-1))
    def transpose(self, *axes): return ndarray(self._tensor.permute(list(axes) or list(range(self.ndim))[::-1]))

    def reshape(self, *shape):
        return ndarray(self._tensor.reshape(shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape))

    def sum(self, axis=None, keepdims=False): return _reduced(self, 'sum', axis, keepdims)
    def prod(self, axis=None, keepdims=False): return _reduced(self, 'prod', axis, keepdims)
    def max(self, axis=None, keepdims=False): return _reduced(self, 'amax', axis, keepdims)
    def min(self, axis=None, keepdims=False): return _reduced(self, 'amin', axis, keepdims)
    def any(self, axis=None, keepdims=False): return _reduced(self, 'any', axis, keepdims)
    def all(self, axis=None, keepdims=False): return _reduced(self, 'all', axis, keepdims)
    def argmax(self, axis=None): return _wrap(self._tensor.argmax() if axis is None else self._tensor.argmax(axis))
    def argmin(self, axis=None): return _wrap(self._tensor.argmin() if axis is None else self._tensor.argmin(axis))

    def mean(self, axis=None, keepdims=False):
        x = self._tensor if str(self.dtype) in _floats else self._tensor.to(torch.float64)
        return _reduced(ndarray(x), 'mean', axis, keepdims)

    def std(self, axis=None, keepdims=False):
        x = self._tensor if str(self.dtype) in _floats else self._tensor.to(torch.float64)
        return _wrap(x.reshape(-1).std(0, correction=0) if axis is None else x.std(axis, correction=0, keepdim=keepdims))

    def __repr__(self): return _text(self, True)
    def __str__(self): return _text(self, False)


def _reduced(x, what, axis, keepdims):
    t = x._tensor
    if axis is None:
        if keepdims:
            refuse('keepdims without an axis')
        axis, t = 0, t.reshape(-1)
    return _wrap(getattr(t, what)(axis, keepdims))


# ---- text ----


def _fraction(value):
    if value != value or value in (inf, -inf):
        return 'nan' if value != value else 'inf' if value > 0 else '-inf'
    text = repr(value)
    return text[:-1] if text.endswith('.0') else text


def _short(value, dtype):
    """The shortest text, of at most 8 digits after the point, as NumPy's precision."""
    if value != value or value in (inf, -inf):
        return _fraction(value)
    digits = 4 if dtype == 'float16' else 8
    text = f'{value:.{digits}f}'.rstrip('0')
    if dtype == 'float32':
        for places in range(1, 9):
            tried = f'{value:.{places}f}'
            if torch.tensor(float(tried), dtype=torch.float32).item() == value:
                return tried.rstrip('0')
    return text


def _scientific(value, dtype):
    """The shortest digits with an exponent, of at most 8 after the point, those as their whole."""
    for places in range(9):
        text = f'{value:.{places}e}'
        if dtype == 'float64' and float(text) == value:
            break
        if dtype != 'float64' and torch.tensor(float(text), dtype=getattr(torch, dtype)).item() == value:
            break
    digits, exponent = text.split('e')
    whole, _, part = digits.partition('.')
    return whole, part.rstrip('0'), exponent


def _exponents(values, dtype):
    finite = [v for v in values if v == v and v not in (inf, -inf)]
    parts = [_scientific(v, dtype) for v in finite]
    before, after = _max([len(w) for w, _, _ in parts]), _max([len(p) for _, p, _ in parts])
    size = _max([len(e) for _, _, e in parts]) - 1
    texts = iter([w.rjust(before) + '.' + p.ljust(after, '0') + 'e' + e[0] + e[1:].rjust(size, '0') for w, p, e in parts])
    width = before + after + size + 3
    return [next(texts) if v == v and v not in (inf, -inf) else _fraction(v).rjust(width) for v in values]


def _texts(values, dtype):
    if dtype == 'bool':
        return ['True' if v else 'False' for v in values]
    if not dtype.startswith('float'):
        return [str(v) for v in values]
    finite = [_abs(v) for v in values if v == v and v not in (inf, -inf) and v != 0]
    if finite and (_max(finite) >= 1e8 or _min(finite) < 1e-4 or _max(finite) / _min(finite) > 1000):
        return _exponents(values, dtype)
    texts = [_short(v, dtype) for v in values]
    after = _max([len(t) - t.index('.') for t in texts if '.' in t] or [0])
    return [t + ' ' * (after - (len(t) - t.index('.'))) if '.' in t else t for t in texts]


def _shown(t):
    """Of more than 1000 elements three at each end of each dimension, and which dimensions are cut."""
    cut = [t.numel() > 1000 and n > 6 for n in t.shape]
    for dim, is_cut in enumerate(cut):
        if is_cut:
            t = torch.cat([t.narrow(dim, 0, 3), t.narrow(dim, t.shape[dim] - 3, 3)], dim)
    return t, cut


def _row(texts, is_cut, indent, room, between):
    """Elements side by side, in lines of at most `room` characters."""
    words = texts[:3] + ['...'] + texts[3:] if is_cut else texts
    text, line = '', indent
    for i, word in enumerate(words):
        width = room - (0 if i == len(words) - 1 else _max(len(between.rstrip()), 1))
        if len(line) + len(word) > width and len(line) > len(indent):
            text += line.rstrip() + '\n'
            line = indent
        line += word + (between if i < len(words) - 1 else '')
    return (text + line)[len(indent):]


def _rows(shape, cut, texts, indent, room, between):
    if not shape:
        return texts[0]
    inner = indent + ' '
    if len(shape) == 1:
        return '[' + _row(texts, cut[0], indent, room - (0 if len(texts) else 1), between) + ']'
    step = len(texts) // shape[0] if shape[0] else 0
    parts = [_rows(shape[1:], cut[1:], texts[i * step:(i + 1) * step], inner, room - 1, between) for i in range(shape[0])]
    parts = parts[:3] + ['...'] + parts[3:] if cut[0] else parts
    gap = between.rstrip() + '\n' * (len(shape) - 1) + indent
    return '[' + gap.join(parts) + ']'


def _text(x, as_repr):
    t, cut = _shown(x._tensor)
    kind, values = x.dtype.name, t.reshape(-1).tolist()
    texts = _texts(values, kind)
    width = _max([len(t) for t in texts] or [0])
    texts = [t.rjust(width) for t in texts]
    if not x.ndim:
        text = texts[0] + '0' if texts[0].endswith('.') else texts[0]
        return f'np.{kind}({text})' if as_repr else text
    before = 'array(' if as_repr else ''
    text = '[]' if not x.size else _rows(list(t.shape), cut, texts, ' ' * (1 + len(before)), 74 if as_repr else 75, ', ' if as_repr else ' ')
    if not as_repr:
        return text
    more = [f'shape={x.shape}'] if x.size > 1000 or (not x.size and x.shape != (0,)) else []
    if kind not in ('float64', 'int64', 'bool') or not x.size:
        more.append(f'dtype={kind}')
    text = before + text
    if not more:
        return text + ')'
    more = ', '.join(more) + ')'
    last = len(text) + 1 - (text.rfind('\n') + 1)
    return text + ',' + ('\n' + ' ' * len(before) if last + len(more) + 1 > 75 else ' ') + more


# ---- making ----


def array(object, dtype=None): return ndarray(_tensor_of(object, dtype).clone())
def asarray(object, dtype=None): return object if isinstance(object, ndarray) and dtype is None else ndarray(_tensor_of(object, dtype))
def zeros(shape, dtype=float): return ndarray(torch.zeros(shape, dtype=_dtype(dtype)))
def ones(shape, dtype=float): return ndarray(torch.ones(shape, dtype=_dtype(dtype)))
def empty(shape, dtype=float): return ndarray(torch.empty(shape, dtype=_dtype(dtype)))
def zeros_like(a, dtype=None): return ndarray(torch.zeros(a.shape, dtype=_dtype(dtype) if dtype else a._tensor.dtype))
def ones_like(a, dtype=None): return ndarray(torch.ones(a.shape, dtype=_dtype(dtype) if dtype else a._tensor.dtype))
def empty_like(a, dtype=None): return ndarray(torch.empty(a.shape, dtype=_dtype(dtype) if dtype else a._tensor.dtype))


def full(shape, fill_value, dtype=None):
    return ndarray(torch.full(shape if isinstance(shape, tuple) else (shape,), fill_value,
                              dtype=_tensor_of(fill_value).dtype if dtype is None else _dtype(dtype)))


def arange(start, stop=None, step=1, dtype=None):
    if stop is None:
        start, stop = 0, start
    if dtype is None:
        dtype = float if _any(isinstance(x, float) for x in (start, stop, step)) else int
    count = _max(0, math.ceil((stop - start) / step))
    return ndarray(_tensor_of([start + i * step for i in range(count)], dtype))


def linspace(start, stop, num=50):
    step = (stop - start) / (num - 1) if num > 1 else 0.0
    return array([start + i * step if i < num - 1 or num == 1 else float(stop) for i in range(num)], float)


def eye(N): return array([[1.0 if i == j else 0.0 for j in range(N)] for i in range(N)])
def concatenate(arrays, axis=0): return ndarray(torch.cat([_tensor_of(a) for a in arrays], axis))
def stack(arrays, axis=0): return ndarray(torch.stack([_tensor_of(a) for a in arrays], axis))
def where(condition, x, y): return _wrap(torch.where(_tensor_of(condition), _given(x), _given(y)))


# ---- functions ----


def _pointwise(x, what, number):
    if not isinstance(x, (ndarray, list, tuple)):
        return number(x)
    t = _tensor_of(x)
    return ndarray(getattr(t if str(t.dtype) in _floats else t.to(torch.float64), what)())


def exp(x): return _pointwise(x, 'exp', math.exp)
def log(x): return _pointwise(x, 'log', math.log)
def log2(x): return _pointwise(x, 'log2', math.log2)
def sqrt(x): return _pointwise(x, 'sqrt', math.sqrt)
def sin(x): return _pointwise(x, 'sin', math.sin)
def cos(x): return _pointwise(x, 'cos', math.cos)
def tanh(x): return _pointwise(x, 'tanh', math.tanh)
def ceil(x): return _pointwise(x, 'ceil', lambda v: float(math.ceil(v)))
def floor(x): return _pointwise(x, 'floor', lambda v: float(math.floor(v)))
def abs(x): return ndarray(_tensor_of(x).abs()) if isinstance(x, (ndarray, list)) else x if x >= 0 else -x
def sum(a, axis=None, keepdims=False): return asarray(a).sum(axis, keepdims)
def prod(a, axis=None, keepdims=False): return asarray(a).prod(axis, keepdims)
def mean(a, axis=None, keepdims=False): return asarray(a).mean(axis, keepdims)
def std(a, axis=None, keepdims=False): return asarray(a).std(axis, keepdims)
def max(a, axis=None, keepdims=False): return asarray(a).max(axis, keepdims)
def min(a, axis=None, keepdims=False): return asarray(a).min(axis, keepdims)
def any(a, axis=None): return asarray(a).any(axis)
def all(a, axis=None): return asarray(a).all(axis)
def argmax(a, axis=None): return asarray(a).argmax(axis)
def argmin(a, axis=None): return asarray(a).argmin(axis)
def maximum(a, b): return _wrap(torch.maximum(_tensor_of(a), _tensor_of(b)))
def minimum(a, b): return _wrap(torch.minimum(_tensor_of(a), _tensor_of(b)))
def matmul(a, b): return asarray(a) @ asarray(b)
def dot(a, b): return asarray(a) @ asarray(b)
def isnan(x): return ndarray(_tensor_of(x).isnan()) if isinstance(x, ndarray) else x != x
def allclose(a, b, rtol=1e-05, atol=1e-08): return torch.allclose(_double(a), _double(b), rtol=rtol, atol=atol)
def array_equal(a, b): return asarray(a).shape == asarray(b).shape and bool((_tensor_of(a) == _tensor_of(b)).all())


def _double(a):
    t = _tensor_of(a)
    return t.to(torch.float64)


class _Testing:
    def assert_allclose(self, actual, desired, rtol=1e-07, atol=0):
        if not torch.allclose(_double(actual), _double(desired), rtol=rtol, atol=atol, equal_nan=True):
            raise AssertionError(f'\nNot equal to tolerance rtol={rtol}, atol={atol}')

    def assert_array_equal(self, actual, desired):
        if not array_equal(actual, desired):
            raise AssertionError('\nArrays are not equal')


testing = _Testing()


# ---- numpy.random: RandomState, as which the functions of the module are, too ----


class RandomState:
    def __init__(self, seed=None):
        self.seed(seed)

    def seed(self, seed=None):
        if seed is None:
            self._generator = _generator()
            return
        if not isinstance(seed, int):
            refuse('a seed of numpy.random that is no integer')
        if not 0 <= seed < 2**32:
            raise ValueError('Seed must be between 0 and 2**32 - 1')
        self._generator = _generator(seed)

    def _drawn(self, what, size, most=0):
        shape = () if size is None else (size,) if isinstance(size, int) else tuple(size)
        drawn = what(self._generator, math.prod(shape), most)
        return drawn.item() if size is None else ndarray(drawn.reshape(shape))

    def random_sample(self, size=None): return self._drawn(_doubles, size)
    def random(self, size=None): return self._drawn(_doubles, size)
    def rand(self, *size): return self._drawn(_doubles, size or None)
    def randn(self, *size): return self._drawn(_normals, size or None)
    def standard_normal(self, size=None): return self._drawn(_normals, size)
    def uniform(self, low=0.0, high=1.0, size=None): return low + (high - low) * self._drawn(_doubles, size)
    def normal(self, loc=0.0, scale=1.0, size=None): return loc + scale * self._drawn(_normals, size)

    def randint(self, low, high=None, size=None, dtype=int):
        if high is None:
            low, high = 0, low
        if low >= high:
            raise ValueError('low >= high')
        if dtype not in (int, int64, int32):
            refuse(f'numpy.random.randint of {dtype}')
        drawn = low + self._drawn(_below, size, high - low - 1)
        return drawn if dtype is int or size is None else drawn.astype(dtype)

    def permutation(self, x):
        x = arange(x) if isinstance(x, int) else asarray(x)
        if x.ndim != 1:
            refuse('numpy.random.permutation of more than one dimension')
        return x[ndarray(_shuffled(self._generator, len(x)))]

    def shuffle(self, x):
        order = _shuffled(self._generator, len(x))
        if isinstance(x, list):
            x[:] = [x[i] for i in order.tolist()]
        elif x.ndim == 1:
            x[:] = x[ndarray(order)]
        else:
            refuse('numpy.random.shuffle of more than one dimension')

    def choice(self, a, size=None, replace=True, p=None):
        if p is not None:
            refuse('p= of numpy.random.choice')
        count = a if isinstance(a, int) else len(a)
        if replace:
            at = self.randint(0, count, size)
        else:
            n = 1 if size is None else size if isinstance(size, int) else math.prod(size)
            if n > count:
                raise ValueError("Cannot take a larger sample than population when 'replace=False'")
            at = self.permutation(count)[:n]
            at = int(at[0]) if size is None else at.reshape(size)
        return at if isinstance(a, int) else asarray(a)[at]

    def __getattr__(self, name):
        refuse(f'numpy.random.{name}')


class Generator(RandomState):
    """numpy.random.default_rng's: PCG64. Whole, uniform and shuffled numbers are NumPy's."""

    def __init__(self, seed=None):
        if seed is not None and not isinstance(seed, int):
            refuse('a seed of default_rng that is no integer')
        if seed is not None and seed < 0:
            raise ValueError('expected non-negative integer')
        self._generator = _pcg.generator() if seed is None else _pcg.generator(seed)

    def random(self, size=None, dtype=float64, out=None):
        if out is not None or dtype not in (float64, float32, float):
            refuse('out=, or this type, of Generator.random')
        return self._drawn(_pcg.floats if dtype == float32 else _pcg.doubles, size)

    def uniform(self, low=0.0, high=1.0, size=None): return low + (high - low) * self._drawn(_pcg.doubles, size)

    def integers(self, low, high=None, size=None, dtype=int, endpoint=False):
        if high is None:
            low, high = 0, low
        if not isinstance(low, int) or not isinstance(high, int) or dtype not in (int, int64, int32):
            refuse('Generator.integers of bounds that are no integers, or of this type')
        most = high - low - (not endpoint)
        if most < 0:
            raise ValueError('low > high' if endpoint else 'low >= high')
        drawn = low + self._drawn(_pcg.below, size, most)
        return drawn if dtype is int or size is None else drawn.astype(dtype)

    def permutation(self, x, axis=0):
        x = arange(x) if isinstance(x, int) else asarray(x)
        if x.ndim != 1:
            refuse('Generator.permutation of more than one dimension')
        return x[ndarray(_pcg.shuffled(self._generator, len(x)))]

    def shuffle(self, x, axis=0):
        order = _pcg.shuffled(self._generator, len(x))
        if isinstance(x, list):
            x[:] = [x[i] for i in order.tolist()]
        elif x.ndim == 1:
            x[:] = x[ndarray(order)]
        else:
            refuse('Generator.shuffle of more than one dimension')

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        if p is not None or not replace:
            refuse('p=, or replace=False, of Generator.choice')
        at = self.integers(0, a if isinstance(a, int) else len(a), size)
        return at if isinstance(a, int) else asarray(a)[at]

    def _absent(self, *args, **kwds):
        refuse('this distribution of numpy.random.default_rng, which NumPy draws with tables of its own')

    normal = standard_normal = seed = rand = randn = randint = random_sample = _absent

    def __repr__(self):
        return 'Generator(PCG64)'


random = RandomState()
random.RandomState = RandomState
random.Generator = Generator
random.default_rng = lambda seed=None: seed if isinstance(seed, Generator) else Generator(seed)
