# Python at compile time: what a name of the module is worth.

# case: arithmetic as Python has it
A = (7 // -2, 7 % -2, -7 // 2, -7 % 2, 7 / 2, 2 ** 10, 2 ** -1, -7.5 // 2, -7.5 % 2, 1 << 40, -1 >> 3, ~5, 6 & 3, 6 | 3, 6 ^ 3)
# ask: value A
# want: (-4, -1, -4, 1, 3.5, 1024, 0.5, -4.0, 0.5, 1099511627776, -1, -6, 2, 7, 5)

# case: floats print the shortest digits
A = [0.1, 1e16, 1e-5, 1e22, 123456789.125, 1.0, -0.0, 5e-324, 1.7976931348623157e308, float('inf'), 1e15, 0.0001]
# ask: value A
# want: [0.1, 1e+16, 1e-05, 1e+22, 123456789.125, 1.0, -0.0, 5e-324, 1.7976931348623157e+308, inf, 1000000000000000.0, 0.0001]

# case: large integers
A = (2 ** 64 - 1, -2 ** 100, 0xFFFF_FFFF_FFFF_FFFF, 10 ** 30, (2 ** 70) / 3, 2 ** 53 + 1 == float(2 ** 53))
# ask: value A
# want: (18446744073709551615, -1267650600228229401496703205376, 18446744073709551615, 1000000000000000000000000000000, 3.935305402391371e+20, False)

# case: comparisons, logic, chains
A = (1 < 2 < 3, 1 < 3 < 2, 1 == 1.0, True == 1, 'a' < 'b', (1, 2) < (1, 3), 2 in [1, 2], 'b' not in 'abc', None is None, 0 or 'x', 1 and [], not 0)
# ask: value A
# want: (True, False, True, True, True, True, True, False, True, 'x', [], True)

# case: sequences
A = [(1, 2) + (3,), [0] * 3, 'ab' * 2, 'a' + 'b', (1, 2, 3)[-1], 'abc'[1], [1, 2, 3][1:], (1,), (), {'a': 1}['a'], len([1, 2]), {'b': 2, 'a': 1}]
# ask: value A
# want: [(1, 2, 3), [0, 0, 0], 'abab', 'ab', 3, 'b', [2, 3], (1,), (), 1, 2, {'b': 2, 'a': 1}]

# case: sets have no doubles
A = len({1, 1, 2}), 2 in {1, 2}, len({i % 3 for i in range(10)}), {1, 2} == {2, 1}
# ask: value A
# want: (2, True, 3, True)

# case: comprehensions
A = [(i, j) for i in range(3) for j in (1, 2) if i != j], {k: v * 2 for k, v in {'x': 1, 'y': 2}.items()}, [x for x in 'ab']
# ask: value A
# want: ([(0, 1), (0, 2), (1, 2), (2, 1)], {'x': 2, 'y': 4}, ['a', 'b'])

# case: calls of simple functions
def fact(n):
    if n <= 1:
        return 1
    return n * fact(n - 1)
def grow(limit, step=3):
    out = []
    x = 1
    while x < limit:
        out.append(x)
        x *= step
    return out
A = fact(20), grow(100), grow(10, step=2), (lambda x, y=2: x * y)(5)
# ask: value A
# want: (2432902008176640000, [1, 3, 9, 27, 81], [1, 2, 4, 8], 10)

# case: names that change
A = 1
A += 2
B = [1]
B.append(2)
for i in range(3):
    B.append(i * 10)
C = {}
C['k'] = A
D = 5
D = D * 2
# ask: value A
# ask: value B
# ask: value C
# ask: value D
# want: 3
# want: [1, 2, 0, 10, 20]
# want: {'k': 3}
# want: 10

# case: names that change on a condition
A = 1
if A == 2:
    B = 'then'
elif A == 1:
    B = 'elif'
else:
    B = 'else'
# ask: value B
# want: 'elif'

# case: the last assignment counts, also when it is not known
import os
A = 1
A = os.getpid()
# ask: value A
# want: <host value 'os.getpid()'>

# case: unpacking
A, (B, C) = 1, (2, 3)
D = C, B, A
# ask: value D
# want: (3, 2, 1)

# case: a name defined by itself
A = B
B = A
# ask: value A
# want: <host value the value (defined by itself) of 'A'>

# case: not defined
A = 1
# ask: value B
# want: not defined

# case: a name whose statement does not parse
A = (1 +
# ask: value A
# want: not defined
# want: 1:5: error: '(' is never closed

# case: no end
def f(n):
    while True:
        n += 1
A = f(0)
# ask: value A
# want: error
# want: 2:11: error: evaluating this at compile time takes too many steps

# case: recursion without an end
def f(n):
    return f(n + 1)
A = f(0)
# ask: value A
# want: error
# want: 2:12: error: calls are nested too deeply at compile time

# case: more than 128 bits
A = 2 ** 200
# ask: value A
# want: error
# want: 1:5: error: the integer result needs more than 128 bits

# case: division by zero
A = 1 // 0
# ask: value A
# want: error
# want: 1:5: error: division by zero

# case: min, max, sum, abs, sorted
A = min(3, 1, 2), max([1, 5]), abs(-4), int(3.9), float(2), bool(''), str(12), len('abc')
# ask: value A
# want: (1, 5, 4, 3, 2.0, False, '12', 3)

# case: f-strings
A = f'{1 + 1}-{"x"}', f'{3:>4}|{2.5:.2f}|{255:x}|{"a"!r}'
# ask: value A
# want: ('2-x', <host value 'f'{3:>4}|{2.5:.2f}|{255:x}|{"a"!r}''>)

# case: functions over sequences
A = [x for x in map(lambda a, b: a * b, [1, 2], (3, 4))], list(filter(lambda v: v > 1, [0, 1, 2, 3])), list(zip('ab', [1, 2, 3])), list(enumerate('xy', 5))
B = sorted([3, 1, 2]), sum([1, 2.5]), any([0, '']), any([0, 1]), all([]), all([1, 0]), list(reversed((1, 2))), list(range(3)), tuple([1]), dict(a=1, b=2), sorted({3, 1})
C = sorted(['b', 1])
# ask: value A
# ask: value B
# ask: value C
# want: ([3, 8], [2, 3], [('a', 1), ('b', 2)], [(5, 'x'), (6, 'y')])
# want: ([1, 2, 3], 3.5, False, True, True, False, [2, 1], [0, 1, 2], (1,), {'a': 1, 'b': 2}, [1, 3])
# want: <host value 'sorted(['b', 1])'>

# case: what lies outside of a list is not written
def f(at):
    a = [1, 2]
    a[at] = 9
    return a
A = f(0), f(-1), f(-2), f(1)
B = f(2)
C = f(-3)
# ask: value A
# ask: value B
# ask: value C
# want: ([9, 2], [1, 9], [9, 2], [1, 9])
# want: <host value the result of 'f'>
# want: <host value the result of 'f'>
