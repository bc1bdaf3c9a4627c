# Functions: defaults, keywords, closures, decorators, recursion, scopes.
import functools
import itertools
from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple, Optional


def f(a, b=2, *args, c, d=4, **kwargs):
    return a, b, args, c, d, kwargs


print(f(1, c=3), f(1, 9, 8, 7, c=3, e=5), f(*[1, 2, 3], **{"c": 0, "z": 1}))


def keep(x, seen=[]):
    seen.append(x)
    return seen


print(keep(1), keep(2), keep(3, []))


def counter():
    n = 0

    def step(by=1):
        nonlocal n
        n += by
        return n

    return step


one, two = counter(), counter()
one()
one(5)
two()
print(one(), two())

total = 0


def add(x):
    global total
    total += x


add(3)
add(4)
print(total)


def trace(label):
    def wrap(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            print(label, function.__name__, args, kwargs)
            return function(*args, **kwargs)

        return inner

    return wrap


@trace("outer")
@trace("inner")
def product(x, y=2):
    return x * y


print(product(3), product(3, y=5), product.__name__)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@functools.lru_cache(maxsize=None)
def fast(n):
    return n if n < 2 else fast(n - 1) + fast(n - 2)


print(fib(15), fast(80))


def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)


print(deep(900))
try:
    deep(100000)
except RecursionError as error:
    print("RecursionError", str(error)[:33])

compose = lambda *fs: lambda x: functools.reduce(lambda v, g: g(v), fs, x)
print(compose(lambda x: x + 1, lambda x: x * 10)(4))
print(functools.partial(f, 1, c=7)(5), functools.partial(f, c=1)(0, c=2))
print(list(itertools.product([1, 2], "ab")), list(itertools.chain([1], (2, 3))))
Point = namedtuple("Point", ["x", "y"])
p = Point(1, y=2)
print(p, p.x, p[1], p == (1, 2), Point(3, 4) < Point(3, 5))


class Pair(NamedTuple):
    left: int
    right: Optional[str] = None


print(Pair(1), Pair(2, "b").right)


@dataclass
class Config:
    name: str
    warps: int = 4
    stages: int = 2

    def total(self):
        return self.warps * self.stages


a, b = Config("x"), Config("x", stages=2)
print(a, a == b, a.total(), Config("y", 8).total(), a == Config("z"))


def scopes():
    x = "local"

    class Inner:
        y = x + " seen"

        def get(self):
            return x

    def late():
        return x

    x = "changed"
    return Inner.y, Inner().get(), late()


print(scopes())
x = "global"


class Shadow:
    x = "class"
    z = x

    def get(self):
        return x


print(Shadow.z, Shadow().get())


def swap(a, b):
    a, b = b, a
    return a, b


def nothing():
    pass


def early(n):
    for i in range(n):
        for j in range(n):
            if i * j == 6:
                return i, j
    return None


print(swap(1, 2), nothing(), early(5), early(2))


def outer(k):
    def mid():
        def low():
            return k + 1

        return low()

    return mid()


print(outer(4), (lambda: (yield_ := 3))(), [outer(i) for i in range(3)])
funcs = {}
for op, fn in [("add", lambda a, b: a + b), ("mul", lambda a, b: a * b)]:
    funcs[op] = fn
print(funcs["add"](2, 3), funcs["mul"](2, 3))
del total
try:
    total
except NameError as error:
    print(error)


def named(*values):
    return max(*values, (largest := 7)) + largest


print(named(1, 2))
try:
    print(largest)
except NameError:
    print("it was the function's")
