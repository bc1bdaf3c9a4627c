# Host code at compile time: what functions, comprehensions, slices and f-strings are worth, against
# Python's own answers.

# case: slices of each kind, each bound
B = [None, -9, -3, -1, 0, 1, 2, 3, 9]
A = [((1, 2, 3)[1:], (1, 2, 3)[:1], (1, 2, 3)[:], (1, 2, 3)[-2:], (1, 2, 3)[:-1], (1, 2, 3)[5:], (1, 2, 3)[:9], (1, 2, 3)[-9:2], (1, 2, 3)[2:1])]
C = ['abc'[i:j] for i in (-9, -3, -1, 0, 1, 2, 3, 9) for j in (-9, -3, -1, 0, 1, 2, 3, 9)]
D = [[1, 2, 3][i:j] for i in (-9, -3, -1, 0, 1, 2, 3, 9) for j in (-9, -3, -1, 0, 1, 2, 3, 9)]
E = (1, 2, 3)[::1], 'abc'[0:2:1]
F = (1, 2, 3)[::2]
G = (1, 2, 3)['a':]
H = {1: 2}[1:]
# ask: value A
# ask: value C
# ask: value D
# ask: value E
# ask: value F
# ask: value G
# ask: value H
# want: [((2, 3), (1,), (1, 2, 3), (2, 3), (1, 2), (), (1, 2, 3), (1, 2), ())]
# want: ['', '', 'ab', '', 'a', 'ab', 'abc', 'abc', '', '', 'ab', '', 'a', 'ab', 'abc', 'abc', '', '', '', '', '', '', 'c', 'c', '', '', 'ab', '', 'a', 'ab', 'abc', 'abc', '', '', 'b', '', '', 'b', 'bc', 'bc', '', '', '', '', '', '', 'c', 'c', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '']
# want: [[], [], [1, 2], [], [1], [1, 2], [1, 2, 3], [1, 2, 3], [], [], [1, 2], [], [1], [1, 2], [1, 2, 3], [1, 2, 3], [], [], [], [], [], [], [3], [3], [], [], [1, 2], [], [1], [1, 2], [1, 2, 3], [1, 2, 3], [], [], [2], [], [], [2], [2, 3], [2, 3], [], [], [], [], [], [], [3], [3], [], [], [], [], [], [], [], [], [], [], [], [], [], [], [], []]
# want: ((1, 2, 3), 'ab')
# want: <host value '(1, 2, 3)[::2]'>
# want: <host value '(1, 2, 3)['a':]'>
# want: <host value '{1: 2}[1:]'>

# case: items of each kind
A = [((1, 2, 3)[i], [4, 5, 6][i], 'xyz'[i]) for i in (-3, -2, -1, 0, 1, 2)], {1: 'a', 'k': 'b'}['k'], (1, 2)[True], ((1, 2), (3, 4))[1][0]
B = (1, 2)[2]
C = [1][-2]
D = 'ab'[5]
E = {1: 2}[3]
F = (1, 2)['a']
G = 5[0]
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# ask: value F
# ask: value G
# want: ([(1, 4, 'x'), (2, 5, 'y'), (3, 6, 'z'), (1, 4, 'x'), (2, 5, 'y'), (3, 6, 'z')], 'b', 2, 3)
# want: error
# want: 2:5: error: index out of range
# want: error
# want: 3:5: error: index out of range
# want: error
# want: 4:5: error: index out of range
# want: <host value '{1: 2}[3]'>
# want: <host value '(1, 2)['a']'>
# want: <host value '5[0]'>

# case: ranges of each kind
A = [list(range(a, b, s)) for a in (-3, 0, 2, 5) for b in (-3, 0, 2, 5) for s in (-3, -2, -1, 1, 2, 3)]
B = list(range(0)), list(range(-1)), list(range(3)), list(range(2, 2)), len(list(range(0, 1000, 7))), list(range(True, 3))
C = [(1 if r else 0) for r in (range(0), range(1), range(2, 1), range(2, 1, -1), range(1, 2, -1), range(0, 5, 9))]
# ask: value A
# ask: value B
# ask: value C
# want: [[], [], [], [], [], [], [], [], [], [-3, -2, -1], [-3, -1], [-3], [], [], [], [-3, -2, -1, 0, 1], [-3, -1, 1], [-3, 0], [], [], [], [-3, -2, -1, 0, 1, 2, 3, 4], [-3, -1, 1, 3], [-3, 0, 3], [0], [0, -2], [0, -1, -2], [], [], [], [], [], [], [], [], [], [], [], [], [0, 1], [0], [0], [], [], [], [0, 1, 2, 3, 4], [0, 2, 4], [0, 3], [2, -1], [2, 0, -2], [2, 1, 0, -1, -2], [], [], [], [2], [2], [2, 1], [], [], [], [], [], [], [], [], [], [], [], [], [2, 3, 4], [2, 4], [2], [5, 2, -1], [5, 3, 1, -1], [5, 4, 3, 2, 1, 0, -1, -2], [], [], [], [5, 2], [5, 3, 1], [5, 4, 3, 2, 1], [], [], [], [5], [5, 3], [5, 4, 3], [], [], [], [], [], [], [], [], []]
# want: ([], [], [0, 1, 2], [], 143, [1, 2])
# want: [0, 1, 0, 1, 0, 1]

# case: displays and stars
T = (1, 2)
D = {'a': 1}
A = (*T, 3), [0, *T, *[], *'ab'], [*T], (*range(3),), {**D, 'b': 2}, {'b': 0, **D, 'a': 5}, {*T, 2, 3} == {1, 2, 3}
B = [*5]
C = {**5}
E = {**unknown}
# ask: value A
# ask: value B
# ask: value C
# ask: value E
# want: ((1, 2, 3), [0, 1, 2, 'a', 'b'], [1, 2], (0, 1, 2), {'a': 1, 'b': 2}, {'b': 0, 'a': 5}, True)
# want: <host value '[*5]'>
# want: <host value '{**5}'>
# want: <host value '{**unknown}'>

# case: comprehensions of each kind
A = [i for i in range(5) if i % 2 if i > 1], [i * j for i in range(3) for j in range(i)], [(a, b) for a, b in [(1, 2), (3, 4)]], [[j for j in range(i)] for i in range(3)]
B = {i: i * i for i in range(3)}, {k: v for v, k in enumerate('ab')}, {i % 2: i for i in range(5)}, {i % 3 for i in range(7)} == {0, 1, 2}
C = [x for x in {'a': 1, 'b': 2}], [x for x in 'ab' for y in range(2)], list(x for x in (1, 2)), sum(x for x in range(4)), [a for a, (b, c) in [(1, (2, 3))]], [x for x in ()]
D = [x for x in 5]
E = [x for x in unknown]
F = [x for x in (1, 2) if unknown]
G = [x for x, y in [1]]
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# ask: value F
# ask: value G
# want: ([3], [0, 0, 2], [(1, 2), (3, 4)], [[], [0], [0, 1]])
# want: ({0: 0, 1: 1, 2: 4}, {'a': 0, 'b': 1}, {0: 4, 1: 3}, True)
# want: (['a', 'b'], ['a', 'a', 'b', 'b'], [1, 2], 6, [1], [])
# want: <host value '[x for x in 5]'>
# want: <host value 'unknown'>
# want: <host value 'unknown'>
# want: [<host value 'x'>]

# case: names of a comprehension stay inside
x = 'outer'
A = [x for x in (1, 2)], x, [y for y in [x]], (lambda x: x + 1)(1), x
# ask: value A
# want: ([1, 2], 'outer', ['outer'], 2, 'outer')

# case: f-strings
n, s, t = 5, 'st', (1, 'a')
A = f'', f'{n}', f'a{n}b{s}c', f'{n + 1}{s * 2}', f'{{{n}}}', f'{t}', f'{None}{True}{1.5}', f"{'q'}{[n]}", f'{n}' 'x' f'{s}', f'{ {1: 2}[1] }'
B = f'{n:x}'
C = f'{n!r}'
D = f'{unknown}'
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# want: ('', '5', 'a5bstc', '6stst', '{5}', "(1, 'a')", 'NoneTrue1.5', 'q[5]', '5xst', '2')
# want: <host value 'f'{n:x}''>
# want: <host value 'f'{n!r}''>
# want: <host value 'f'{unknown}''>

# case: arguments of functions
def f(a, b=2, *, c=3): return (a, b, c)
def g(a=1): return a
def h(): return
def i(): pass
def j(a, b): return a - b
A = f(1), f(1, 5), f(1, c=7), f(a=4), f(1, b=9, c=8), f(c=1, a=2), f(*(1, 2)), f(**{'a': 1, 'c': 5}), f(*[7], **{'b': 8}), g(), g(None), h(), i(), j(b=1, a=5), j(5, 1)
B = f()
C = f(1, a=2)
D = f(1, d=2)
E = j(1)
F = j(1, 2, 3)
G = f(*5)
H = f(**[1])
I = f(**{1: 2})
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# ask: value F
# ask: value G
# ask: value H
# ask: value I
# want: ((1, 2, 3), (1, 5, 3), (1, 2, 7), (4, 2, 3), (1, 9, 8), (2, 2, 1), (1, 2, 3), (1, 2, 5), (7, 8, 3), 1, None, None, None, 4, 4)
# want: <host value the result of 'f'>
# want: <host value the result of 'f'>
# want: <host value the result of 'f'>
# want: <host value the result of 'j'>
# want: <host value the result of 'j'>
# want: <host value 'f(*5)'>
# want: <host value 'f(**[1])'>
# want: <host value 'f(**{1: 2})'>

# case: functions with one star are not known, those with two take what nobody else does
def f(*args): return args
def g(a=0, **more): return a, more
A = f(1)
B = g(b=1, a=2)
C = g(3), g(more=4)
D = g(5, a=6)
E = g(5, 6)
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# want: <host value the result of 'f'>
# want: (2, {'b': 1})
# want: ((3, {}), (0, {'more': 4}))
# want: <host value the result of 'g'>
# want: <host value the result of 'g'>

# case: defaults are found where the function is
K = 5
def f(a=K + 1, b=[1, 2]): return (a, b)
A = f(), f(0), f(b=3)
# ask: value A
# want: ((6, [1, 2]), (0, [1, 2]), (6, 3))

# case: loops of functions
def total(items):
    sum = 0
    for i in items:
        if i == 3:
            continue
        if i == 6:
            break
        sum += i
    else:
        sum += 1000
    return sum
def count(n):
    k = 0
    while n:
        n -= 1
        if n == 3: continue
        if n == 1: break
        k += 1
    else:
        k += 100
    return k, n
def nested(n):
    out = []
    for i in range(n):
        for j in range(n):
            if j > i: break
            out.append((i, j))
    return out
def early(n):
    for i in range(n):
        while True:
            if i == 2: return ('found', i)
            break
    return 'none'
A = total(range(3)), total(range(10)), total([]), total([6]), total([3]), count(0), count(1), count(2), count(3), count(7), nested(3), early(2), early(5)
# ask: value A
# want: (1003, 12, 1000, 0, 1000, (100, 0), (101, 0), (0, 1), (1, 1), (4, 1), [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)], 'none', ('found', 2))

# case: branches of functions
def f(n):
    if n < 0:
        r = 'negative'
    elif n == 0:
        r = 'zero'
    elif n < 10: r = 'small'
    else:
        r = 'large'
    return r
def g(n):
    """Words do nothing."""
    ...
    if n: pass
    else: return 'no'
    return 'yes'
A = [f(n) for n in (-5, -1, 0, 1, 9, 10, 99)], g(0), g(1)
# ask: value A
# want: (['negative', 'negative', 'zero', 'small', 'small', 'large', 'large'], 'no', 'yes')

# case: assignments of functions
def f():
    a = b = 3
    a += 1
    c, (d, e) = 1, (2, 3)
    [g, h] = 'xy'
    i: int = 5
    j: int
    a, b = b, a
    return a, b, c, d, e, g, h, i
def augmented():
    a, b, c, d, e, f = 7, 7, 7, 7, 7, 7
    a -= 2
    b *= 2
    c //= 2
    d **= 2
    e %= 4
    f <<= 2
    g = 12
    g &= 10
    h = 12
    h |= 3
    k = 12
    k ^= 10
    l = 12
    l >>= 1
    m = 1
    m /= 4
    return a, b, c, d, e, f, g, h, k, l, m
def items():
    d = {}
    l = [1, 2, 3]
    d['a'] = 1
    d['b'] = 2
    d['a'] = 3
    l[0], l[-1] = 'x', 'z'
    d.update({'c': 4, 'b': 5})
    l.extend('pq')
    l += [9]
    l.append(l[0])
    return d, l
def shared():
    a = [1]
    b = a
    b += [2]
    a.append(3)
    return a, b
A = f()
B = augmented()
C = items()
D = shared()
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# want: (3, 4, 1, 2, 3, 'x', 'y', 5)
# want: (5, 14, 3, 49, 3, 28, 8, 15, 6, 6, 0.25)
# want: ({'a': 3, 'b': 5, 'c': 4}, ['x', 2, 'z', 'p', 'q', 9, 'x'])
# want: ([1, 2, 3], [1, 2, 3])

# case: functions whose effect is not known
def f():
    print(end='')
    return 1
def g():
    a = [3, 1]
    a.sort()
    return a
def h():
    import os
    os.nice(1)
    return 1
def i(n):
    if n: raise ValueError()
    return n
def j():
    try:
        a = not_known()
    except Exception:
        a = 2
    return a
def k():
    a = {}
    a.x = 1
    return a
def l():
    with open('f') as f: pass
    return 1
def m():
    a = [1]
    del a[0]
    return a
def n():
    for i in 5: pass
    return 1
def o():
    while unknown: pass
    return 1
def p():
    if unknown: return 1
    return 2
def q():
    a, b = 1, 2, 3
    return 7
def r():
    a = unknown
    a += 1
    return a
def s():
    a = [1]
    a.append(a)
    return a
def t():
    a = (1, 2)
    a[0] = 3
    return a
def u():
    a = {}
    a.update([(1, 2)])
    return a
def v():
    a = 5
    a.append(1)
    return a
def w():
    a = [1]
    a.extend(5)
    return a
A = f()
B = g()
C = h()
D = i(1)
D0 = i(0)
E = j()
F = k()
G = l()
H = m()
I = n()
J = o()
K = p()
L = q()
M = r()
N = s()
O = t()
P = u()
Q = v()
R = w()
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# ask: value D0
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
# want: <host value the result of 'f'>
# want: <host value the result of 'g'>
# want: <host value the result of 'h'>
# want: <host value the result of 'i'>
# want: 0
# want: <host value the result of 'j'>
# want: <host value the result of 'k'>
# want: <host value the result of 'l'>
# want: <host value the result of 'm'>
# want: <host value the result of 'n'>
# want: <host value the result of 'o'>
# want: <host value the result of 'p'>
# want: <host value the result of 'q'>
# want: <host value the result of 'r'>
# want: <host value the result of 's'>
# want: <host value the result of 't'>
# want: <host value the result of 'u'>
# want: <host value the result of 'v'>
# want: <host value the result of 'w'>

# case: lambdas keep what is around them
def make(n):
    k = n * 10
    return lambda x, y=n: (x, y, n, k)
def twice(f): return lambda x: f(f(x))
A = make(1)(2), make(3)(4, 5), twice(lambda v: v * 3)(2), (lambda: 7)(), (lambda a, b: a - b)(b=1, a=9), [f(2) for f in (lambda v: v + 1, lambda v: v * v)]
# ask: value A
# want: ((2, 1, 1, 10), (4, 5, 3, 30), 18, 7, 8, [3, 4])

# case: recursion
def gcd(a, b): return a if b == 0 else gcd(b, a % b)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def even(n): return True if n == 0 else odd(n - 1)
def odd(n): return False if n == 0 else even(n - 1)
A = gcd(48, 36), gcd(7, 0), [fib(i) for i in range(10)], even(10), odd(10)
# ask: value A
# want: (12, 7, [0, 1, 1, 2, 3, 5, 8, 13, 21, 34], True, False)

# case: long integers of each base
A = 0xFFFF_FFFF_FFFF_FFFF_F, 0o7777777777777777777777, 0b11111111111111111111111111111111111111111111111111111111111111111, 99999999999999999999, 0XabcDEF0123456789AB, 18446744073709551615, 9223372036854775807, 9223372036854775808, 0x10, 0b101, 0o17, 1_000
# ask: value A
# want: (295147905179352825855, 73786976294838206463, 36893488147419103231, 99999999999999999999, 3169232317152542296491, 18446744073709551615, 9223372036854775807, 9223372036854775808, 16, 5, 15, 1000)

# case: more than 128 bits in a literal
A = 999999999999999999999999999999999999999999
# ask: value A
# want: error
# want: 1:5: error: the integer is too large

# case: what is not known stays so
import torch
A = torch.float32
B = torch.cuda.is_available()
C = B + 1
D = [B]
E = -B
F = B < 1
G = B and 1
H = 1 if B else 2
I = not B
J = B[0]
K = B.x
L = (1, 2)[B]
M = B is None
N = 0 or B
O = 1 or B
P = 0 and B
Q = len([B, B])
R = (yes := 1)
S = b'bytes'
T = 1j
U = 1 < B
V = B(1)
W = (1).real
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
# ask: value S
# ask: value T
# ask: value U
# ask: value V
# ask: value W
# want: torch.float32
# want: <host value 'torch.cuda.is_available()'>
# want: <host value 'B + 1'>
# want: [<host value 'torch.cuda.is_available()'>]
# want: <host value '-B'>
# want: <host value 'B < 1'>
# want: <host value 'B and 1'>
# want: <host value '1 if B else 2'>
# want: <host value 'not B'>
# want: <host value 'B[0]'>
# want: <host value 'B.x'>
# want: <host value '(1, 2)[B]'>
# want: <host value 'B is None'>
# want: <host value '0 or B'>
# want: 1
# want: 0
# want: <host value 'len([B, B])'>
# want: <host value 'yes := 1'>
# want: <host value 'b'bytes''>
# want: <host value '1j'>
# want: <host value '1 < B'>
# want: <host value 'B(1)'>
# want: <host value '(1).real'>

# case: a long text is named by its first line
A = unknown_function_with_a_long_name(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
B = unknown(1,
            2)
C = abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz.abcdefg
D = abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz.abcdefgh
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# want: <host value 'unknown_function_with_a_long_name(1, 2, 3, 4, 5, 6, 7, 8, 9,..'>
# want: <host value 'unknown(1,..'>
# want: <host value 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz.abcdefg'>
# want: <host value 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz.abcdefg..'>

# case: text beyond ASCII has letters, not bytes
T = 'é'
A = T + 'a', T * 2, T == 'é', T < 'z', T > 'a', 'é' in 'aéb', '-'.join([T, 'a']), 'aéb'.replace(T, 'c'), 'a,é'.split(','), '\u00e9' == T, sorted(['é', 'z', '😀', 'a']), 'éa'.startswith(T), f'{T}'
# ask: value A
# want: ('éa', 'éé', True, False, True, True, 'é-a', 'acb', ['a', 'é'], True, ['a', 'z', 'é', '😀'], True, 'é')

# case: refused: letters beyond ASCII one by one
T = 'é'
B = len(T)
C = T[0]
D = T[0:]
E = list(T)
F = T.upper()
G = '\u2003a'.strip()
H = 'a\u2003b'.split()
# ask: value B
# ask: value C
# ask: value D
# ask: value E
# ask: value F
# ask: value G
# ask: value H
# want: error
# want: 2:5: not supported: len() of text beyond ASCII is not supported
# want: <host value 'T[0]'>
# want: <host value 'T[0:]'>
# want: error
# want: 5:5: error: list() of str is not supported
# want: error
# want: 6:5: not supported: upper() of text beyond ASCII is not supported
# want: <host value ''\u2003a'.strip()'>
# want: <host value ''a\u2003b'.split()'>
