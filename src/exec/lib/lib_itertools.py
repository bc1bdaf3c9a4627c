# SPDX-License-Identifier: Apache-2.0
# itertools: what it means in Python 3.11.
from _itertools import chain as _chain, product as _product


class chain:
    def __new__(cls, *iterables):
        return _chain(*iterables)

    @staticmethod
    def from_iterable(iterables):
        for iterable in iterables:
            yield from iterable


def product(*iterables, repeat=1):
    return _product(*([list(iterable) for iterable in iterables] * repeat))


def count(start=0, step=1):
    while True:
        yield start
        start += step


def cycle(iterable):
    saved = []
    for item in iterable:
        yield item
        saved.append(item)
    while saved:
        yield from saved


def repeat(object, times=None):
    if times is None:
        while True:
            yield object
    for _ in range(times):
        yield object


def accumulate(iterable, func=None, *, initial=None):
    total, is_first = initial, initial is None
    if not is_first:
        yield total
    for item in iterable:
        total = item if is_first else total + item if func is None else func(total, item)
        is_first = False
        yield total


def islice(iterable, *args):
    bounds = slice(*args)
    start, stop, step = bounds.start or 0, bounds.stop, bounds.step or 1
    iterator = iter(iterable)
    at = 0
    while stop is None or at < stop:
        try:
            item = next(iterator)
        except StopIteration:
            return
        if at >= start and (at - start) % step == 0:
            yield item
        at += 1


def takewhile(predicate, iterable):
    for item in iterable:
        if not predicate(item):
            return
        yield item


def dropwhile(predicate, iterable):
    drops = True
    for item in iterable:
        drops = drops and bool(predicate(item))
        if not drops:
            yield item


def filterfalse(predicate, iterable):
    for item in iterable:
        if not (item if predicate is None else predicate(item)):
            yield item


def starmap(function, iterable):
    for args in iterable:
        yield function(*args)


def compress(data, selectors):
    return (item for item, chosen in zip(data, selectors) if chosen)


def pairwise(iterable):
    iterator = iter(iterable)
    try:
        a = next(iterator)
    except StopIteration:
        return
    for b in iterator:
        yield a, b
        a = b


def zip_longest(*iterables, fillvalue=None):
    iterators, left = [iter(i) for i in iterables], len(iterables)
    ended = [False] * left
    while left:
        row = []
        for i, iterator in enumerate(iterators):
            value = fillvalue
            if not ended[i]:
                try:
                    value = next(iterator)
                except StopIteration:
                    ended[i], left = True, left - 1
                    if not left:
                        return
            row.append(value)
        if row:
            yield tuple(row)


def groupby(iterable, key=None):
    group, last, any_yet = [], None, False
    for item in iterable:
        now = item if key is None else key(item)
        if any_yet and now != last:
            yield last, iter(group)
            group = []
        group.append(item)
        last, any_yet = now, True
    if any_yet:
        yield last, iter(group)


def tee(iterable, n=2):
    items = list(iterable)
    return tuple(iter(items) for _ in range(n))


def permutations(iterable, r=None):
    pool = tuple(iterable)
    n = len(pool)
    r = n if r is None else r
    if r > n:
        return
    indices, cycles = list(range(n)), list(range(n, n - r, -1))
    yield tuple(pool[i] for i in indices[:r])
    while n:
        for i in reversed(range(r)):
            cycles[i] -= 1
            if cycles[i] == 0:
                indices[i:] = indices[i + 1:] + indices[i:i + 1]
                cycles[i] = n - i
            else:
                j = cycles[i]
                indices[i], indices[-j] = indices[-j], indices[i]
                yield tuple(pool[i] for i in indices[:r])
                break
        else:
            return


def combinations(iterable, r):
    pool = tuple(iterable)
    n = len(pool)
    if r > n:
        return
    indices = list(range(r))
    yield tuple(pool[i] for i in indices)
    while True:
        for i in reversed(range(r)):
            if indices[i] != i + n - r:
                break
        else:
            return
        indices[i] += 1
        for j in range(i + 1, r):
            indices[j] = indices[j - 1] + 1
        yield tuple(pool[i] for i in indices)


def combinations_with_replacement(iterable, r):
    pool = tuple(iterable)
    n = len(pool)
    if not n and r:
        return
    indices = [0] * r
    yield tuple(pool[i] for i in indices)
    while True:
        for i in reversed(range(r)):
            if indices[i] != n - 1:
                break
        else:
            return
        indices[i:] = [indices[i] + 1] * (r - i)
        yield tuple(pool[i] for i in indices)
