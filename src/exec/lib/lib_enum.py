# SPDX-License-Identifier: Apache-2.0
# enum: Enum, IntEnum, StrEnum, auto, unique. A member is an instance of its class; what a metaclass does in
# Python (iterating, calling, asking a class) its class hooks do.
from _functools import has


class auto:
    pass


class Enum:
    def __init_subclass__(cls):
        cls._member_map_ = cls.__members__ = {}
        values = []
        for name in cls.__assigned__:
            if name.startswith('_'):
                continue
            value = getattr(cls, name)
            if isinstance(value, auto):
                value = cls._generate_next_value_(name, 1, len(cls._member_map_), values)
            values.append(value)
            member = None
            for other in cls._member_map_.values():
                if other._value_ == value:
                    member = other
            if member is None:
                member = object.__new__(cls)
                object.__setattr__(member, '_name_', name)
                object.__setattr__(member, '_value_', value)
                if '__init__' in dir_of(cls):
                    member.__init__(*(value if isinstance(value, tuple) else (value,)))
            cls._member_map_[name] = member
            setattr(cls, name, member)

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return max(last_values) + 1 if last_values else start

    def __new__(cls, value):
        for member in cls._member_map_.values():
            if member._value_ == value:
                return member
        if isinstance(value, cls):
            return value
        raise ValueError(f'{value!r} is not a valid {cls.__qualname__}')

    @property
    def name(self):
        return self._name_

    @property
    def value(self):
        return self._value_

    def __repr__(self):
        return f'<{type(self).__name__}.{self._name_}: {self._value_!r}>'

    def __str__(self):
        return f'{type(self).__name__}.{self._name_}'

    def __format__(self, spec):
        return format(str(self), spec)

    def __hash__(self):
        return hash(self._name_)

    def __eq__(self, other):
        return self is other

    def __class_getitem__(cls, name):
        return cls._member_map_[name]

    def __class_iter__(cls):
        seen = []
        for member in cls._member_map_.values():
            if not any(member is other for other in seen):
                seen.append(member)
        return iter(seen)

    def __class_len__(cls):
        return len(list(cls))


def dir_of(cls):
    return ['__init__'] if has(cls, '__init__') else []


class _Mixed(Enum):
    def __eq__(self, other):
        return self._value_ == (other._value_ if isinstance(other, _Mixed) else other)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self._value_)

    def __str__(self):
        return str(self._value_)

    def __format__(self, spec):
        return format(self._value_, spec)


def _value(x):
    return x._value_ if isinstance(x, _Mixed) else x


class IntEnum(_Mixed):
    def __int__(self):
        return self._value_

    def __index__(self):
        return self._value_

    def __float__(self):
        return float(self._value_)

    def __bool__(self):
        return self._value_ != 0

    def __lt__(self, other):
        return self._value_ < _value(other)

    def __le__(self, other):
        return self._value_ <= _value(other)

    def __gt__(self, other):
        return self._value_ > _value(other)

    def __ge__(self, other):
        return self._value_ >= _value(other)

    def __add__(self, other):
        return self._value_ + _value(other)

    def __radd__(self, other):
        return _value(other) + self._value_

    def __sub__(self, other):
        return self._value_ - _value(other)

    def __rsub__(self, other):
        return _value(other) - self._value_

    def __mul__(self, other):
        return self._value_ * _value(other)

    def __rmul__(self, other):
        return _value(other) * self._value_

    def __and__(self, other):
        return self._value_ & _value(other)

    def __or__(self, other):
        return self._value_ | _value(other)


class StrEnum(_Mixed):
    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return name.lower()


def unique(enumeration):
    for name, member in enumeration._member_map_.items():
        if member._name_ != name:
            raise ValueError(f'duplicate values found in <enum {enumeration.__name__!r}>: {name} -> {member._name_}')
    return enumeration
