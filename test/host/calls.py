# Each kind of signature with each kind of call, of functions, methods and classes; partial, reduce, caches,
# products; which methods a class has by its bases.
import functools
import itertools
from collections import namedtuple
from dataclasses import dataclass


def show(*calls):
    out = []
    for call in calls:
        try:
            out.append(repr(call()))
        except Exception as error:
            out.append(f"{type(error).__name__}: {error}")
    print(" | ".join(out))


def none(): return "none"
def one(a): return a
def two(a, b=2): return a, b
def both(a=1, b=2): return a, b
def rest(a, *more): return a, more
def named(a, *, k): return a, k
def named_else(a=0, *, k=5, m): return a, k, m
def words(**given): return given
def all_of(*args, **given): return args, given
def mixed(a, b=1, *c, d=4, **e): return a, b, c, d, e


class Made:
    def __init__(self, a, b=2, **k):
        self.all = (a, b, k)

    def __repr__(self):
        return f"Made{self.all}"

    def method(self, a, *b): return self.all[0], a, b

    @staticmethod
    def static(a, b=2): return a, b

    @classmethod
    def of(cls, a): return cls(a, a)

    def __call__(self, a=0, *, k=1): return self.all[0], a, k


made = Made(0)
for f in (none, one, two, both, rest, named, named_else, words, all_of, mixed, Made, made.method, made, Made.static, Made.of, made.static,
          lambda a, b=3: (a, b), functools.partial(mixed, 8, d=9), functools.partial(two, b=7), functools.partial(two)):
    show(lambda: f(), lambda: f(1), lambda: f(1, 2), lambda: f(1, 2, 3), lambda: f(a=1), lambda: f(b=1), lambda: f(1, b=5), lambda: f(b=2, a=1))
    show(lambda: f(1, a=2), lambda: f(k=1), lambda: f(1, k=2), lambda: f(k=1, m=2), lambda: f(1, z=2), lambda: f(1, d=5, x=6))
    show(lambda: f(*[]), lambda: f(*[1, 2]), lambda: f(1, *(2, 3)), lambda: f(*(1,), *"ab"), lambda: f(**{}), lambda: f(**{"a": 1}),
         lambda: f(1, **{"k": 2, "b": 3}), lambda: f(*[1], **{"b": 4}))

add = lambda a, b: a + b
show(lambda: functools.reduce(add, [1, 2, 3]), lambda: functools.reduce(add, [1], 5), lambda: functools.reduce(add, [], 5), lambda: functools.reduce(add, []),
     lambda: functools.reduce(add, "abc"), lambda: functools.reduce(add, [4]), lambda: list(itertools.product("ab", [1, 2])), lambda: list(itertools.product()),
     lambda: list(itertools.product([1, 2], [], [3])), lambda: list(itertools.product([1, 2, 3])), lambda: list(itertools.product([0, 1], [0, 1], [0, 1])),
     lambda: list(itertools.chain()), lambda: list(itertools.chain([1], "ab", (), [2])), lambda: next(itertools.chain([], [3])))
asked = []


@functools.lru_cache(maxsize=None)
def squared(x):
    asked.append(x)
    return x * x


print([squared(x) for x in (2, 3, 2, 5, 3)], asked)


@dataclass
class Point:
    x: int
    y: int = 2

    def total(self): return self.x + self.y


Pair = namedtuple("Pair", "left, right")
show(lambda: Point(1), lambda: Point(1, 3), lambda: Point(y=1, x=0), lambda: Point(), lambda: Point(1) == Point(1, 2), lambda: Point(1) == Point(2),
     lambda: Point(1) != Point(1), lambda: Point(1) == (1, 2), lambda: Point(1).total(), lambda: Pair(1, 2), lambda: Pair(right=1, left=2),
     lambda: Pair(1, 2).right, lambda: Pair(1, 2)[0], lambda: Pair(1, 2) == (1, 2), lambda: list(Pair(1, 2)), lambda: len(Pair(1, 2)))


class A:
    at = "A"
    def who(self): return "A"
    def chain(self): return ["A"]


class B(A):
    at = "B"
    def who(self): return "B"
    def chain(self): return ["B"] + super().chain()


class C(A):
    def who(self): return "C"
    def chain(self): return ["C"] + super().chain()


class D(B, C):
    def chain(self): return ["D"] + super().chain()


class E(C, B): pass


for made in (A(), B(), C(), D(), E()):
    show(lambda: made.who(), lambda: made.chain(), lambda: made.at, lambda: [isinstance(made, k) for k in (A, B, C, D, E, object)],
         lambda: [issubclass(type(made), k) for k in (A, B, C, D, E)], lambda: type(made).__name__, lambda: made.nothing, lambda: type(made).nothing)
