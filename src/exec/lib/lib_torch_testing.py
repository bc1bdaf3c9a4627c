# SPDX-License-Identifier: Apache-2.0
# torch.testing: what differs is said in torch's words.
from _torch import Tensor, allclose, as_tensor, empty, isclose

_tolerances = {'torch.float16': (1e-3, 1e-5), 'torch.bfloat16': (1.6e-2, 1e-5), 'torch.float32': (1.3e-6, 1e-5),
               'torch.float64': (1e-7, 1e-7)}


class _Differ(Exception):
    def __init__(self, kind, text, id):
        super().__init__(text)
        self.kind, self.text, self.id = kind, text, id


class _Options:
    def __init__(self, **options):
        for name, value in options.items():
            setattr(self, name, value)

    def tolerances(self, dtypes, id):
        if (self.rtol is None) != (self.atol is None):
            raise _Differ(ValueError, "Both 'rtol' and 'atol' must be either specified or omitted, but got no "
                          f"{'rtol' if self.rtol is None else 'atol'}.", id)
        if self.rtol is not None:
            return self.rtol, self.atol
        pairs = [_tolerances.get(dtype, (0.0, 0.0)) for dtype in dtypes]
        return max([p[0] for p in pairs]), max([p[1] for p in pairs])


def _mismatch(what, extra, rtol, atol, absolute, relative, at):
    exact = rtol == 0 and atol == 0
    lines = [f"{what} are not {'equal' if exact else 'close'}!", '', extra]
    for kind, value, place, most in (('absolute', absolute, at and at[0], atol), ('relative', relative, at and at[1], rtol)):
        line = f'{kind.title()} difference: {value}' if at is None else f'Greatest {kind} difference: {value} at index {place}'
        lines.append(line if exact else f'{line} (up to {most} allowed)')
    return '\n'.join(lines)


def _of_numbers(actual, expected, rtol, atol):
    absolute = abs(actual - expected)
    relative = float('inf') if expected == 0 else absolute / abs(expected)
    return _mismatch('Scalars', f'Expected {expected} but got {actual}.', rtol, atol, absolute, relative, None)


def _numbers(actual, expected, o, id):
    names = {int: 'torch.int64', float: 'torch.float64'}
    rtol, atol = o.tolerances([names[type(actual)], names[type(expected)]], id)
    if o.check_dtype and type(actual) is not type(expected):
        raise _Differ(AssertionError, f'The (d)types do not match: {type(actual)} != {type(expected)}.', id)
    if actual == expected or (o.equal_nan and actual != actual and expected != expected):
        return
    absolute = abs(actual - expected)
    if absolute < float('inf') and absolute <= atol + rtol * abs(expected):
        return
    raise _Differ(AssertionError, _of_numbers(actual, expected, rtol, atol), id)


def _place(flat, shape):
    place = []
    for size in reversed(shape):
        place.append(flat % size)
        flat //= size
    return tuple(reversed(place))


def _of_tensors(actual, expected, matches, rtol, atol):
    shape, count = tuple(matches.shape), matches.numel()
    wrong = count - int(matches.sum())
    extra = f'Mismatched elements: {wrong} / {count} ({wrong / count:.1%})'
    actual, expected, matches = actual.detach().flatten(), expected.detach().flatten(), matches.flatten()
    if not actual.is_floating_point():
        actual, expected = actual.long(), expected.long()
    absolute = (actual - expected).abs().masked_fill(matches, 0)
    most, at = absolute.max(0)
    relative = (absolute / expected.abs()).masked_fill(matches, 0)
    most_relative, at_relative = relative.max(0)
    return _mismatch('Tensor-likes', extra, rtol, atol, most.item(), most_relative.item(),
                     (_place(int(at), shape), _place(int(at_relative), shape)))


def _tensors(actual, expected, o, id):
    rtol, atol = o.tolerances([str(actual.dtype), str(expected.dtype)], id)

    def differ(name, a, b):
        raise _Differ(AssertionError, f"The values for attribute '{name}' do not match: {a} != {b}.", id)

    if actual.shape != expected.shape:
        differ('shape', actual.shape, expected.shape)
    if o.check_stride and actual.stride() != expected.stride():
        differ('stride()', actual.stride(), expected.stride())
    if o.check_device and actual.device != expected.device:
        differ('device', actual.device, expected.device)
    if actual.dtype != expected.dtype:
        if o.check_dtype:
            differ('dtype', actual.dtype, expected.dtype)
        dtype = (empty(0, dtype=actual.dtype) + empty(0, dtype=expected.dtype)).dtype
        actual, expected = actual.to(dtype), expected.to(dtype)
    if allclose(actual, expected, rtol=rtol, atol=atol, equal_nan=o.equal_nan):
        return
    if not actual.ndim:
        raise _Differ(AssertionError, _of_numbers(actual.item(), expected.item(), rtol, atol), id)
    matches = isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=o.equal_nan)
    raise _Differ(AssertionError, _of_tensors(actual, expected, matches, rtol, atol), id)


def _leaf(actual, expected, o, id):
    """What compares the two; it raises nothing yet."""
    if actual is None or expected is None:
        def compare():
            if actual is not expected:
                raise _Differ(AssertionError, f'None mismatch: {actual} is not {expected}', id)
        return compare
    if isinstance(actual, bool) and isinstance(expected, bool):
        def compare():
            if actual is not expected:
                raise _Differ(AssertionError, f'Booleans mismatch: {actual} is not {expected}', id)
        return compare
    if isinstance(actual, (int, float)) and isinstance(expected, (int, float)):
        return lambda: _numbers(actual, expected, o, id)
    arrays = [x if isinstance(x, Tensor) else as_tensor(x) if type(x).__name__ == 'ndarray' else None for x in (actual, expected)]
    if type(actual) is type(expected) and arrays[0] is not None:
        return lambda: _tensors(arrays[0], arrays[1], o, id)
    raise _Differ(TypeError, f'No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.', id)


def _pairs(actual, expected, o, id):
    if isinstance(actual, (list, tuple)) and isinstance(expected, (list, tuple)):
        if len(actual) != len(expected):
            raise _Differ(AssertionError, f'The length of the sequences mismatch: {len(actual)} != {len(expected)}', id)
        return [pair for i in range(len(actual)) for pair in _pairs(actual[i], expected[i], o, id + (i,))]
    if isinstance(actual, dict) and isinstance(expected, dict):
        if set(actual) != set(expected):
            raise _Differ(AssertionError, 'The keys of the mappings do not match:\nMissing keys in the actual mapping: '
                          f'{sorted(set(expected) - set(actual))}\nAdditional keys in the actual mapping: '
                          f'{sorted(set(actual) - set(expected))}', id)
        return [pair for key in sorted(actual) for pair in _pairs(actual[key], expected[key], o, id + (key,))]
    return [_leaf(actual, expected, o, id)]


def assert_close(actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True,
                 check_dtype=True, check_layout=True, check_stride=False, msg=None):
    o = _Options(rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=check_device, check_dtype=check_dtype,
                 check_stride=check_stride)
    try:
        for compare in _pairs(actual, expected, o, ()):
            compare()
    except _Differ as error:
        text, kind = error.text, error.kind
        if error.id:
            text += f"\n\nThe failure occurred for item {''.join([str([item]) for item in error.id])}"
    else:
        return
    raise kind(msg if isinstance(msg, str) else msg(text) if callable(msg) else text)
