# SPDX-License-Identifier: Apache-2.0
# Dataclasses, enums, deques, json, functools; operators between classes; numbers of all sizes in each form.
from dataclasses import dataclass, field, asdict, astuple, replace, fields, is_dataclass, KW_ONLY
from enum import Enum, IntEnum, auto, unique
from typing import List, Optional, NamedTuple, ClassVar
@dataclass
class P:
    x: int
    y: float = 2.0
    z: list = field(default_factory=list)
    n: ClassVar[int] = 7
    h: int = 3
    def __post_init__(self): self.w = self.x + 1
p = P(1); q = P(1, z=[]); print(p, p == q, p.w, asdict(p), astuple(p), replace(p, x=5), [f.name for f in fields(P)], is_dataclass(p), P.n, p.h)
p.z.append(1); print(p, q, p != q)
@dataclass(frozen=True, order=True)
class F:
    a: int
    b: str = 'b'
print(F(1) < F(2), sorted([F(2), F(1, 'z'), F(1)]), hash(F(1)) == hash(F(1)), {F(1): 2}[F(1)])
try: F(1).a = 2
except Exception as e: print(type(e).__name__, e)
@dataclass
class Base:
    a: int = 0
@dataclass
class Derived(Base):
    b: int = 1
    _: KW_ONLY
    c: int = 2
print(Derived(5), Derived(b=3, a=1, c=9), Derived(1) == Base(1))
try: P()
except TypeError as e: print(e)
try: P(1, 2, [], 4, 5)
except TypeError as e: print(e)
try: P(1, q=3)
except TypeError as e: print(e)
class Color(Enum):
    RED = 1
    GREEN = 'g'
    ALIAS = 1
    def hi(self): return self.name.lower()
    @classmethod
    def first(cls): return cls.RED
    @property
    def up(self): return self.name[0]
print(Color.RED, repr(Color.RED), Color.RED.name, Color.RED.value, Color(1), Color['GREEN'], list(Color), Color.ALIAS is Color.RED, Color.RED.hi(), Color.first(), Color.RED == 1, Color.RED in Color, len(Color), Color.RED.up, {Color.RED: 1}, f'{Color.RED}', Color.RED != Color.GREEN, isinstance(Color.RED, Color), Color.__members__.keys())
for f in (lambda: Color(99), lambda: Color['X'], lambda: Color.RED < Color.GREEN):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
class I(IntEnum):
    A = 1
    B = 2
print(I.A, repr(I.A), I.A + 1, I.A < I.B, I.A == 1, [10, 20, 30][I.B], f'{I.A}', str(I.B), int(I.B), I(2), sorted([I.B, I.A]), max(I), '%d' % I.A, f'{I.B:03d}', I.A | 2, hash(I.A) == hash(1), {1: 'x'}[I.A])
class NT(NamedTuple):
    a: int
    b: str = 'x'
    def tot(self): return self.a * 2
n = NT(3); print(n, n.tot(), n.a, n[1], n._replace(a=4), NT._fields, n == (3, 'x'))
class E2(Enum):
    def __init__(self, m, r): self.m, self.r = m, r
    EARTH = (1, 2)
    MARS = (3, 4)
    def g(self): return self.m * self.r
print(E2.EARTH.g(), E2.MARS.value, [e.name for e in E2], E2((3, 4)))
import itertools, functools, collections, operator, copy, json, string, types, math
from collections import deque, OrderedDict, defaultdict, Counter
q = deque([1, 2, 3]); q.extendleft([0, -1]); q.remove(2); q.insert(1, 9); q.reverse()
print(q, q.count(9), q.index(9), 3 in q, q == deque(list(q)), q[-1], list(reversed(q)), q.maxlen, bool(deque()), q + deque([7]), q * 2, q.copy())
d = defaultdict(int); d['a'] += 1; d['b'] += 2; print(d, d.items(), sorted(d), d.get('zz'), d.default_factory)
dd = defaultdict(lambda: defaultdict(list)); dd['x']['y'].append(1); print(dict(dd['x']), len(dd))
print(json.dumps({'a': {'b': [1, 2, {'c': None}]}}, indent=1), json.dumps([]), json.dumps({}), json.dumps("é", ensure_ascii=False), json.dumps(1e10), json.dumps(float('inf')), json.dumps({1: 2, None: 3, True: 4}), json.dumps((1, 2)))
print(json.loads('[1, 2.5e3, "a\\nb", {"x": []}, -0, 1E5]'), json.loads('  "x" '))
print(list(itertools.product([1, 2], repeat=2)), list(itertools.accumulate([1, 2, 3], operator.mul)), list(itertools.accumulate([1, 2], initial=10)), list(itertools.islice('abcdef', 1, 5, 2)), list(itertools.permutations('abc', 2))[:3], list(itertools.batched('abc', 2)) if hasattr(itertools, 'batched') else 0)
print(functools.reduce(lambda a, b: a + b, ['x', 'y'], 'z'), functools.partial(int, base=2)('101'), functools.partial(max, 5)(3, 7))
@functools.cache
def f(x): print('called', x); return x * 2
print(f(2), f(2), f(3))
class C:
    @functools.cached_property
    def p(self): print('computed'); return 5
c = C(); print(c.p, c.p)
@functools.total_ordering
class T:
    def __init__(s, v): s.v = v
    def __eq__(s, o): return s.v == o.v
    def __lt__(s, o): return s.v < o.v
print(T(1) <= T(2), T(1) >= T(2), T(2) > T(1), T(1) != T(1))
class A:
    x = [1]
    def __init__(self): self.y = 2
    def __repr__(self): return f'{type(self).__name__}({self.y})'
    def __eq__(self, o): return isinstance(o, A) and self.y == o.y
class B(A):
    def __init__(self, z=3): super().__init__(); self.z = z
    def __add__(self, o): return 'B.add'
    def __radd__(self, o): return 'B.radd'
class P:
    def __add__(self, o): return 'P.add'
class Q(P):
    def __radd__(self, o): return 'Q.radd'
a, b = A(), B()
print(a, b, [a, b], a == b, a != b, a in [b], {'k': a}, vars(b), B.__name__, b.__class__, isinstance(b, A), issubclass(B, A), B.__mro__[1] is A, hasattr(b, 'w'), getattr(b, 'w', 9), A.x is B.x, type(b).__bases__)
print(P() + Q(), Q() + P(), P() + P(), B() + 1, 1 + B(), sum([B(), B()]) )
try: print(hash(a))
except TypeError as e: print(e)
try: print({a: 1})
except TypeError as e: print(e)
class Cnt:
    def __init__(self): self.n = 0
    def __iter__(self): return self
    def __next__(self):
        self.n += 1
        if self.n > 3: raise StopIteration
        return self.n
print(list(Cnt()), sum(Cnt()), [*Cnt()], max(Cnt()), tuple(Cnt()), dict(zip(Cnt(), 'abc')), 2 in Cnt(), sorted(Cnt(), reverse=True), list(map(str, Cnt())), set(Cnt()), ' '.join(map(str, Cnt())))
x, *y = Cnt(); print(x, y)
for i, v in enumerate(Cnt(), 5): print(i, v, end=' ')
print()
class G:
    def __getattr__(self, n): return n.upper()
    def __setattr__(self, n, v): print('set', n, v); object.__setattr__(self, n, v)
    def __delattr__(self, n): print('del', n); object.__delattr__(self, n)
g = G(); g.a = 1; print(g.a, g.b); del g.a; print(g.a)
class S:
    _inst = None
    def __new__(cls):
        if cls._inst is None: cls._inst = super().__new__(cls)
        return cls._inst
print(S() is S())
class L:
    def __init__(s, *i): s.i = list(i)
    def __len__(s): return len(s.i)
    def __getitem__(s, k): return s.i[k]
l = L(1, 2, 3); print(list(l), 2 in l, l[::-1], list(reversed(l)), bool(L()), [v for v in l], max(l), l[-1])
class Ctx:
    def __enter__(self): return self
    def __exit__(self, et, ev, tb): print('exit', et.__name__ if et else None, ev); return et is KeyError
    def __call__(self, f):
        def w(*a):
            with self: return f(*a)
        return w
@Ctx()
def fails(k): return {}[k]
print(fails('a'))
try:
    with Ctx(): raise ValueError('q')
except ValueError as e: print('got', e)
def outer():
    x = 1
    class In:
        y = x
        def m(self): return x
    x = 2
    return In.y, In().m()
print(outer())
def defaults(a, b=[], *, c={}): b.append(a); c[a] = len(b); return b, c
print(defaults(1), defaults(2), defaults(3, []), defaults.__name__)
fs = {}
for n in 'ab':
    def h(n=n): return n
    fs[n] = h
print([k() for k in fs.values()])
print((lambda f: lambda n: f(f, n))(lambda s, n: 1 if n < 2 else n * s(s, n - 1))(10))
print([(lambda: i)() for i in range(3)], [f() for f in [lambda: i for i in range(3)]])
def gen():
    try:
        while True:
            x = yield
            print('got', x)
    except GeneratorExit: print('closing')
k = gen(); next(k); k.send(1); k.send(2); k.close()
def chain(*its):
    for it in its: yield from it
print(list(chain([1], (2,), {3: 4}, 'ab', range(2))))
def countdown(n):
    while n: n -= 1; yield n
print(*countdown(3), sep='-')
r = (lambda *, k: k)(k=4); print(r)
print(*(f'{n}:{v!r:>6}' for n, v in {'a': 1.5, 'b': None, 'c': 'x'}.items()), sep='|')
import math
for a in (7, -7, 0, 1, -1, 10**18, -(10**18), 2**62, -2**62, 2**63 - 1, 3**30):
    for b in (1, -1, 2, -2, 3, -3, 10, 7, 2**31, -2**62):
        print(a // b, a % b, a * b, a - b, a & b, a | b, a ^ b, a == b, a < b, divmod(a, b) == (a // b, a % b), end=' ')
    for s in (0, 1, 5, 31, 63): print(a << (s % 40), a >> s, end=' ')
    print(a / 3, -a, ~a, abs(a), float(a), str(a), hex(a), bin(a)[:12], a.bit_length(), round(a), int(str(a)), f'{a:,}', f'{a:>25}', f'{a:e}', a ** 1, bool(a), hash(a) == hash(a))
for x in (0.1, -0.1, 1.5, -1.5, 2.5, 1/3, 100.0, 1e16, 123456.789, -0.0, 1e-10, 3.0e8):
    print(x, repr(x), str(x), int(x) if abs(x) < 1e30 else '', x // 1, x % 1, -x, abs(x), x ** 2 if abs(x) < 1e100 else '', x * 3, x / 7, round(x), round(x, 1), round(x, 3), math.floor(x) if abs(x) < 1e30 else '', math.ceil(x) if abs(x) < 1e30 else '', f'{x:.3f}', f'{x:g}', f'{x:10.2e}', f'{x!r:>24}', x == x, x < 1, x.is_integer(), '%.2f' % x, '%g' % x, '%e' % x, '%r' % x, bool(x), x.hex() if False else '')
print(0.1 + 0.7, 1.1 * 3, 4.35 * 100, 1 - 0.9, 2 ** 0.5, 10 ** -3, 7 / 2, 7 // 2, -7 // 2, 7 % -3, -7 % 3, 7.5 // 2, -7.5 // 2, 7.5 % -2, 1e16 + 1, 9007199254740993, float(9007199254740993), 1e308 + 1e308, 0.0 == -0.0, 1 / 3 * 3 == 1, 5 // 0.3, 5 % 0.3)
print(1 < 2 < 3, 3 > 2 >= 2, 1 < 3 > 2, 1 == 1.0 == True, not 1 == 2, 1 in [1] == True, (1 in [1]) == True, 'a' < 'b' < 'c', 2 < 1 or 3 > 2 and 4 == 4, 1 if 1 > 2 else 2 if 2 > 3 else 3)
print([i for i in range(10) if i % 2 == 0 if i % 3 == 0], {i % 3: i for i in range(7)}, [x for row in [[1, 2], [3]] for x in row], [[i * j for j in range(3)] for i in range(3)], {(i, j) for i in range(2) for j in range(2)} == {(0, 0), (0, 1), (1, 0), (1, 1)})
if (n := 10) > 5 and (m := n * 2): print(n, m)
print([y for x in range(5) if (y := x * x) > 3], y)
while (n := n - 3) > 0: print(n, end=' ')
print(n)
i = 5
def scope():
    i = 1
    [i for i in range(3)]
    return i
print(scope(), i, [i for i in range(2)], i)
a = [1, 2, 3]; b = a; b += [4]; a = a + [5]; print(a, b); a[1:2], a[0] = [8, 9], 7; print(a)
t = (1, [2]); 
try: t[1] += [3]
except TypeError as e: print(e, t)
x = y = []; x.append(1); print(y); x, y = y, 5; print(x, y)
s = 'héllo wörld'; print(s[1], s[::-1], len(s), s.find('w'), s.split('ö'), s.index('l'), s.center(15, '*'), s.replace('l', 'L'), s[-3:], s.encode if False else '', s.count('l'), f'{s:>14}', f'{s:.4}', 'ö' in s, sorted(s)[:3], s.partition(' '), s.startswith('hé'), s * 2, max(s), s.zfill(13), s.rjust(13, 'é'))
print('%5.1f|%-6s|%06d|%+.2e|%x' % (3.14159, 'ab', -42, 12345.678, 255), '{:>8}|{:<8}|{:^8}|{:08.3f}|{:+d}|{:#x}|{:,}|{:.1%}'.format('a', 'b', 'c', 3.14159, 5, 255, 1234567, 0.256), f'{"a" "b"}', f'{1 + 1}', f"{'x':*^5}", f'{3:{"0"}>{4}}', f'{{}}', f'{[1, 2][0]}', f'{ {"a": 1}["a"] }', f'{1 if True else 2}')
match (1, {'a': [2, 3]}):
    case (n, {'a': [x, *rest]}): print(n, x, rest)
def sw(v):
    match v:
        case int() if v > 5: return 'big'
        case int() | float(): return 'num'
        case [1, 2, *_]: return '12'
        case {'k': str() as s}: return s
        case _: return None
print([sw(v) for v in (10, 3, 1.5, [1, 2, 3], (1, 2), {'k': 'v'}, {'k': 1}, 'x')])
print(sorted([3, 1, 2], key=lambda v: -v), sorted(['b', 'A', 'c'], key=str.lower), sorted([(1, 'b'), (1, 'a')], key=lambda p: p[0]), sorted({'x': 2, 'y': 1}.items(), key=lambda kv: kv[1]), min([(2, 'a'), (1, 'z')]), max('apple', 'fig', key=len), sorted([True, False, 2]), sorted([[2, 1], [1, 9], [1]]), sorted('bca'), sorted([0.5, -1, 2]), list(reversed(sorted([2, 1]))))
try:
    for k in range(3):
        try:
            if k == 1: continue
            if k == 2: raise ValueError(k)
            print('k', k)
        finally: print('fin', k)
except ValueError as e: print('E', e, e.args)
def ff():
    for i in range(3):
        try: return i
        finally:
            if i == 0: continue
    return 'end'
print(ff())
