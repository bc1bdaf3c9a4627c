# SPDX-License-Identifier: Apache-2.0
# Generator expressions and generators do what they do when a value is asked for, in scopes of their own.
log = []
def gen(n):
    log.append('start')
    try:
        for i in range(n):
            got = yield i
            log.append(('got', got))
    except ValueError as e:
        log.append(('caught', str(e)))
        yield 'caught'
    finally:
        log.append('finally')
    return 'done'
g = gen(3); print(next(g), g.send('x'), g.throw(ValueError('v')))
try: next(g)
except StopIteration as e: print('stop', e.value)
print(log)
def deleg():
    r = yield from gen(2)
    print('r', r)
    yield from [10, 20]
    yield from (x * x for x in range(3))
print(list(deleg()))
g = gen(5); next(g); g.close(); print(log[-1])
ge = (print('eval', x) or x for x in range(3))
print('before'); print(next(ge)); print(list(ge)); print(list(ge))
def infinite():
    n = 0
    while True:
        yield n
        n += 1
import itertools
print(list(itertools.islice(infinite(), 5)), list(itertools.takewhile(lambda x: x < 4, infinite())))
print(next(x for x in infinite() if x > 10))
print(sum(x for x in range(10)), max((x, -x) for x in range(4)), ','.join(str(i) for i in range(3)), tuple(i for i in 'ab'), dict((i, i) for i in range(2)), any(x > 2 for x in infinite()))
gg = (i for i in range(3)); print(next(gg), 2 in gg, list(gg))
squares = (x * x for x in infinite()); print([next(squares) for _ in range(4)])
n = 10; late = (n + i for i in range(2)); n = 100; print(list(late))
src = [1, 2, 3]; lz = (x for x in src); src.append(4); print(list(lz))
try: (x for x in 5)
except TypeError as e: print(e)
lazy = (1 // x for x in [1, 0]); print(next(lazy))
try: next(lazy)
except ZeroDivisionError as e: print(e)
print(list(lazy))
def tree(t):
    if isinstance(t, list):
        for s in t: yield from tree(s)
    else: yield t
print(list(tree([1, [2, [3, [4]], 5]])))
print(list(i + j for i in range(2) for j in range(2)), type(lz).__name__)
class It:
    def __init__(self, n): self.n = n
    def __iter__(self):
        for i in range(self.n): yield i * 2
print(list(It(3)), 4 in It(3), max(It(4)), [*It(2)], {**dict(zip(It(2), It(2)))})
def two():
    x = yield 1
    print('x', x)
    y = yield 2
    print('y', y)
t = two(); next(t); t.send('a')
try: t.send('b')
except StopIteration: print('end')
print(next(t, 'default'))
a, b, *c = (i for i in range(5)); print(a, b, c)
def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b
for i, f in zip(range(10), fib()): print(f, end=' ')
print()
g1 = (i for i in range(2)); g2 = (j for j in g1); print(list(g2), list(g1))
class C:
    k = 2
    v = list(i for i in range(k))
print(C.v)
class D:
    z = 3
    try: w = [z * i for i in range(z)]
    except NameError as e: print('in a class:', e)
    first = [i for i in range(z)]
print(D.first)
def inner(rows): return ((r, c) for r in rows for c in (x * r for x in range(r)) if c)
print(list(inner([1, 2, 3])))
g = (i for i in range(3))
print(g.send(None), next(g), g.close(), list(g))
def own(): yield from (n for n in own_items)
own_items = [7, 8]
print(list(own()))
def walrus(): return any((seen := n) > 2 for n in range(9)), seen
print(walrus())
try: list(x for x in (next(iter([])) for _ in [0]))
except RuntimeError as e: print(e)
fs = list((lambda: i) for i in range(3))
print([f() for f in fs])
try:
    loop = (next(loop) for _ in [0])
    next(loop)
except ValueError as e: print(e)
