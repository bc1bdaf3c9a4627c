# Sources that Python takes: nothing is said.

# case: numbers
n = [0, 00, 1_000, 0xFF_FF, 0o17, 0b1010, 1., .5, 1e10, 1_0.0_1e-1_0, 3j, 1if x else 2]
# want: ok

# case: strings
s = ['a', "b", r'\n', b'x', rb'\x', Rb"y", u'z', '''a
b''', "\x41\u0042\U00000043\101\
", 'a' "b" f'{c}']
# want: ok

# case: f-strings
s = f'{x}{y!r:>{w}}{{}}{a["k"]}{z=}{lambda_ if b else c}{x:%Y-%m}{d:{"a"}}{i != j}'
t = f"""{
    x
}""" rf'\{x}'
# want: ok

# case: f-strings with their own quotes inside, as since 3.12
s = f'{d['k']}{f'{1}'}'
# want: ok

# case: comprehensions
y = [i for i in x if i if j for j, *k in i], {i for i in x}, {i: j for i, j in x}, (i for i in x)
f(i for i in x)
# want: ok

# case: lambdas
f = lambda: 0, lambda x, *a, y=1, **k: (x, y), lambda x, /, y, *, z: z
# want: ok

# case: parameters
def f(a, b: int = 1, /, c=2, *args: int, d, e: str = 'x', **kwargs) -> int:
    return a
# want: ok

# case: calls
f(a, *b, c, d=1, *e, **g, h=2)
# want: ok

# case: subscripts
y = x[1], x[1:2], x[::2], x[:, None, ...], x[a:b, c], x[*a], x[(i := 1)]
# want: ok

# case: operators
y = -x ** -y + ~z @ w // 3 % 2 << 1 >> 2 & a | b ^ c and not d or e < f <= g != h is not i not in j
await_ = a if b else c if d else e
# want: ok

# case: assignments
a = b = c, *d = x
a: int
a.b: int = 3
a[0]: int = 4
a += 1; b @= 2; c **= 3; d //= 4; e >>= 5; f <<= 6
[a, (b, c)] = x
# want: ok

# case: blocks on one line
if x: y = 1; z = 2
elif w: pass
else: y = 3
while x: break
for i in x: continue
class A: pass
# want: ok

# case: with in all forms
with a: pass
with a as b, c as d: pass
with (a as b, c as d,): pass
with (a, b): pass
with (a): pass
with (a) as b: pass
with (a, b) as c: pass
with (yield_)(x) as y: pass
# want: ok

# case: try in all forms
try: pass
except A: pass
except (B, C) as d: pass
except: pass
else: pass
finally: pass
try: pass
finally: pass
# want: ok

# case: except star
try: pass
except* A as b: pass
# want: ok

# case: match is a statement and a name
match x:
    case 1 | -2 | 3.5 + 1j | "s" | None: pass
    case [a, *rest, (b, _)] if a > b: pass
    case {"k": v, **others}: pass
    case Point(x=0, y=A.b) as p: pass
    case a, b: pass
    case (c): pass
match = 1
match.x = match[0] = case = 2
match(x)
# want: ok

# case: type is a statement and a name
type = 3
type(x)
# want: ok

# case: type alias and type parameters, as since 3.12
type X[T] = list[T]
def f[T: int, *Ts, **P](a: T) -> T: return a
class A[T](B): pass
# want: ok

# case: async
async def f():
    async with a as b: pass
    async for i in x: await y
    return [i async for i in x]
# want: ok

# case: imports
import a, b.c as d
from . import x
from .... import y
from ..a.b import (c as d, e,)
from z import *
# want: ok

# case: decorators
@a
@b.c(1)
@(lambda f: f)
class A(B, metaclass=C, **k): x: int = 3
# want: ok

# case: generators
def f():
    x = yield
    y = yield 1, 2
    yield from x
    return (yield)
# want: ok

# case: comments, blank lines, continuation
x = (1,  # one

     2)  # two
if x: \
    y = 1
# at the end
# want: ok

# case: statements
assert x, 'no'
raise A from b
del a, b[0], (c, d)
def f():
    global a, b
    pass
# want: ok

# case: walrus
if (n := 10) > 5 and [m := 1, m]: pass
f(x := 1)
# want: ok

# case: odd but legal
x = not-1
y = (yield_ for yield_ in ())
print
print(x)
_ = __ = É = 1
# want: ok
