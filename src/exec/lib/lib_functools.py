# SPDX-License-Identifier: Apache-2.0
# functools: what needs no more than functions; the rest is in C.
from _functools import cache, has, lru_cache, partial, reduce, wraps


def update_wrapper(wrapper, wrapped):
    return wraps(wrapped)(wrapper)


def cmp_to_key(mycmp):
    class K:
        def __init__(self, obj):
            self.obj = obj

        def __lt__(self, other):
            return mycmp(self.obj, other.obj) < 0

    return K


class partialmethod:
    def __init__(self, func, *args, **kwargs):
        raise NotImplementedError('partialmethod')


class cached_property:
    def __new__(cls, func):
        name = '_cached_' + func.__name__

        def get(self):
            if not hasattr(self, name):
                object.__setattr__(self, name, func(self))
            return getattr(self, name)

        return property(get)


def total_ordering(cls):
    if has(cls, '__lt__'):
        if not has(cls, '__gt__'):
            cls.__gt__ = lambda self, other: not (self < other or self == other)
        if not has(cls, '__le__'):
            cls.__le__ = lambda self, other: self < other or self == other
        if not has(cls, '__ge__'):
            cls.__ge__ = lambda self, other: not self < other
    return cls
