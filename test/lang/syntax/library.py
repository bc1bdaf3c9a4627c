# Python's functions and methods at compile time, against Python's own answers. What is not certain
# is a host value: never another answer.

# case: format with names, numbers and the next one
A = '{}-{}'.format(1, 'a'), '{1}{0}{1}'.format('x', 2.5), '{a}{b}{a}'.format(a=1, b=(2,)), '{{}}{}'.format(None), 'x'.format(), '{}'.format([1, 'q'])
B = '{0}{k}'.format(1, k=2), '{k}{}'.format(5, k=6), '{}{k}{}'.format(1, 2, k=3), '}}{{'.format(), '{10}'.format(*range(11)), '{12}{2}'.format(*range(20))
# ask: value A
# ask: value B
# want: ('1-a', '2.5x2.5', '1(2,)1', '{}None', 'x', "[1, 'q']")
# want: ('12', '65', '132', '}{', '10', '122')

# case: format that Python refuses, or that is not certain
A = '{}'.format()
B = '{2}'.format(1, 2)
C = '{k}'.format(1)
D = '}'.format()
E = '{'.format(1)
F = '{:x}'.format(1)
G = '{0.real}'.format(1)
H = '{99999}'.format(1)
I = '{-1}'.format(1)
J = '{'.format()
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# ask: value F
# ask: value G
# ask: value H
# ask: value I
# ask: value J
# want: <host value ''{}'.format()'>
# want: <host value ''{2}'.format(1, 2)'>
# want: <host value ''{k}'.format(1)'>
# want: <host value ''}'.format()'>
# want: <host value ''{'.format(1)'>
# want: <host value ''{:x}'.format(1)'>
# want: <host value ''{0.real}'.format(1)'>
# want: <host value ''{99999}'.format(1)'>
# want: <host value ''{-1}'.format(1)'>
# want: <host value ''{'.format()'>

# case: join
A = ', '.join(['a', 'b', 'c']), ''.join(('x',)), '-'.join([]), '+'.join('abc'), ' '.join({'k': 1, 'l': 2}), 'ab'.join(['', '']), ''.join(['', 'q', ''])
B = ','.join([1])
C = ','.join(5)
# ask: value A
# ask: value B
# ask: value C
# want: ('a, b, c', 'x', '', 'a+b+c', 'k l', 'ab', 'q')
# want: <host value '','.join([1])'>
# want: <host value '','.join(5)'>

# case: split
A = [t.split() for t in ('', ' ', 'a', ' a', 'a ', 'a b', '  a   b  ', 'a\tb\nc\r\nd', '\v\fa\x0bb')]
B = [t.split(',') for t in ('', ',', 'a', 'a,', ',a', 'a,b', ',,a,,b', 'a, b')]
C = [t.split('ab') for t in ('', 'ab', 'abab', 'xabyab', 'aab', 'aba', 'ba')]
D = 'a b'.split('')
E = 'a b'.split(1)
F = 'a,b,c'.split(',', 1)
G = 'a b'.split(None)
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# ask: value F
# ask: value G
# want: [[], [], ['a'], ['a'], ['a'], ['a', 'b'], ['a', 'b'], ['a', 'b', 'c', 'd'], ['a', 'b']]
# want: [[''], ['', ''], ['a'], ['a', ''], ['', 'a'], ['a', 'b'], ['', '', 'a', '', 'b'], ['a', ' b']]
# want: [[''], ['', ''], ['', '', ''], ['x', 'y', ''], ['a', ''], ['', 'a'], ['ba']]
# want: <host value ''a b'.split('')'>
# want: <host value ''a b'.split(1)'>
# want: <host value ''a,b,c'.split(',', 1)'>
# want: <host value ''a b'.split(None)'>

# case: strip
A = [(t.strip(), t.lstrip(), t.rstrip()) for t in ('', ' ', 'a', ' a ', '\t\n a b \r\n', '\x0b\x0cx\x1f', '  a', 'a  ', '\x0ea\x08')]
B = 'xax'.strip('x')
# ask: value A
# ask: value B
# want: [('', '', ''), ('', '', ''), ('a', 'a', 'a'), ('a', 'a ', ' a'), ('a b', 'a b \r\n', '\t\n a b'), ('x', 'x\x1f', '\x0b\x0cx'), ('a', 'a', '  a'), ('a', 'a  ', 'a'), ('\x0ea\x08', '\x0ea\x08', '\x0ea\x08')]
# want: <host value ''xax'.strip('x')'>

# case: replace
A = [t.replace('a', 'b') for t in ('', 'a', 'aa', 'bab', 'c')], [t.replace('aa', 'a') for t in ('a', 'aa', 'aaa', 'aaaa', 'baab')], 'abc'.replace('b', ''), 'abc'.replace('abc', 'x'), 'abcd'.replace('bcde', 'x')
B = 'ab'.replace('', '-')
C = 'ab'.replace('a', 1)
D = 'aaa'.replace('a', 'b', 1)
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# want: (['', 'b', 'bb', 'bbb', 'c'], ['a', 'a', 'aa', 'aa', 'bab'], 'ac', 'x', 'abcd')
# want: <host value ''ab'.replace('', '-')'>
# want: <host value ''ab'.replace('a', 1)'>
# want: <host value ''aaa'.replace('a', 'b', 1)'>

# case: case and ends
A = [(t.upper(), t.lower()) for t in ('', 'abcxyz', 'ABCXYZ', 'aZ09_-@[`{', 'mixed Case')]
B = [(t.startswith('ab'), t.endswith('ab'), t.startswith(''), t.endswith('')) for t in ('', 'a', 'ab', 'abc', 'cab', 'abcab', 'ba')]
# ask: value A
# ask: value B
# want: [('', ''), ('ABCXYZ', 'abcxyz'), ('ABCXYZ', 'abcxyz'), ('AZ09_-@[`{', 'az09_-@[`{'), ('MIXED CASE', 'mixed case')]
# want: [(False, False, True, True), (False, False, True, True), (True, True, True, True), (True, False, True, True), (False, True, True, True), (True, True, True, True), (False, False, True, True)]

# case: filter, map, zip, enumerate
A = list(filter(None, [0, 1, '', 'a', (), (0,)])), list(filter(lambda v: v % 2, range(7))), list(map(lambda v: v + 1, (1, 2))), list(map(lambda a, b, c: a + b * c, [1, 2, 3], (4, 5), [6, 7, 8]))
B = list(zip()), list(zip([1, 2])), list(zip([1, 2], 'ab', (None, True))), list(zip('abc', [1])), list(zip([], [1]))
C = list(enumerate('ab')), list(enumerate([5, 6], 3)), list(enumerate((), 1)), list(enumerate('a', -2)), list(enumerate({'k': 1}))
D = filter(lambda v: v)
E = enumerate([1], 'a')
F = map(lambda v: v)
G = list(filter(lambda v: unknown(v), [1]))
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# ask: value F
# ask: value G
# want: ([1, 'a', (0,)], [1, 3, 5], [2, 3], [25, 37])
# want: (<host value 'list(zip())'>, [(1,), (2,)], [(1, 'a', None), (2, 'b', True)], [('a', 1)], [])
# want: ([(0, 'a'), (1, 'b')], [(3, 5), (4, 6)], [], [(-2, 'a')], [(0, 'k')])
# want: <host value 'filter(lambda v: v)'>
# want: <host value 'enumerate([1], 'a')'>
# want: <host value 'map(lambda v: v)'>
# want: <host value 'list(filter(lambda v: unknown(v), [1]))'>

# case: zip of many
N = [1, 2]
A = list(zip(N, N, N, N, N, N, N, N))
B = list(zip(N, N, N, N, N, N, N, N, N))
# ask: value A
# ask: value B
# want: [(1, 1, 1, 1, 1, 1, 1, 1), (2, 2, 2, 2, 2, 2, 2, 2)]
# want: <host value 'list(zip(N, N, N, N, N, N, N, N, N))'>

# case: sorted, reversed, sum, any, all
A = sorted([3, 1, 2, 1]), sorted('hello'), sorted([2.5, 1, 2, -1]), sorted([(2, 'a'), (1, 'z'), (1, 'b')]), sorted([]), sorted({'b': 1, 'a': 2}), sorted([True, 0, 2])
B = list(reversed([1, 2, 3])), list(reversed('ab')), list(reversed(())), list(reversed(range(4)))
C = sum([]), sum([1, 2, 3]), sum((0.5, 1)), sum([1], 10), sum([[1], [2]], []), sum([(1,), (2, 3)], ()), sum(range(5)), sum([True, True])
D = any([]), all([]), any([0, 0]), any([0, 1]), any([1, 0]), all([1, 1]), all([1, 0]), all([0, 1]), any('a'), all([()]), any({0: 1}), all({1: 0})
E = sorted([1, 2], reverse=True)
F = sum([1], 2, 3)
G = any(5)
H = sum(['a'])
I = any([unknown])
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# ask: value F
# ask: value G
# ask: value H
# ask: value I
# want: ([1, 1, 2, 3], ['e', 'h', 'l', 'l', 'o'], [-1, 1, 2, 2.5], [(1, 'b'), (1, 'z'), (2, 'a')], [], ['a', 'b'], [0, True, 2])
# want: ([3, 2, 1], ['b', 'a'], [], [3, 2, 1, 0])
# want: (0, 6, 1.5, 11, [1, 2], (1, 2, 3), 10, 2)
# want: (False, True, False, True, True, True, False, False, True, False, False, True)
# want: <host value 'sorted([1, 2], reverse=True)'>
# want: <host value 'sum([1], 2, 3)'>
# want: <host value 'any(5)'>
# want: <host value 'sum(['a'])'>
# want: <host value 'any([unknown])'>

# case: set, dict, list, tuple
A = set([1, 2, 1]) == {1, 2}, len(set('hello')), len(set()), sorted(set((3, 1, 3))), set([1]) == {1}
B = dict(), dict(a=1, b=2), dict({1: 2}, a=3), dict({'a': 1}, a=2), dict({})
C = list((1, 2)), list('ab'), list({1: 2, 3: 4}), list(range(2)), tuple([1, 2]), tuple('ab'), tuple({5: 6}), tuple(range(1, 4)), list([]), tuple(())
D = dict([(1, 2)])
E = set([1], [2])
F = list(5)
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# ask: value F
# want: (True, 4, 0, [1, 3], True)
# want: ({}, {'a': 1, 'b': 2}, {1: 2, 'a': 3}, {'a': 2}, {})
# want: ([1, 2], ['a', 'b'], [1, 3], [0, 1], (1, 2), ('a', 'b'), (5,), (1, 2, 3), [], ())
# want: <host value 'dict([(1, 2)])'>
# want: <host value 'set([1], [2])'>
# want: error
# want: 6:5: error: list() of int is not supported

# case: methods of dicts
D = {'a': 1, 2: 'b', (3,): None}
A = D.get('a'), D.get(2), D.get((3,), 5), D.get('x'), D.get('x', 7), D.get('a', 7)
B = list(D.keys()), list(D.values()), list(D.items()), [k for k in D], [v for k, v in D.items()], len(D), D['a'], D[2], D[(3,)], 'a' in D, 1 in D
C = D.get()
# ask: value A
# ask: value B
# ask: value C
# want: (1, 'b', None, None, 7, 1)
# want: (['a', 2, (3,)], [1, 'b', None], [('a', 1), (2, 'b'), ((3,), None)], ['a', 2, (3,)], [1, 'b', None], 3, 1, 'b', None, True, False)
# want: <host value 'D.get()'>

# case: numbers
A = [int(v) for v in (0, -3, True, 2.9, -2.9, 0.0, 1e20, '12', '-7', '+5', '007')], [float(v) for v in (1, -2, True, 0.5, '1.5', '-2e3', 'inf', '-Inf', 'Infinity', '+inf', '1e400', '  2')]
B = [bool(v) for v in (0, 1, -1, 0.0, 0.5, '', 'a', (), (0,), [], {}, {0: 0}, None)], [str(v) for v in (0, -1, 1.5, True, None, (1,), [1, 'a'], 'x', {1: 2})]
C = [abs(v) for v in (0, -3, 3, True, -2.5, 2.5, -0.0, -2 ** 70)], [round(v) for v in (0, -3, 0.5, 1.5, 2.5, -0.5, -1.5, 2.49, -2.51, 1e20, True)]
D = min(3, 1, 2), max(3, 1, 2), min([2, 1]), max((1, 2)), min('b', 'a'), max('b', 'a'), min(1, 1.0), max(1, 1.0), max(True, 1), min(2.5, -1), max([[1], [2]]), min((1, 2), (1, 1)), min(7, 7.5, 6.5), max(-1, -2, -3)
F = [len(v) for v in ('', 'ab', (), (1,), [1, 2], {}, {1: 2})]
G = float('nan') == float('nan'), str(float('nan')), str(float('-nan'))
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value F
# ask: value G
# want: ([0, -3, 1, 2, -2, 0, 100000000000000000000, 12, -7, 5, 7], [1.0, -2.0, 1.0, 0.5, 1.5, -2000.0, inf, -inf, inf, inf, inf, 2.0])
# want: ([False, True, True, False, True, False, True, False, True, False, False, True, False], ['0', '-1', '1.5', 'True', 'None', '(1,)', "[1, 'a']", 'x', '{1: 2}'])
# want: ([0, 3, 3, 1, 2.5, 2.5, 0.0, 1180591620717411303424], [0, -3, 0, 2, 2, 0, -2, 2, -3, 100000000000000000000, 1])
# want: (1, 3, 1, 2, 'a', 'b', 1, 1, True, -1, [2], (1, 1), 6.5, -1)
# want: [0, 2, 0, 1, 2, 0, 1]
# want: (False, 'nan', 'nan')

# case: numbers that have no answer
A = int('a')
B = int('')
C = int('1.5')
D = int(None)
E = float('x')
F = float('')
G = float([])
H = abs('a')
I = round('a')
J = min()
K = max([])
L = min(1, 'a')
M = len(5)
N = int(float('inf'))
O = int(float('nan'))
P = int('1 2')
Q = round(float('nan'))
R = max(1, None)
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# ask: value F
# ask: value G
# ask: value H
# ask: value I
# ask: value J
# ask: value K
# ask: value L
# ask: value M
# ask: value N
# ask: value O
# ask: value P
# ask: value Q
# ask: value R
# want: error
# want: 1:5: error: int() of str is not possible
# want: error
# want: 2:5: error: int() of str is not possible
# want: error
# want: 3:5: error: int() of str is not possible
# want: error
# want: 4:5: error: int() of None is not possible
# want: error
# want: 5:5: error: float() of str is not possible
# want: error
# want: 6:5: error: float() of str is not possible
# want: error
# want: 7:5: error: float() of list is not possible
# want: error
# want: 8:5: error: abs() of str is not possible
# want: error
# want: 9:5: error: round() of str is not possible
# want: error
# want: 10:5: error: min() needs an argument
# want: error
# want: 11:5: error: max() needs an argument
# want: error
# want: 12:5: error: min() of int and str is not possible
# want: error
# want: 13:5: error: len() of int is not possible
# want: error
# want: 14:5: error: int() of float is not possible
# want: error
# want: 15:5: error: int() of float is not possible
# want: error
# want: 16:5: error: int() of str is not possible
# want: error
# want: 17:5: error: round() of float is not possible
# want: error
# want: 18:5: error: max() of int and None is not possible

# case: the module math
import math
A = [(math.floor(v), math.ceil(v), math.trunc(v), math.fabs(v)) for v in (-2.5, -0.5, 0.0, 0.5, 2.5, 7, -3)]
B = math.sqrt(2), math.exp(0), math.log(1), math.log2(8), math.log10(1000), math.sin(0), math.cos(0), math.tanh(0.5), math.pow(2, 10), math.pi, math.e, math.inf, math.sqrt(16)
C = [(math.isnan(v), math.isinf(v)) for v in (0, 1.5, float('inf'), float('-inf'), float('nan'))]
D = math.prod([]), math.prod([2, 3, 4]), math.prod((1.5, 2)), math.prod([True, 5])
F = math.tau
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value F
# want: [(-3, -2, -2, 2.5), (-1, 0, 0, 0.5), (0, 0, 0, 0.0), (0, 1, 0, 0.5), (2, 3, 2, 2.5), (7, 7, 7, 7.0), (-3, -3, -3, 3.0)]
# want: (1.4142135623730951, 1.0, 0.0, 3.0, 3.0, 0.0, 1.0, 0.46211715726000974, 1024.0, 3.141592653589793, 2.718281828459045, inf, 4.0)
# want: [(False, False), (False, False), (False, True), (False, True), (True, False)]
# want: (1, 24, 3.0, 5)
# want: 6.283185307179586

# case: the module math, refused
import math
A = math.floor('a')
B = math.pow(2, 'a')
C = math.gcd(2, 4)
D = math.ceil(None)
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# want: error
# want: 2:5: error: math.floor needs a compile-time number, got str
# want: error
# want: 3:5: error: math.pow needs compile-time numbers
# want: <host value 'math.gcd(2, 4)'>
# want: error
# want: 5:5: error: math.ceil needs a compile-time number, got None

# case: products of itertools
import itertools
from itertools import product
A = list(itertools.product([1, 2], 'ab')), list(product((1, 2), (3,), [4, 5])), list(product([1, 2, 3])), list(product([], [1])), list(product()), list(product({'k': 1}, range(2)))
# ask: value A
# want: ([(1, 'a'), (1, 'b'), (2, 'a'), (2, 'b')], [(1, 3, 4), (1, 3, 5), (2, 3, 4), (2, 3, 5)], [(1,), (2,), (3,)], [], [()], [('k', 0), ('k', 1)])

# case: refused: products of many lists, or of what is none
from itertools import product
L = [0, 1]
A = product(L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L)
B = product(*[L] * 17)
C = product(*[range(100)] * 4)
D = product(5)
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# want: <host value a value that is too large to know at compile time>
# want: <host value 'product(*[L] * 17)'>
# want: error
# want: 5:5: error: the product has too many items
# want: <host value 'product(5)'>

# case: named tuples
from collections import namedtuple
import collections
P = namedtuple('P', ['x', 'y'])
Q = collections.namedtuple('Q', 'a b,c')
R = namedtuple('R', ('only',))
A = P(1, 2), P(x=1, y=2), P(1, y=3), Q(1, 2, 3), Q(c=1, b=2, a=3), R('z')
B = P(1, 2).x, P(y=1, x=5).y, Q(7, 8, 9).c, P(1, 2)[1], len(Q(1, 2, 3)), [v for v in P(4, 5)], P(1, 2) == (1, 2), P(1, 2) == P(1, 3)
C = P(1)
D = P(1, 2, 3)
E = P(1, z=2)
F = P(1, 2).z
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# ask: value F
# want: (P(x=1, y=2), P(x=1, y=2), P(x=1, y=3), Q(a=1, b=2, c=3), Q(a=3, b=2, c=1), R(only='z'))
# want: (1, 1, 9, 2, 3, [4, 5], True, False)
# want: <host value 'P(1)'>
# want: <host value 'P(1, 2, 3)'>
# want: <host value 'P(1, z=2)'>
# want: <host value 'P(1, 2).z'>

# case: named tuples that are none
from collections import namedtuple
A = namedtuple('A')
B = namedtuple(1, 'x')
C = namedtuple('C', 5)
D = namedtuple('D', [1])
A1 = A(1)
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value A1
# want: <host value 'namedtuple('A')'>
# want: <host value 'namedtuple(1, 'x')'>
# want: <host value 'namedtuple('C', 5)'>
# want: <host value 'namedtuple('D', [1])'>
# want: <host value 'A(1)'>

# case: configs as values
import triton
C = triton.Config({'A': 1, 'B': (2,)}, num_warps=8)
D = triton.Config({'A': 1}, 2, 5, 1)
E = triton.Config(kwargs={'Z': 9}, num_stages=7, num_ctas=2)
F = triton.Config()
A = C.kwargs, C.num_warps, C.num_stages, C.num_ctas
B = D.kwargs, D.num_warps, D.num_stages, D.num_ctas
G = E.kwargs, E.num_warps, E.num_stages, E.num_ctas
H = F.kwargs, F.num_warps, F.num_stages, F.num_ctas
I = C.other
# ask: value A
# ask: value B
# ask: value G
# ask: value H
# ask: value I
# want: ({'A': 1, 'B': (2,)}, 8, 3, 1)
# want: ({'A': 1}, 2, 5, 1)
# want: ({'Z': 9}, 4, 7, 2)
# want: ({}, 4, 3, 1)
# want: <host value 'C.other'>

# case: triton's own helpers
import triton
import triton.language as tl
A = [triton.cdiv(a, b) for a in (0, 1, 7, 8, 9, -7) for b in (1, 2, 8)], [triton.next_power_of_2(n) for n in (0, 1, 2, 3, 4, 5, 1000, 1024, 1025, -3, 2 ** 40 + 1, 2 ** 61)]
B = tl.constexpr(5) + 1, tl.constexpr('a') + 'b', tl.constexpr(3).value
C = triton.next_power_of_2(2 ** 61 + 1)
D = triton.next_power_of_2(1.5)
E = triton.cdiv(1, 0)
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# want: ([0, 0, 0, 1, 1, 1, 7, 4, 1, 8, 4, 1, 9, 5, 2, -7, -3, 0], [0, 1, 2, 4, 4, 8, 1024, 1024, 2048, 0, 2199023255552, 2305843009213693952])
# want: (6, 'ab', 3)
# want: error
# want: 5:5: error: next_power_of_2 of a number this large is not supported
# want: error
# want: 6:5: error: 'n' of 'next_power_of_2' must be a compile-time int, got float
# want: error
# want: 7:5: error: division by zero

# case: dtypes as values
import triton.language as tl
T = [tl.int1, tl.int8, tl.int16, tl.int32, tl.int64, tl.uint8, tl.uint16, tl.uint32, tl.uint64, tl.float16, tl.bfloat16, tl.float32, tl.float64, tl.float8e4nv, tl.float8e5, tl.pointer_type(tl.int8), tl.block_type(tl.float32, [4, 8]), tl.void]
BITS = [t.primitive_bitwidth for t in T[:15]]
KINDS = [(t.is_int(), t.is_int_signed(), t.is_int_unsigned(), t.is_floating(), t.is_fp8(), t.is_standard_floating(), t.is_bool(), t.is_ptr(), t.is_block(), t.is_const()) for t in T[:17]]
EXACT = [(t.is_fp16(), t.is_bf16(), t.is_fp32(), t.is_fp64(), t.is_int1(), t.is_int8(), t.is_int16(), t.is_int32(), t.is_int64(), t.is_uint8(), t.is_uint16(), t.is_uint32(), t.is_uint64(), t.is_fp8e4nv(), t.is_fp8e5()) for t in T[:17]]
LIMITS = [(t.get_int_max_value(), t.get_int_min_value()) for t in T[1:9]]
SAME = [(a == b, a != b) for a in T[:17] for b in T[:17]]
NAMED = [tl.dtype(n) for n in ('fp16', 'bf16', 'fp32', 'fp64', 'int1', 'int8', 'int32', 'uint8', 'uint64', 'fp8e4nv', 'fp8e5')]
MADE = tl.get_int_dtype(8, True), tl.get_int_dtype(8, False), tl.get_int_dtype(64, True), tl.get_int_dtype(1, False), tl.get_int_dtype(32, False)
TEXT = [str(t) for t in T[:17]]
BAD = tl.get_int_dtype(24, True)
BAD2 = tl.dtype('float33')
BAD3 = tl.float32.get_int_max_value()
SHAPES = tl.block_type(tl.float32, [4, 8]).shape, tl.pointer_type(tl.int8).element_ty, tl.block_type(tl.int8, (2,)).element_ty, tl.block_type(tl.int8, (2,)).scalar, tl.int8.scalar
# ask: value T
# ask: value BITS
# ask: value KINDS
# ask: value EXACT
# ask: value LIMITS
# ask: value SAME
# ask: value NAMED
# ask: value MADE
# ask: value TEXT
# ask: value BAD
# ask: value BAD2
# ask: value BAD3
# ask: value SHAPES
# want: [triton.language.int1, triton.language.int8, triton.language.int16, triton.language.int32, triton.language.int64, triton.language.uint8, triton.language.uint16, triton.language.uint32, triton.language.uint64, triton.language.float16, triton.language.bfloat16, triton.language.float32, triton.language.float64, triton.language.float8e4nv, triton.language.float8e5, pointer<int8>, <[4, 8], fp32>, triton.language.void]
# want: [1, 8, 16, 32, 64, 8, 16, 32, 64, 16, 16, 32, 64, 8, 8]
# want: [(True, False, True, False, False, False, True, False, False, False), (True, True, False, False, False, False, False, False, False, False), (True, True, False, False, False, False, False, False, False, False), (True, True, False, False, False, False, False, False, False, False), (True, True, False, False, False, False, False, False, False, False), (True, False, True, False, False, False, False, False, False, False), (True, False, True, False, False, False, False, False, False, False), (True, False, True, False, False, False, False, False, False, False), (True, False, True, False, False, False, False, False, False, False), (False, False, False, True, False, True, False, False, False, False), (False, False, False, True, False, True, False, False, False, False), (False, False, False, True, False, True, False, False, False, False), (False, False, False, True, False, True, False, False, False, False), (False, False, False, True, True, False, False, False, False, False), (False, False, False, True, True, False, False, False, False, False), (False, False, False, False, False, False, False, True, False, False), (False, False, False, False, False, False, False, False, True, False)]
# want: [(False, False, False, False, True, False, False, False, False, False, False, False, False, False, False), (False, False, False, False, False, True, False, False, False, False, False, False, False, False, False), (False, False, False, False, False, False, True, False, False, False, False, False, False, False, False), (False, False, False, False, False, False, False, True, False, False, False, False, False, False, False), (False, False, False, False, False, False, False, False, True, False, False, False, False, False, False), (False, False, False, False, False, False, False, False, False, True, False, False, False, False, False), (False, False, False, False, False, False, False, False, False, False, True, False, False, False, False), (False, False, False, False, False, False, False, False, False, False, False, True, False, False, False), (False, False, False, False, False, False, False, False, False, False, False, False, True, False, False), (True, False, False, False, False, False, False, False, False, False, False, False, False, False, False), (False, True, False, False, False, False, False, False, False, False, False, False, False, False, False), (False, False, True, False, False, False, False, False, False, False, False, False, False, False, False), (False, False, False, True, False, False, False, False, False, False, False, False, False, False, False), (False, False, False, False, False, False, False, False, False, False, False, False, False, True, False), (False, False, False, False, False, False, False, False, False, False, False, False, False, False, True), (False, False, False, False, False, False, False, False, False, False, False, False, False, False, False), (False, False, False, False, False, False, False, False, False, False, False, False, False, False, False)]
# want: [(127, -128), (32767, -32768), (2147483647, -2147483648), (9223372036854775807, -9223372036854775808), (255, 0), (65535, 0), (4294967295, 0), (18446744073709551615, 0)]
# want: [(True, False), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (True, False), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (True, False), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (True, False), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (True, False), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (True, False), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (True, False), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (True, False), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (True, False), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (True, False), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (True, False), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (True, False), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (True, False), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (True, False), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (True, False), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (True, False), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (False, True), (True, False)]
# want: [triton.language.float16, triton.language.bfloat16, triton.language.float32, triton.language.float64, triton.language.int1, triton.language.int8, triton.language.int32, triton.language.uint8, triton.language.uint64, triton.language.float8e4nv, triton.language.float8e5]
# want: (triton.language.int8, triton.language.uint8, triton.language.int64, triton.language.int1, triton.language.uint32)
# want: ['int1', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'fp16', 'bf16', 'fp32', 'fp64', 'fp8e4nv', 'fp8e5', 'pointer<int8>', '<[4, 8], fp32>']
# want: error
# want: 11:7: error: there is no integer type of 24 bits
# want: error
# want: 12:8: error: 'float33' is not a dtype
# want: error
# want: 13:8: error: this needs an integer type
# want: ((4, 8), triton.language.int8, triton.language.int8, triton.language.int8, triton.language.int8)

# case: numbers from text at the edges
A = int('99999999999999999999')
B = float('1 2')
C = float('0x10')
D = int('-9223372036854775809')
E = float('nan(3)')
F = float('1e')
G = float('1.5\0')
H = int(' 5 '), int('9223372036854775807'), int('-9223372036854775808'), float(' -inf '), float('\t1.5\n'), float('.5'), float('5.'), float('1E5'), float('+1.5'), float('-0')
I = float('- 1')
J = int('0x10')
K = int('- 1')
L = int('+-1')
M = float('1d5')
N = float('+')
O = float('inf '), float('INFINITY'), float('-iNf'), float('nAn') == 0
P = int('-')
Q = float('1e5 ') + 1
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# ask: value F
# ask: value G
# ask: value H
# ask: value I
# ask: value J
# ask: value K
# ask: value L
# ask: value M
# ask: value N
# ask: value O
# ask: value P
# ask: value Q
# want: 99999999999999999999
# want: error
# want: 2:5: error: float() of str is not possible
# want: error
# want: 3:5: error: float() of str is not possible
# want: -9223372036854775809
# want: error
# want: 5:5: error: float() of str is not possible
# want: error
# want: 6:5: error: float() of str is not possible
# want: error
# want: 7:5: error: float() of str is not possible
# want: (5, 9223372036854775807, -9223372036854775808, -inf, 1.5, 0.5, 5.0, 100000.0, 1.5, -0.0)
# want: error
# want: 9:5: error: float() of str is not possible
# want: error
# want: 10:5: error: int() of str is not possible
# want: error
# want: 11:5: error: int() of str is not possible
# want: error
# want: 12:5: error: int() of str is not possible
# want: error
# want: 13:5: error: float() of str is not possible
# want: error
# want: 14:5: error: float() of str is not possible
# want: (inf, inf, -inf, False)
# want: error
# want: 16:5: error: int() of str is not possible
# want: 100001.0

# case: refused: digits with lines between them, more than 128 bits
A = float('1_0.5')
B = int('1_0')
C = int('9' * 50)
# ask: value A
# ask: value B
# ask: value C
# want: error
# want: 1:5: error: float() of str is not possible
# want: error
# want: 2:5: error: int() of str is not possible
# want: error
# want: 3:5: error: int() of str is not possible

# case: what dtypes say of themselves
import triton.language as tl
import torch
T = [tl.int1, tl.int8, tl.int16, tl.int64, tl.uint32, tl.float16, tl.bfloat16, tl.float32, tl.float64, tl.float8e4nv, tl.float8e5, tl.pointer_type(tl.float32)]
NAMES = [t.name for t in T]
SIZES = [(t.primitive_bitwidth, t.itemsize) for t in T]
INTS = [t.int_bitwidth for t in T[:5]]
MANTISSAS = [t.fp_mantissa_width for t in T[5:11]]
BLOCK = tl.block_type(tl.float16, [4, 8])
OF = BLOCK.shape, BLOCK.numel, BLOCK.scalar, BLOCK.element_ty, BLOCK.name, tl.int8.numel
LOST = tl.float32.int_bitwidth
LOST2 = tl.int32.fp_mantissa_width
LOST3 = tl.int32.nothing
LOST4 = tl.int8.shape
TORCH = [t.itemsize for t in (torch.float16, torch.float32, torch.int64, torch.bool, torch.uint8)], [t.is_floating_point for t in (torch.float16, torch.int8)]
# ask: value NAMES
# ask: value SIZES
# ask: value INTS
# ask: value MANTISSAS
# ask: value OF
# ask: value LOST
# ask: value LOST2
# ask: value LOST3
# ask: value LOST4
# ask: value TORCH
# want: ['int1', 'int8', 'int16', 'int64', 'uint32', 'fp16', 'bf16', 'fp32', 'fp64', 'fp8e4nv', 'fp8e5', 'pointer<fp32>']
# want: [(1, 1), (8, 1), (16, 2), (64, 8), (32, 4), (16, 2), (16, 2), (32, 4), (64, 8), (8, 1), (8, 1), (64, 8)]
# want: [1, 8, 16, 64, 32]
# want: [10, 7, 23, 52, 3, 2]
# want: ((4, 8), 32, triton.language.float16, triton.language.float16, '<[4, 8], fp16>', 1)
# want: <host value 'tl.float32.int_bitwidth'>
# want: <host value 'tl.int32.fp_mantissa_width'>
# want: <host value 'tl.int32.nothing'>
# want: <host value 'tl.int8.shape'>
# want: ([2, 4, 8, 1, 1], [True, False])

# case: powers of two
import triton.language as tl
A = [(tl._is_power_of_two(n), tl._log2(n)) for n in (-8, -1, 0, 1, 2, 3, 4, 6, 1024, 1023, 2 ** 40)]
B = '{'.format(), 1
C = 'a{{'.format(), '}}'.format(), '{{'.format(), '{}{{'.format(3)
# ask: value A
# ask: value B
# ask: value C
# want: [(False, 0), (False, 0), (False, 0), (True, 0), (True, 1), (False, 1), (True, 2), (False, 2), (True, 10), (False, 9), (True, 40)]
# want: (<host value ''{'.format()'>, 1)
# want: ('a{', '}', '{', '3{')
