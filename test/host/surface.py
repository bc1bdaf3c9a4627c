# SPDX-License-Identifier: Apache-2.0
# What classes, exceptions, slices, texts and numbers have by themselves, in Python's words.
from abc import ABC, ABCMeta, abstractmethod, abstractproperty
class A(ABC):
    @abstractmethod
    def f(self): pass
    @property
    @abstractmethod
    def p(self): pass
    @classmethod
    @abstractmethod
    def c(cls): pass
    def g(self): return 'g'
for k in (A, type('x', (), {}) if False else A):
    try: A()
    except TypeError as e: print(str(e)[:36])
class B(A):
    def f(self): return 'f'
    p = 3
try: B()
except TypeError as e: print(str(e)[:36])
class C(B):
    @classmethod
    def c(cls): return cls.__name__
print(C().f(), C().p, C.c(), C().g(), isinstance(C(), A), [k.__name__ for k in C.__mro__])
class M(metaclass=ABCMeta):
    @abstractmethod
    def f(self): ...
try: M()
except TypeError as e: print(str(e)[:36])
class N(M):
    def f(self): return super().f()
print(N().f(), [k.__name__ for k in N.__mro__])
class Base:
    subs = []
    def __init_subclass__(cls, /, tag=None, **kw): super().__init_subclass__(**kw); cls.tag = tag; Base.subs.append(cls.__name__)
class S1(Base, tag=3): pass
class S2(S1): pass
print(Base.subs, S1.tag, S2.tag)
try:
    class S3(Base, other=1): pass
except TypeError as e: print(e)
try:
    try: raise ValueError('a')
    except ValueError as e: raise KeyError('b') from e
except KeyError as e: print(repr(e), repr(e.__cause__), repr(e.__context__), e.__suppress_context__, e.__traceback__ is None)
try:
    try: raise ValueError('a')
    except ValueError: raise KeyError('b')
except KeyError as e: print(repr(e.__cause__), repr(e.__context__), e.__suppress_context__)
try:
    try: raise ValueError('a')
    except ValueError: raise KeyError('b') from None
except KeyError as e: print(repr(e.__cause__), repr(e.__context__), e.__suppress_context__)
print(repr(ValueError('x').__cause__))
try: raise KeyError from ValueError
except KeyError as e: print(repr(e.__cause__))
y = list(range(10)); y[::2] = [0] * 5; print(y); del y[::3]; print(y); del y[::-2]; print(y); y[::-1] = list(y); print(y)
try: y[::2] = [1]
except ValueError as e: print(e)
print(slice(1, 2) == slice(1, 2), 'abc'.__class__.__name__, (5).__class__)
class D:
    def __getitem__(s, k): return k
    def __delitem__(s, k): print('del', k)
d = D(); del d[1], d['a':2]
print(d[1:2, ::3], d[...], d[None], d[()], d[-1], d[1,])
print([*map(str.upper, 'ab')], list(map(int.bit_length, [1, 5])), sorted(['b', 'A'], key=str.lower), dict.fromkeys('ab'), str.join('-', ['a']), list.index([1, 2], 2), max('ab', 'b', key=str.upper))
try: str.upper(3)
except TypeError as e: print(e)
class P:
    @property
    def v(self): return self._v
    @v.setter
    def v(self, x): self._v = x
    @v.deleter
    def v(self): del self._v; print('gone')
p = P(); p.v = 3; print(p.v); del p.v
try: p.v
except AttributeError as e: print(e)
try: del P().zz
except AttributeError as e: print(e)
from functools import wraps
def deco(f):
    @wraps(f)
    def inner(*a): "inner doc"; return f(*a)
    return inner
@deco
def h(): "h doc"
print(h.__doc__, h.__name__, deco.__doc__)
import math
print(math.gcd(12, 18, 27), math.gcd(), math.lcm(4, 6, 10), math.lcm(), math.factorial(25), math.comb(30, 12), math.perm(6), math.perm(6, 2), math.isclose(1.0, 1.0 + 1e-9), math.isclose(0, 1e-12), math.isclose(0, 1e-12, abs_tol=1e-9), math.degrees(1.2), math.radians(33), math.modf(-3.25), math.frexp(10.0), math.frexp(0.0), math.ldexp(0.75, 3), math.remainder(7, 4), math.asin(0.3), math.acosh(2.0), math.erfc(0.3), math.sinh(1.0))
print(pow(7, 20, 13), pow(-7, 3, 5), pow(7, 3, -5), pow(2, 62, 10**9 + 7), round(12345, -2), round(15, -1), round(25, -1), round(-15, -1), round(12345.678, -2), round(5, -3), round(25.0, -1), round(1e15 + 0.5, -1), round(99, -2), round(50, -2), round(150, -2))
print(repr('\xa0'), repr('\xad'), repr('\u200b'), repr('é'), repr('\u3000'), repr('日本'), repr('\ue000'), repr('\U000e0001'), repr('😀'))
print(chr(0) + 'x' == '\0x', repr('a' + chr(0) + 'b'), len('a\0' * 3), 'a\0b'.split('\0'), '\0'.join('ab') == 'a\0b', {'\0': 1}, '%s|' % '\0' == '\0|', f"{chr(0)}|" == '\0|')
print('a b c'.rsplit(), 'a b c'.rsplit(None, 1), ' a  b '.rsplit(None, 1), 'a,b,c'.rsplit(',', 1), 'a,b,c'.rsplit(',', 5), 'abc'.rsplit('x', 1), ''.rsplit(None, 1), ''.rsplit(',', 1), 'a'.rsplit(None, 1), '  a'.rsplit(None, 1), 'aXbXc'.rsplit('X'))
print('a\nb\r\nc'.splitlines(True), 'a\n'.splitlines(keepends=False), '\ta\tbc\td'.expandtabs(4), 'ab\tc'.expandtabs(), 'abc'.replace('', '-'), 'abc'.replace('', '-', 2), ''.replace('', 'x'), 'é'.replace('', '.'), 'Hello World'.istitle(), 'hello'.istitle(), 'HEllo'.istitle(), 'A1b'.istitle(), 'A1B'.istitle(), ''.istitle())
for v in (1234567.891, 0.5, -1234.5, 12, -98765, 0): print(f'{v:012,}', f'{v:09,}', f'{v:020,.3f}', f'{v:+012_}', f'{v:03,}', f'{v:010,.1f}' , f'{v:=010,}' if False else '')
print(f'{97:c}|{97:5c}|{97:>5c}|{0x65e5:c}', f'{1.0:#.0f}', f'{1.5:#.3g}', f'{100000.0:#g}', f'{1.0:#.0e}')
from collections import Counter, namedtuple
c = Counter('aab'); print(c + Counter('ab'), c - Counter('a'), c & Counter('ab'), c | Counter('bbb'), c == Counter('baa'), c == {'a': 2, 'b': 1})
Pt = namedtuple('Pt', ['x', 'y'], defaults=[5]); print(Pt(1), Pt(1, 2), Pt(y=3, x=1))
try: Pt()
except TypeError as e: print(str(e)[-20:])
d = {'a': 1, 'b': 2}; e = {'b': 3, 'c': 4}
print(sorted(d.keys() & e), sorted(d.keys() | e.keys()), d.keys() - e, sorted(d.keys() ^ e), d.items() & {('a', 1)}, d.keys() == {'a', 'b'}, d.keys() <= {'a', 'b', 'c'}, d.items() == dict(d).items(), d.values() == d.values(), 'a' in d.keys(), ('a', 1) in d.items(), 1 in d.values(), {1} | e.keys() == {1, 'b', 'c'})
print({1, 2}.isdisjoint([3]), {1, 2}.symmetric_difference([2, 3]), {1}.union([2], (3,)), {1, 2, 3}.difference([1], [2]), {1, 2}.intersection([2], {2}), set().union())
s = {1}; s.update([2], (3,)); print(s)
print(NotImplemented, type(NotImplemented), [NotImplemented])
it = iter([1, 2, 3, 0, 4]).__next__ if False else None
vals = [3, 2, 1]; print(list(iter(vals.pop, 2)), vals)
class R:
    def __init__(s, v): s.v = v
    def __lt__(s, o): return s.v < o.v
    def __repr__(s): return f'R{s.v}'
print(sorted([R(3), R(1)]), max([R(1), R(4)]), min(R(2), R(1)), sorted([R(1), R(2)], reverse=True))
