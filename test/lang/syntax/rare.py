# What is rarely written in a file of kernels: names that are bound again, functions in functions, rules
# that choose parameters, letters of each length.

# case: letters of each length
A = '\x7f\x80\u07ff\u0800\uffff\U00010000\U0010ffff'
'é€😀'
b'\x7f\0\177\12z'
'\0\7\77\377\777'
# ask: tree
# want: 1:1 assign
# want:   name A
# want:   string "\x7f߿ࠀ￿𐀀􏿿"
# want: 2:1 expression
# want:   string "é€😀"
# want: 3:1 expression
# want:   bytes "\x7f\x00\x7f\nz"
# want: 4:1 expression
# want:   string "\x00\x07?ÿǿ"

# case: a character's name in an f-string is no expression
f'\N{EM DASH}'
# want: ok

# case: a condition of a comprehension is no walrus without brackets
[y for x in z if y := x]
# want: 1:20: error: expected ',' or ']' after an item of the list, saw ':='

# case: a condition of a comprehension is no lambda
[x for x in y if lambda: 1]
# want: 1:18: error: expected an expression, saw 'lambda'

# case: a condition of a comprehension may be a walrus in brackets
A = [y for x in (1, 2, 3) if (y := x * 2) > 2]
# ask: value A
# want: <host value '(y := x * 2) > 2'>

# case: a name that is made from itself
A = [1, 2, 3]
A = [a * 2 for a in A]
A = A[1:]
A = (A, sum(x for x in A if x > 4))
A = {'a': A}
B = 1
B = [x for x in (B, 2)]
C = 2
C = (1, [C])
D = 3
D = max(D, 1)
E = 4
E = {k: 1 for k in (E,)}
F = 5
F = 0 if F > 4 else 1
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# ask: value F
# want: {'a': ([4, 6], 6)}
# want: [1, 2]
# want: (1, [2])
# want: 3
# want: {4: 1}
# want: 0

# case: functions, classes and modules under one name, one after the other
def A(x):
    return x + 1
A = A(2)
A = [A, A]
import math as B
B = B.pi
# ask: value A
# ask: value B
# want: [3, 3]
# want: 3.141592653589793

# case: a name of a loop, or none any more
for A in range(3):
    pass
B = 1
del B
C = 1
C += 2
[D, (E, F)] = 1, (2, 3)
G, *H = 1, 2, 3
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value F
# ask: value H
# want: 2
# want: <host value the value of 'B'>
# want: 3
# want: 1
# want: 3
# want: <host value the value of 'H'>

# case: names that do not fit their values
A, B = 1, 2, 3
(C, D), E = 1, 2
F = [x for x, y in [1, 2]]
G = [x for x, y in [(1, 2, 3)]]
# ask: value A
# ask: value C
# ask: value F
# ask: value G
# want: <host value the value of 'A'>
# want: <host value the value of 'C'>
# want: [<host value 'x'>, <host value 'x'>]
# want: <host value '[x for x, y in [(1, 2, 3)]]'>

# case: dicts that grow in a function
def f():
    d = {'a': 1, 'b': 2}
    d |= {'b': 3, 'c': 4}
    d.update({'e': 5})
    d['a'] += 10
    return d
def g():
    d = {}
    d.update(5)
    return d
def h():
    d = []
    d.extend(5)
    return d
A = f()
B = g()
C = h()
# ask: value A
# ask: value B
# ask: value C
# want: {'a': 11, 'b': 3, 'c': 4, 'e': 5}
# want: <host value the result of 'g'>
# want: <host value the result of 'h'>

# case: a lambda in a function keeps what is around it
def f(n):
    k = n * 2
    g = lambda x: lambda y: x + y + k
    return g(1)(2), [h(3) for h in [lambda x: x * k]]
A = f(5)
# ask: value A
# want: (13, [30])

# case: ranges have fields
A = range(2, 9, 3)
B = A.start, A.stop, A.step, range(4).start, range(4).stop, range(4).step
C = A.count
# ask: value B
# ask: value C
# want: (2, 9, 3, 0, 4, 1)
# want: <host value 'A.count'>

# case: truth of ranges
def f(r):
    if r:
        return 1
    return 0
A = f(range(0)), f(range(1)), f(range(1, 1)), f(range(2, 1)), f(range(2, 1, -1)), f(range(1, 2, -1)), f(range(0, 5, 9)), f(range(5, 5, -1))
B = not range(0), not range(3), bool(range(2)), bool(range(0, -3))
# ask: value A
# ask: value B
# want: (0, 1, 0, 0, 1, 0, 1, 0)
# want: (True, False, True, False)

# case: large numbers that are written with each base
A = 0x1_0000_0000_0000_0000, 0X1f_ffff_ffff_ffff_ffff, 0o7_000_000_000_000_000_000_000, 0b1 + (1 << 70), 100_000_000_000_000_000_000, 1_8446744073709551616
# ask: value A
# want: (18446744073709551616, 590295810358705651711, 64563604257983430656, 1180591620717411303425, 100000000000000000000, 18446744073709551616)

# case: a call of what is not known
A = list(map(unknown, [1]))
B = [unknown(1)]
C = unknown.part(1).more
# ask: value A
# ask: value B
# ask: value C
# want: [<host value the result of a call>]
# want: [<host value 'unknown(1)'>]
# want: <host value 'unknown.part(1).more'>

# case: objects that are the same
def f(): pass
def g(): pass
class K: pass
class L: pass
import math, os
A = [f is f, f is g, f == f, f == g, K is K, K is L, math is math, math is os, len is len, len is max, ... is ..., 'a' is 'a', 1 is 1, True is True, True is False, 1.5 is None, (1,) is None]
# ask: value A
# want: [True, False, True, False, True, False, True, <host value 'math is os'>, True, False, <host value '... is ...'>, True, True, True, False, False, False]

# case: the library and the machine at compile time
import triton
import triton.language as tl
import torch
A = triton.__version__
B = torch.version.hip, torch.version.xpu
C = torch.version.cuda
D = tl.cdiv(9, 4), triton.cdiv(8, 4), triton.next_power_of_2(5)
E = tl.zeros((4,), tl.float32)
F = torch.nothing
G = tl.PropagateNan.ALL, tl.PropagateNan.NONE
H = torch.float16.itemsize, torch.float64.is_floating_point, torch.int8.is_floating_point, torch.bool.itemsize
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# ask: value F
# ask: value G
# ask: value H
# want: '3.6.0'
# want: (None, None)
# want: <host value 'cuda' of the module 'torch.version'>
# want: (3, 2, 8)
# want: <host value the result of 'zeros'>
# want: <host value 'nothing' of the module 'torch'>
# want: (65535, 0)
# want: (2, True, False, 1)

# case: methods of an aggregate in Python
import triton
import triton.language as tl
@triton.aggregate
class Scale:
    by: tl.constexpr
    def times(self, x, y=1):
        return (self.by, x, y)
    def __hidden(self):
        return self.by
S = Scale(3)
A = S.times(2), S.times(2, y=5), S.times(x=1, y=2), S.times(y=7, x=8)
# ask: value S
# ask: value A
# want: Scale(by=3)
# want: ((3, 2, 1), (3, 2, 5), (3, 1, 2), (3, 8, 7))

# case: rules choose what is not given
import triton
@triton.heuristics(values={'B': lambda args: args['n'] * 2, 'C': lambda args: args['B'] > 8, 'D': lambda args: 'x' if args['p'] is not None else 'y', 'nobody': lambda args: 1 // 0})
@triton.jit
def k(p, n, B, C, D, E=3): pass
# ask: heuristics k p=1 n=3
# ask: heuristics k p=None n=5
# ask: heuristics k p=1 n=3 B=64
# ask: heuristics k p=1 n=4 C=False D='z'
# want: p n B=6 C=False D='x' E
# want: p n B=10 C=True D='y' E
# want: p n B C=True D='x' E
# want: p n B=8 C D E

# case: rules that only Python knows, or that fail
import triton
@triton.heuristics({'B': lambda args: unknown(args['n'])})
@triton.jit
def a(n, B): pass
@triton.heuristics({'B': lambda args: 1 // args['n']})
@triton.jit
def b(n, B): pass
@triton.heuristics(rules())
@triton.jit
def c(n, B): pass
@triton.heuristics({'B': 5})
@triton.jit
def d(n, B): pass
@triton.heuristics()
@triton.jit
def e(n, B): pass
@triton.jit
def f(n, B): pass
# ask: heuristics a n=1
# ask: heuristics b n=0
# ask: heuristics b n=1
# ask: heuristics c n=1
# ask: heuristics d n=1
# ask: heuristics e n=1
# ask: heuristics f n=1
# ask: heuristics b n=1+
# want: 2:20: not supported: the heuristic for 'B' cannot be evaluated without Python
# want: help: give 'B' yourself
# want: 5:39: error: division by zero
# want: n B=1
# want: 8:20: not supported: these heuristics cannot be evaluated without Python
# want: 11:20: not supported: the heuristic for 'B' cannot be evaluated without Python
# want: help: give 'B' yourself
# want: n B
# want: n B
# want: 1:3: error: expected an expression, saw end of file

# case: what a kernel in a function sees of it
import triton
def make(n=4, m=None):
    import math as ma
    from math import inf
    k = n * 2
    twice = k
    twice = 3
    def add(x):
        return x + k
    if n:
        inside = 5
    @triton.autotune([triton.Config({'B': k, 'C': add(1), 'D': (lambda x: x * k)(3), 'E': inside, 'F': ma.pi, 'G': inf > 3, 'H': m})], key=[])
    @triton.jit
    def kernel(x, B, C, D, E, F, G, H): pass
    @triton.autotune([triton.Config({'B': twice})], key=[])
    @triton.jit
    def other(x, B): pass
    return kernel, other
# ask: configs kernel
# ask: configs other
# want: B=8 C=9 D=24 E=5 F=3.141592653589793 G=True H=None warps 0 stages 0
# want: 15:22: not supported: these configs cannot be evaluated without Python: the variable 'twice' of 'make' is not known
# want: help: give the constants of the kernel yourself

# case: kernels that stand at a line
import triton
if triton.knows:
    @triton.jit
    def k(x, A): pass
else:
    @triton.jit
    def k(x, B): pass
def make():
    @triton.jit
    def k(x, C): pass
    return k
# ask: sig k@3 i32,1
# ask: sig k@4 i32,1
# ask: sig k@5 i32,1
# ask: sig k@6 i32,1
# ask: sig k@7 i32,1
# ask: sig k@9 i32,1
# ask: sig k@10 i32,1
# ask: sig k i32,1
# want: x:i32/1 A=1
# want: x:i32/1 A=1
# want: no such kernel
# want: x:i32/1 B=1
# want: x:i32/1 B=1
# want: x:i32/1 C=1
# want: x:i32/1 C=1
# want: no such kernel
