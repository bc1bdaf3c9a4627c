# Kernels, their parameters, and the configs that autotune names.

# case: which functions are kernels
import triton
import triton.language as tl
from triton import jit
from triton.runtime import jit as compiled
import numba
@triton.jit
def a(x, B: tl.constexpr): b(x)
@jit
def b(x): pass
@triton.jit(noinline=True)
def c(x, y: "tl.constexpr" = 3): pass
@numba.jit
def no(x): pass
def make():
    @triton.jit
    def inner(x): pass
    return inner
class K:
    @triton.jit
    def method(x): pass
def run(x):
    a[(1,)](x, B=3)
# ask: functions
# want: a(x, constexpr B) launched
# want: b(x)
# want: c(x, constexpr y) launched
# want: inner(x) launched
# want: method(x) launched

# case: configs as a list
import triton
@triton.autotune(configs=[triton.Config({'B': 32}, num_warps=2), triton.Config({'B': 64, 'E': True}, num_stages=4)], key=['n'])
@triton.jit
def k(x, n, B, E): pass
# ask: configs k
# want: B=32 warps 2 stages 0
# want: B=64 E=True warps 0 stages 4

# case: configs as a comprehension
import triton
@triton.autotune([triton.Config({'M': m, 'N': n}, num_warps=w) for m in [16, 32] for n in (64,) for w in range(1, 3) if m < n], ['n'])
@triton.jit
def k(x, n, M, N): pass
# ask: configs k
# want: M=16 N=64 warps 1 stages 0
# want: M=16 N=64 warps 2 stages 0
# want: M=32 N=64 warps 1 stages 0
# want: M=32 N=64 warps 2 stages 0

# case: configs of a function with append
import triton
def configs():
    out = []
    for b in [1, 2]:
        if b == 2:
            out.append(triton.Config({'B': b}, num_warps=4))
    return out
@triton.autotune(configs=configs(), key=[])
@triton.jit
def k(x, B): pass
# ask: configs k
# want: B=2 warps 4 stages 0

# case: configs of a module-level list that grows
import triton
from itertools import product
LIST = []
for a, b in product([1, 2], [3]):
    LIST.append(triton.Config({'A': a, 'B': b}))
LIST += [triton.Config({'A': 9, 'B': 9}, num_warps=8)]
@triton.autotune(configs=LIST, key=[])
@triton.jit
def k(x, A, B): pass
# ask: configs k
# want: A=1 B=3 warps 0 stages 0
# want: A=2 B=3 warps 0 stages 0
# want: A=9 B=9 warps 8 stages 0

# case: configs that only Python can make
import triton
import somewhere
@triton.autotune(configs=somewhere.configs(), key=[])
@triton.jit
def k(x, B): pass
# ask: configs k
# want: 3:26: not supported: these configs cannot be evaluated without Python: 'somewhere.configs()' is not known
# want: help: give the constants of the kernel yourself

# case: no configs
import triton
@triton.jit
def k(x): pass
# ask: configs k
# want: no configs

# case: configs that a function of the file keeps or drops
import triton
def keep(config):
    if config.kwargs["B"] * config.num_warps > 128:
        return False
    return True
CONFIGS = [triton.Config({"B": b}, num_warps=w) for b in (16, 32) for w in (4, 8)]
@triton.autotune(list(filter(keep, CONFIGS)), key=[])
@triton.jit
def k(x, B): pass
# ask: configs k
# want: B=16 warps 4 stages 0
# want: B=16 warps 8 stages 0
# want: B=32 warps 4 stages 0

# case: configs with each option
import triton
A = {'M': 1}
@triton.autotune(key=[], configs=[triton.Config(A, num_warps=1, num_stages=1), triton.Config({**A, 'N': 'text', 'T': (1, 2), 'F': 0.5, 'D': None}, 8, 5), triton.Config(kwargs={}, num_stages=2, num_ctas=1, pre_hook=None), triton.Config({'M': 2}, num_warps=0), triton.Config({'M': 3}, num_warps=1023), triton.Config({'M': 4}, num_warps=1024), triton.Config({'M': 5}, num_warps=True)])
@triton.jit
def k(x, M, N, T, F, D): pass
# ask: configs k
# want: M=1 warps 1 stages 1
# want: M=1 N='text' T=(1, 2) F=0.5 D=None warps 8 stages 5
# want: warps 0 stages 2
# want: M=2 warps 0 stages 0
# want: M=3 warps 1023 stages 0
# want: M=4 warps 0 stages 0
# want: M=5 warps 1 stages 0

# case: configs of dtypes
import triton
import triton.language as tl
@triton.autotune(configs=(triton.Config({'T': tl.float16}), triton.Config({'T': tl.int8})), key=[])
@triton.jit
def k(x, T): pass
# ask: configs k
# want: T=fp16 warps 0 stages 0
# want: T=int8 warps 0 stages 0

# case: configs that are none
import triton
@triton.autotune(key=['n'])
@triton.jit
def a(x): pass
@triton.autotune(configs=5, key=[])
@triton.jit
def b(x): pass
@triton.autotune(configs=[5], key=[])
@triton.jit
def c(x): pass
@triton.autotune(configs=[triton.Config({1: 2})], key=[])
@triton.jit
def d(x): pass
@triton.autotune(configs=[triton.Config({'M': unknown})], key=[])
@triton.jit
def e(x): pass
@triton.autotune(configs=[triton.Config({'M': 1}, num_warps=unknown)], key=[])
@triton.jit
def f(x): pass
@triton.autotune(configs=[triton.Config({'M': 1}, num_stages=unknown[1])], key=[])
@triton.jit
def g(x): pass
@triton.autotune(configs=[triton.Config(5)], key=[])
@triton.jit
def h(x): pass
@triton.autotune(configs=[triton.Config({'M': 1}), 1 // 0], key=[])
@triton.jit
def i(x): pass
@triton.autotune
@triton.jit
def j(x): pass
@triton.autotune(configs=[triton.Config({'M': [1, unknown]})], key=[])
@triton.jit
def l(x): pass
@triton.autotune(configs=[], key=[])
@triton.jit
def m(x): pass
# ask: configs a
# ask: configs b
# ask: configs c
# ask: configs d
# ask: configs e
# ask: configs f
# ask: configs g
# ask: configs h
# ask: configs i
# ask: configs j
# ask: configs l
# ask: configs m
# ask: configs none
# want: 2:2: error: autotune needs configs
# want: 5:26: not supported: these configs cannot be evaluated without Python
# want: help: give the constants of the kernel yourself
# want: 8:26: not supported: these configs cannot be evaluated without Python
# want: help: give the constants of the kernel yourself
# want: 11:26: not supported: these configs cannot be evaluated without Python
# want: help: give the constants of the kernel yourself
# want: 14:47: not supported: these configs cannot be evaluated without Python: 'unknown' is not known
# want: help: give the constants of the kernel yourself
# want: 17:61: not supported: these configs cannot be evaluated without Python: 'unknown' is not known
# want: help: give the constants of the kernel yourself
# want: 20:62: not supported: these configs cannot be evaluated without Python: 'unknown[1]' is not known
# want: help: give the constants of the kernel yourself
# want: 23:26: not supported: these configs cannot be evaluated without Python
# want: help: give the constants of the kernel yourself
# want: 26:52: error: division by zero
# want: 26:26: not supported: these configs cannot be evaluated without Python
# want: help: give the constants of the kernel yourself
# want: no configs
# want: 32:51: not supported: these configs cannot be evaluated without Python: 'unknown' is not known
# want: help: give the constants of the kernel yourself
# want: no configs
# want: no such kernel

# case: which decorator makes a kernel
import triton
import triton.runtime as rt
from triton.runtime import jit
from triton import jit as compiled
import triton.experimental.gluon as gluon
import torch
import jax
from other import jit as strange
@jit
def a(x): pass
@jit(noinline=True)
def b(x): pass
@compiled
def c(x): pass
@rt.jit
def d(x): pass
@rt.autotuner.jit
def e(x): pass
@gluon.jit
def f(x): pass
@torch.jit.script
def g(x): pass
@jax.jit
def h(x): pass
@strange
def i(x): pass
@triton.jit()
def j(x): pass
@triton.heuristics({})
@triton.jit
def k(x): pass
@triton.testing.perf_report
def l(x): pass
@jit.other
def m(x): pass
@unknown.jit
def n(x): pass
# ask: functions
# want: a(x) launched
# want: b(x) launched
# want: d(x) launched
# want: e(x) launched
# want: j(x) launched
# want: k(x) launched

# case: jit of numba and jax by its bare name
from numba import jit
@jit
def a(x): pass
# ask: functions
# want: ok

# case: jit of jax by its bare name
from jax import jit
@jit
def a(x): pass
# ask: functions
# want: ok

# case: jit of gluon by its bare name
from triton.experimental.gluon import jit
@jit
def a(x): pass
# ask: functions
# want: ok

# case: kernels anywhere in the file
import triton
if True:
    @triton.jit
    def a(x): pass
else:
    @triton.jit
    def b(x): pass
try:
    @triton.jit
    def c(x): pass
except ImportError:
    @triton.jit
    def d(x): pass
finally:
    @triton.jit
    def e(x): pass
for i in range(2):
    @triton.jit
    def f(x): pass
while False:
    @triton.jit
    def g(x): pass
with open('x') as y:
    @triton.jit
    def h(x): pass
class C:
    class D:
        @triton.jit
        def i(x): pass
def outer():
    def inner():
        @triton.jit
        def j(x): pass
        return j
    return inner
# ask: functions
# want: a(x) launched
# want: b(x) launched
# want: c(x) launched
# want: e(x) launched
# want: d(x) launched
# want: f(x) launched
# want: g(x) launched
# want: h(x) launched
# want: i(x) launched
# want: j(x) launched

# case: triton.jit as a call
import triton
def a(x): pass
def b(x, n: 'tl.constexpr'): pass
def c(x): pass
def d(x): pass
@triton.jit
def e(x): pass
fast = triton.jit(a)
faster = triton.jit(do_not_specialize=['n'])(b)
tuned = triton.autotune(configs=[], key=[])(triton.jit(c))
same = triton.jit(e)
odd = triton.jit(5)
twice = other = triton.jit(d)
no = triton.jit(nobody)
def make():
    def inner(x, y): pass
    return triton.jit(inner)
def make_outer():
    return triton.jit(d)
x.y = triton.jit(d)
# ask: functions
# want: e(x) launched
# want: fast(x) launched
# want: faster(x, constexpr n) launched
# want: tuned(x) launched
# want: inner(x, y) launched
# want: d(x) launched

# case: what is launched and what is called
import triton
import triton.language as tl
@triton.jit
def helper(a): return a
@triton.jit
def combine(a, b): return a + b
@triton.jit
def both(x): helper(x)
@triton.jit
def kernel(x): both(helper(x)); tl.reduce(x, 0, combine)
@triton.jit
def method(x): pass
@triton.jit
def kept(x): [helper(i) for i in (unused(1),)] if called(x) else -assigned(x)
@triton.jit
def unused(x): pass
@triton.jit
def called(x): pass
@triton.jit
def assigned(x): pass
@triton.jit
def alone(x): pass
def run(x):
    both[(1, )](x)
    lib.method[(2, )](x)
    assert alone(x)
    if x:
        helper[(1,)](x)
# ask: functions
# want: helper(a) launched
# want: combine(a, b)
# want: both(x) launched
# want: kernel(x) launched
# want: method(x) launched
# want: kept(x) launched
# want: unused(x)
# want: called(x)
# want: assigned(x)
# want: alone(x) launched

# case: constexpr in its forms
import triton
import triton.language as tl
from triton.language import constexpr
@triton.jit
def a(a: tl.constexpr, b: constexpr, c: 'tl.constexpr', d: "constexpr", e: tl.constexpr[int], f: tl.int32, g: 'constexpr_not', h: tl.constexpr = 3, i=4, *j, **k): pass
# ask: functions
# want: a(constexpr a, constexpr b, constexpr c, constexpr d, constexpr e, f, g, constexpr h, i, j, k) launched

# case: a name that an if decides
import torch
A = 1
if A > 5:
    B = 'far'
elif A > 0:
    B = 'near'
else:
    B = 'none'
if A > 5: C = 1
else: C = 2
if torch.x == 'x':
    D = 'x'
else:
    D = 'y'
if A:
    if A == 2: E = 1
    else: E = 2
else:
    E = 3
F = 0
if A == 1:
    F = 5
G = 0
if torch.x: G = 5
if torch.x: H = 6
if not A: I = 1
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# ask: value F
# ask: value G
# ask: value H
# ask: value I
# want: 'near'
# want: 2
# want: <host value 'D', bound on line 12 or line 14 (only a run tells which),>
# want: 2
# want: 5
# want: <host value 'G', bound on line 23 or line 24 (only a run tells which),>
# want: 6
# want: not defined

# case: a name that try decides
try:
    import triton
    A = 1
except ImportError:
    A = 2
try:
    B = 1
except Exception:
    B = 2
else:
    C = 3
finally:
    D = 4
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# want: 1
# want: 1
# want: 3
# want: 4

# case: names step by step, against Python
A = []
for i in range(3):
    for j in range(i):
        A.append((i, j))
B = {}
for k, v in enumerate('ab'):
    B[v] = k
B.update({'c': 9})
C = [0] * 3
C[1] = 5
C[-1] = 7
D = 1
D += 2
D *= 3
E = [1]
E += [2]
E.extend((3, 4))
i2 = 0
while i2 < 3:
    i2 += 1
F = 5
F = F + F
G = H = [1]
H.append(2)
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# ask: value i2
# ask: value F
# want: [(1, 0), (2, 0), (2, 1)]
# want: {'a': 0, 'b': 1, 'c': 9}
# want: [0, 5, 7]
# want: 9
# want: [1, 2, 3, 4]
# want: 3
# want: 10

# case: names that functions set are not known
A = 1
def f():
    global A, B
    A = 2
B = 3
def g():
    if True:
        global C
        C = 1
C = 4
class K:
    def h(self):
        global D
D = 5
E = 6
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# want: <host value the value of 'A'>
# want: <host value the value of 'B'>
# want: <host value the value of 'C'>
# want: <host value the value of 'D'>
# want: 6

# case: unpacking of names
A, B = 1, 2
(C, [D, E]), F = (1, (2, 3)), 4
G, H = [5, 6]
I, J = (1, 2, 3)
K, L = unknown
M = N = 7
O, *P = 1, 2, 3
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# ask: value F
# ask: value G
# ask: value H
# ask: value I
# ask: value K
# ask: value L
# ask: value M
# ask: value N
# want: 1
# want: 2
# want: 1
# want: 2
# want: 3
# want: 4
# want: 5
# want: 6
# want: <host value the value of 'I'>
# want: <host value the value of 'K'>
# want: <host value the value of 'L'>
# want: 7
# want: 7

# case: deleted, looped and written names
A = 1
del A
for B in range(3): pass
for C, D in [(1, 2)]: pass
E = [1, 2]
E[0] = 9
F = 5
F.x = 3
with open('x') as G: pass
import os.path as H
H2 = os
# ask: value B
# ask: value C
# ask: value E
# ask: value F
# ask: value G
# want: 2
# want: 1
# want: [9, 2]
# want: 5
# want: not defined

# case: imported names
import triton, math
import triton.language as tl
from triton.language import float16, constexpr as ce
from math import pi, floor as down
import collections.abc
from nowhere import thing
from . import sibling
A = tl.float16 == float16
B = ce(5) + 1
C = pi > 3, down(2.5), math.ceil(1.5)
D = thing
E = sibling
F = tl.nothing
G = math.nothing
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# ask: value F
# ask: value G
# want: True
# want: 6
# want: (True, 2, 2)
# want: <host value 'thing' of the module 'nowhere'>
# want: <host value the imported name 'sibling'>
# want: <host value 'tl.nothing'>
# want: <host value 'math.nothing'>

# case: names of a star
from math import *
A = pi > 3, floor(2.5)
B = nothing
# ask: value A
# ask: value B
# want: (True, 2)
# want: <host value 'nothing'>

# case: do_not_specialize
import triton
@triton.jit(do_not_specialize=['n', 2], do_not_specialize_on_alignment=['p'])
def k(p, n, m, l): pass
# ask: sig k *fp32:16,i32,i32,i32
# want: p:*fp32/16 n:i32/1 m:i32/1 l:i32/1
