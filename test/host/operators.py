# SPDX-License-Identifier: Apache-2.0
# Each operator of a class, properties, orders of classes; try and finally; scopes of functions.
class V:
    def __init__(s, *v): s.v = v
    def __repr__(s): return f'V{s.v}'
    def __add__(s, o): return V(*(a + b for a, b in zip(s.v, o.v))) if isinstance(o, V) else NotImplemented
    def __radd__(s, o): return ('radd', o)
    def __iadd__(s, o): print('iadd'); return s
    def __mul__(s, o): return ('mul', o)
    def __rmul__(s, o): return ('rmul', o)
    def __neg__(s): return V(*[-a for a in s.v])
    def __pos__(s): return 'pos'
    def __invert__(s): return 'inv'
    def __abs__(s): return 'abs'
    def __eq__(s, o): return isinstance(o, V) and s.v == o.v
    def __lt__(s, o): return s.v < o.v
    def __hash__(s): return hash(s.v)
    def __len__(s): return len(s.v)
    def __bool__(s): return any(s.v)
    def __getitem__(s, i): return ('get', i)
    def __setitem__(s, i, x): print('set', i, x)
    def __delitem__(s, i): print('del', i)
    def __contains__(s, x): return x in s.v
    def __call__(s, *a, **k): return ('call', a, k)
    def __int__(s): return 42
    def __float__(s): return 4.5
    def __index__(s): return 2
    def __matmul__(s, o): return ('mm', o)
    def __rsub__(s, o): return ('rsub', o)
    def __pow__(s, o): return ('pow', o)
    def __rpow__(s, o): return ('rpow', o)
    def __mod__(s, o): return ('mod', o)
    def __divmod__(s, o): return ('divmod', o)
    def __floordiv__(s, o): return ('fd', o)
    def __truediv__(s, o): return ('td', o)
    def __lshift__(s, o): return ('ls', o)
    def __and__(s, o): return ('and', o)
    def __or__(s, o): return ('or', o)
    def __xor__(s, o): return ('xor', o)
    def __ror__(s, o): return ('ror', o)
    def __format__(s, spec): return f'<{spec}>'
    def __round__(s, n=None): return ('round', n)
    def __reversed__(s): return iter(['r'])
    def __getattr__(s, n):
        if n.startswith('_'): raise AttributeError(n)
        return 'attr ' + n
a, b = V(1, 2), V(3, 4)
print(a + b, 1 + a, a * 2, 2 * a, -a, +a, ~a, abs(a), a == V(1, 2), a != b, a < b, b > a, len(a), bool(V(0)), a[1], a[1:2], a[1, ...], 2 in a, a(1, x=2), int(a), float(a), [10, 20, 30][a], a @ 3, 3 - a, a ** 2, 2 ** a, a % 3, divmod(a, 3), a // 2, a / 2, a << 1, a & 1, a | 1, a ^ 1, 1 | a, f'{a:spec}', format(a), round(a), round(a, 2), list(reversed(a)), a.foo, {a: 1}[V(1, 2)], sorted([b, a]), max(a, b))
a += 1; a[0] = 5
try: a + 1
except TypeError as e: print(e)
try: a - 1
except TypeError as e: print(e)
try: a >= b
except TypeError as e: print(e)
print(hex(a), range(5)[a], 'abc'[a], hasattr(a, 'x'), hasattr(a, '_x'), getattr(a, '_q', 'dflt'))
class P:
    count = 0
    def __init__(self): P.count += 1; self._x = 1
    @property
    def x(self): return self._x
    @x.setter
    def x(self, v): self._x = v * 2
    @x.deleter
    def x(self): print('deleted')
    @staticmethod
    def s(a): return a
    @classmethod
    def c(cls): return cls.__name__
    def __str__(self): return 'P!'
class Q(P):
    def __init__(self): super().__init__(); self.y = 2
    @property
    def z(self): return super().x + 1
q = Q(); q.x = 5; print(q.x, q.z, q.s(1), Q.c(), q.c(), P.count, str(q), q.__dict__, vars(q), isinstance(q, P), Q.__bases__, Q.__mro__, q.__class__.__name__)
del q.x
try: q.z = 1
except AttributeError as e: print(e)
try: q.nope
except AttributeError as e: print(e)
try: Q.nope
except AttributeError as e: print(e)
class A:
    def f(s): return 'A'
class B(A):
    def f(s): return 'B' + super().f()
class C(A):
    def f(s): return 'C' + super().f()
class D(B, C):
    def f(s): return 'D' + super().f()
print(D().f(), [k.__name__ for k in D.__mro__])
try:
    class E(A, B): pass
except TypeError as e: print(str(e)[:40])
class S:
    __slots__ = ('a',)
s = S(); s.a = 1
try: s.b = 2
except AttributeError as e: print(e)
class Meta:
    def __init_subclass__(cls, **kw): print('sub', cls.__name__, kw)
class M2(Meta, tag=3): pass
class N:
    def __new__(cls, *a): print('new', a); o = super().__new__(cls); return o
    def __init__(self, *a): print('init', a)
N(1, 2)
class Desc:
    def __set_name__(s, o, n): s.n = n
    def __get__(s, i, o): return (s.n, i is None)
    def __set__(s, i, v): print('set', s.n, v)
class H: d = Desc()
print(H.d, H().d); h = H(); h.d = 3
print(type(q) is Q)
class W:
    def __enter__(s): return 1
    def __exit__(s, *a): print(len(a))
with W() as w: print(w)
x = [1, 2]; y = x; y += [3]; print(x); x = (1,); y = x; y += (2,); print(x, y)
class Cmp:
    def __init__(s, v): s.v = v
    def __le__(s, o): print('le'); return s.v <= o.v
    def __eq__(s, o): return NotImplemented
print(Cmp(1) <= Cmp(2), Cmp(1) >= Cmp(2), Cmp(1) == Cmp(1), Cmp(1) != 3)
print(1 < 2 < 3, 1 < 3 < 2, 1 == 1 != 2, 3 > 2 > 1 == 1, 1 < 2 in [2], not 1 < 2)
def f(x):
    try:
        if x == 0: return 'ret'
        if x == 1: raise ValueError('one')
        if x == 2: raise KeyError('two')
        if x == 3: 1 / 0
    except ValueError as e:
        return 'VE ' + str(e)
    except (KeyError, IndexError) as e:
        return 'KE ' + str(e) + repr(e)
    else:
        return 'else'
    finally:
        print('fin', x, end=' ')
for i in range(5):
    try: print(f(i))
    except ZeroDivisionError as e: print('ZD', e)
def g():
    for i in range(3):
        try:
            if i == 1: continue
            if i == 2: break
            print('body', i)
        finally: print('f', i)
    else: print('no')
    while True:
        try: return 'a'
        finally: print('in fin')
print(g())
def h():
    try: return 1
    finally: return 2
print(h())
def k():
    x = 1
    try: return x
    finally: x = 2
print(k())
try:
    try: raise ValueError('a')
    except ValueError as e: raise KeyError('b') from e
except KeyError as e: print(repr(e), 1)
try:
    try: raise ValueError('a')
    except ValueError: raise KeyError('b')
except KeyError as e: print(1)
try:
    try: raise ValueError('a')
    except ValueError: raise
except ValueError as e: print(e.args)
class My(Exception):
    def __init__(self, a, b): super().__init__(a, b); self.a = a
    def __str__(self): return f'My {self.a}'
try: raise My(1, 2)
except Exception as e: print(e, repr(e), e.args, type(e).__mro__)
class Sub(My): pass
try: raise Sub(3, 4)
except My as e: print(type(e).__name__, e)
try: raise My
except TypeError as e: print(e)
try: raise 3
except TypeError as e: print(e)
class CM:
    def __init__(s, n, sup=False): s.n, s.sup = n, sup
    def __enter__(s): print('enter', s.n); return s
    def __exit__(s, t, v, tb): print('exit', s.n, t and t.__name__, v, tb is None); return s.sup
with CM('a') as a, CM('b', True) as b:
    print(a.n, b.n); raise ValueError('inside')
print('after')
try:
    with CM('c'): raise KeyError(3)
except KeyError as e: print('out', e)
with (CM('d'), CM('e')): pass
def w():
    with CM('r'): return 'val'
print(w())
from contextlib import contextmanager, suppress, nullcontext, ExitStack
@contextmanager
def cm(x):
    print('in', x)
    try: yield x * 2
    except ValueError as e: print('cm caught', e)
    finally: print('out', x)
with cm(3) as v: print(v)
with cm(4) as v: raise ValueError('z')
with suppress(KeyError, ValueError): {}['a']
with nullcontext(5) as n: print(n)
with ExitStack() as st:
    for i in range(2): st.enter_context(CM(i))
    st.callback(print, 'cb')
e = None
try: raise OSError('x')
except OSError as e: pass
try: e
except NameError as x: print(x)
try: assert False, 'msg'
except AssertionError as x: print(x, x.args)
try: assert 0
except AssertionError as x: print(repr(x))
print(repr(ValueError()), repr(ValueError('a', 1)), str(ValueError('a', 1)), str(KeyError('a')), str(Exception()), [Exception('q')])
def outer():
    fs = []
    for i in range(3):
        def f(): return i
        fs.append(f)
    gs = [lambda: i for i in range(3)]
    hs = [lambda i=i: i for i in range(3)]
    return [f() for f in fs], [g() for g in gs], [h() for h in hs]
print(outer())
def counter():
    n = 0
    def inc(by=1):
        nonlocal n
        n += by
        return n
    def get(): return n
    return inc, get
inc, get = counter(); inc(); inc(5); print(get())
x = 'global'
def f():
    def g(): return x
    x = 'local'
    return g()
print(f())
def f():
    try: print(zz)
    except NameError as e: print(type(e).__name__, e)
    try:
        print(q)
    except UnboundLocalError as e: print(type(e).__name__, e)
    q = 1
    del q
    try: q
    except UnboundLocalError as e: print(e)
f()
def f():
    def g(): return v
    try: g()
    except NameError as e: print(e)
    v = 3
    return g()
print(f())
class A:
    x = 'class'
    y = [x for _ in range(2)]
    def m(self): return x
print(A.y, A().m())
x = 5
print([x for x in range(3)], x)
print({k: v for k, v in zip('abc', range(3))}, {c for c in 'a'})
print([(i, j) for i in range(3) for j in range(i) if (i + j) % 2])
print([[j for j in range(i)] for i in range(4)])
y = [last := i for i in range(5)]; print(y, last)
def f():
    if any((w := n) > 3 for n in range(10)): return w
print(f())
print([y := 1, y**2], y)
def g(a, b=2, *args, c, d=4, **kw): return (a, b, args, c, d, kw)
print(g(1, c=3), g(1, 2, 3, 4, c=5, e=6), g(*[1, 2], *(3,), **{'c': 1}, **{'z': 2}))
def p(a, /, b, *, c): return a, b, c
print(p(1, b=2, c=3))
for bad in ('p(a=1, b=2, c=3)', 'p(1, 2, 3)', 'p(1, 2)', 'p(1, c=3)', 'g()', 'g(1)', 'g(1, c=1, a=2)', 'p(1, 2, c=3, d=4)', 'p()', 'zero(1)', 'one(1,2)', 'one(1, a=1)'):
    def zero(): pass
    def one(a): pass
    fs = {'p(a=1, b=2, c=3)': lambda: p(a=1, b=2, c=3), 'p(1, 2, 3)': lambda: p(1, 2, 3), 'p(1, 2)': lambda: p(1, 2), 'p(1, c=3)': lambda: p(1, c=3), 'g()': lambda: g(), 'g(1)': lambda: g(1), 'g(1, c=1, a=2)': lambda: g(1, c=1, a=2), 'p(1, 2, c=3, d=4)': lambda: p(1, 2, c=3, d=4), 'p()': lambda: p(), 'zero(1)': lambda: zero(1), 'one(1,2)': lambda: one(1, 2), 'one(1, a=1)': lambda: one(1, a=1)}
    try: fs[bad]()
    except TypeError as e: print(e)
def d(x, l=[]): l.append(x); return l
print(d(1), d(2), d(3, []))
print((lambda *a, **k: (a, k))(1, 2, x=3))
def rec(n): return n if n < 2 else rec(n - 1) + rec(n - 2)
print([rec(i) for i in range(15)])
print(g.__name__, (lambda: 0).__name__)
print(max(3, 1, 2), min('b', 'a'), max([1, 5], key=lambda v: -v), max([], default=7), sum([1, 2], 10), sum([[1], [2]], []))
print(list(map(lambda a, b: a + b, [1, 2], [3, 4, 5])), list(filter(None, [0, 1, '', 'a'])), list(zip([1, 2], 'ab', (True, False))))
print(list(enumerate('ab', 1)), list(reversed([1, 2])), sorted('hello', reverse=True), any([]), all([]), abs(-3), divmod(-7, 3), pow(2, 10), pow(3, -1), pow(2, 10, 1000), round(2.5), round(3.5), round(-2.5), round(2.675, 2), round(1234, -2), round(1250, -2), round(1350, -2))
try: list(zip([1], [1, 2], strict=True))
except ValueError as e: print(e)
print(callable(f), callable(3), isinstance(True, int), isinstance(3, (str, int)), issubclass(bool, int), type(3), type('a') is str, type(None))
print(hash(1) == hash(1.0) == hash(True), id(x) == id(x), chr(97), ord('é'), hex(255), oct(8), bin(-5), hex(-255))
print(int('  12 '), int('ff', 16), int('0x1f', 0), int('-0b101', 0), int(3.99), int(-3.99), int('1_000'), float('1e3'), float('inf'), float('-nan'), float(' 2.5 '), bool('False'), str(1.0), repr('a'))
for s in ('', 'a', '1.5', '0x', '1__0'):
    try: int(s)
    except ValueError as e: print(e)
try: float('abc')
except ValueError as e: print(e)
print(list('abc'), tuple([1]), set([1]), dict([(1, 2)]), dict(a=1), dict({'a': 1}, b=2), list({'a': 1}), str([1, 'a', None, True, 1.5]))
