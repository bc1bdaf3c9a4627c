# SPDX-License-Identifier: Apache-2.0
# dataclasses: what needs no more than the fields; the rest is in C.
from _dataclasses import FrozenInstanceError, dataclass, field, names as _names


class _Missing:
    pass


MISSING = _Missing()
KW_ONLY = _Missing()


class Field:
    def __init__(self, name):
        self.name = name


def _names_of(x):
    found = _names(x)
    if found is None:
        raise TypeError('must be called with a dataclass type or instance')
    return found


def fields(class_or_instance):
    return tuple(Field(name) for name in _names_of(class_or_instance))


def is_dataclass(obj):
    return _names(obj) is not None


def _plain(x, how):
    if _names(x) is not None and not isinstance(x, type):
        return how(x)
    if isinstance(x, (list, tuple)):
        items = [_plain(item, how) for item in x]
        return items if isinstance(x, list) else type(x)(*items) if hasattr(x, '_fields') else tuple(items)
    if isinstance(x, dict):
        return {_plain(k, how): _plain(v, how) for k, v in x.items()}
    return x


def asdict(obj):
    return {name: _plain(getattr(obj, name), asdict) for name in _names_of(obj)}


def astuple(obj):
    return tuple(_plain(getattr(obj, name), astuple) for name in _names_of(obj))


def replace(obj, **changes):
    values = {name: getattr(obj, name) for name in _names_of(obj)}
    values.update(changes)
    return type(obj)(**values)
