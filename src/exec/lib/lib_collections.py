# SPDX-License-Identifier: Apache-2.0
# collections: deque and Counter; what is a dict or a tuple is in C.
from _collections import OrderedDict, defaultdict, namedtuple


class deque:
    def __init__(self, iterable=(), maxlen=None):
        self.maxlen = maxlen
        self._items = []
        self.extend(iterable)

    def append(self, x):
        self._items.append(x)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items.pop(0)

    def appendleft(self, x):
        self._items.insert(0, x)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items.pop()

    def extend(self, iterable):
        for x in iterable:
            self.append(x)

    def extendleft(self, iterable):
        for x in iterable:
            self.appendleft(x)

    def pop(self):
        if not self._items:
            raise IndexError('pop from an empty deque')
        return self._items.pop()

    def popleft(self):
        if not self._items:
            raise IndexError('pop from an empty deque')
        return self._items.pop(0)

    def clear(self):
        self._items.clear()

    def copy(self):
        return deque(self._items, self.maxlen)

    def count(self, x):
        return self._items.count(x)

    def index(self, x, *bounds):
        try:
            return self._items.index(x, *bounds)
        except ValueError:
            raise ValueError(f'{x!r} is not in deque') from None

    def insert(self, i, x):
        if self.maxlen is not None and len(self._items) >= self.maxlen:
            raise IndexError('deque already at its maximum size')
        self._items.insert(i, x)

    def remove(self, x):
        if x not in self._items:
            raise ValueError('deque.remove(x): x not in deque')
        self._items.remove(x)

    def reverse(self):
        self._items.reverse()

    def __add__(self, other):
        if not isinstance(other, deque):
            raise TypeError(f'can only concatenate deque (not "{type(other).__name__}") to deque')
        return deque(self._items + other._items, self.maxlen)

    def __iadd__(self, other):
        self.extend(other)
        return self

    def __mul__(self, n):
        return deque(self._items * n, self.maxlen)

    def __delitem__(self, i):
        del self._items[i]

    def __reversed__(self):
        return reversed(self._items)

    def rotate(self, n=1):
        if self._items:
            n %= len(self._items)
            self._items = self._items[-n:] + self._items[:-n] if n else self._items

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def __getitem__(self, i):
        return self._items[i]

    def __setitem__(self, i, x):
        self._items[i] = x

    def __contains__(self, x):
        return x in self._items

    def __bool__(self):
        return bool(self._items)

    def __eq__(self, other):
        return isinstance(other, deque) and self._items == other._items

    def __repr__(self):
        end = '' if self.maxlen is None else f', maxlen={self.maxlen}'
        return f'deque({self._items!r}{end})'


class Counter:
    def __init__(self, iterable=None, **kwds):
        self._counts = {}
        self.update(iterable, **kwds)

    def update(self, iterable=None, **kwds):
        if isinstance(iterable, (dict, Counter)):
            for x, n in iterable.items():
                self._counts[x] = self._counts.get(x, 0) + n
        elif iterable is not None:
            for x in iterable:
                self._counts[x] = self._counts.get(x, 0) + 1
        for x, n in kwds.items():
            self._counts[x] = self._counts.get(x, 0) + n

    def most_common(self, n=None):
        return sorted(self._counts.items(), key=lambda item: item[1], reverse=True)[:n]

    def elements(self):
        for x, n in self._counts.items():
            for _ in range(n):
                yield x

    def total(self):
        return sum(self._counts.values())

    def items(self):
        return self._counts.items()

    def keys(self):
        return self._counts.keys()

    def values(self):
        return self._counts.values()

    def get(self, x, default=None):
        return self._counts.get(x, default)

    def __getitem__(self, x):
        return self._counts.get(x, 0)

    def __setitem__(self, x, n):
        self._counts[x] = n

    def subtract(self, other):
        for x, n in (other.items() if isinstance(other, (dict, Counter)) else ((x, 1) for x in other)):
            self._counts[x] = self._counts.get(x, 0) - n

    def pop(self, *args):
        return self._counts.pop(*args)

    def __add__(self, other):
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self._with(other, lambda a, b: a - b)

    def __and__(self, other):
        return self._with(other, min)

    def __or__(self, other):
        return self._with(other, max)

    def _with(self, other, op):
        result = Counter()
        for x in [*self, *(x for x in other if x not in self)]:
            n = op(self[x], other[x])
            if n > 0:
                result[x] = n
        return result

    def __eq__(self, other):
        if not isinstance(other, Counter):
            return self._counts == other
        return all(self[x] == other[x] for c in (self, other) for x in c)

    def __delitem__(self, x):
        self._counts.pop(x, None)

    def __contains__(self, x):
        return x in self._counts

    def __iter__(self):
        return iter(self._counts)

    def __len__(self):
        return len(self._counts)

    def __repr__(self):
        if not self._counts:
            return 'Counter()'
        return 'Counter({' + ', '.join(f'{x!r}: {n!r}' for x, n in self.most_common()) + '})'
