# match: all kinds of patterns, what they bind and when, guards, classes.
from collections import namedtuple
from dataclasses import dataclass


@dataclass
class Point:
    x: int
    y: int = 0


class Circle:
    __match_args__ = ('radius', )

    def __init__(self, radius):
        self.radius = radius


class Words:
    ONE = 'one'


Pair = namedtuple('Pair', ['first', 'second'])


def kind(x):
    match x:
        case None: return 'none'
        case True | False: return 'truth'
        case 0 | 1: return 'small'
        case -1.5: return 'minus'
        case int(n) if n > 100: return f'large {n}'
        case int(): return 'int'
        case Words.ONE: return 'the word'
        case 'a' 'b': return 'ab'
        case str() as s: return 'str ' + s
        case []: return 'empty'
        case [a]: return ('one', a)
        case Pair(a, second=b): return ('pair', a, b)
        case (1, *rest): return ('one first', rest)
        case [*_, 9]: return 'nine last'
        case [[a, b], [c, d]] as whole: return (a + b + c + d, whole)
        case a, b: return ('two', a, b)
        case [_, _, *_]: return 'long'
        case {'op': 'add', 'args': [a, b]}: return a + b
        case {'op': str(op), **rest}: return (op, rest)
        case {}: return 'mapping'
        case Point(0, y): return ('on axis', y)
        case Point(x=x, y=0 | 1 as y): return ('near', x, y)
        case Point(): return 'point'
        case Circle(radius=Point(x)): return ('odd', x)
        case Circle(r): return ('circle', r)
        case float(f): return ('float', f)
    return 'other'


for x in [None, True, False, 0, 1, 1.0, -1.5, 7, 101, 'one', 'ab', 'c', [], (), [5], Pair(3, 4), (1, 2, 3), [1], [8, 8, 9],
          [[1, 2], [3, 4]], ((1, 2), (3, 4)), (7, 8), [7, 8, 9.5], {'op': 'add', 'args': [1, 2]}, {'op': 'mul', 'k': 3}, {},
          {2: 3}, Point(0, 5), Point(4), Point(4, 1), Point(4, 4), Circle(Point(6, 1)), Circle(2), 2.5, {1, 2}, range(2), len]:
    print(kind(x))

# Names are bound when the pattern fits, though the guard says no; what did not fit binds nothing.
a = b = 'before'
match [1, 2]:
    case [a, b, _]: pass
    case [a, b] if a > b: print('never')
    case _: print(a, b)
match (1, 2):
    case (1, c) | (c, 1): print(c)
match 5:
    case 6: print('never')


def nested(tree):
    match tree:
        case ('+', left, right): return nested(left) + nested(right)
        case ('-', one): return -nested(one)
        case number: return number


print(nested(('+', 1, ('-', ('+', 2, 3)))))
for item in [1, 'stop', 2]:
    match item:
        case 'stop': break
        case _: continue
print(item)


def closes(x):
    match x:
        case [n, *rest]: return lambda: (n, rest)


print(closes([1, 2, 3])())
for make in (lambda: kind(Circle), ):
    print(make())
try:
    match Circle(1):
        case Circle(1, 2): pass
except TypeError as error:
    print(error)
try:
    match 1:
        case int(1, 2): pass
except TypeError as error:
    print(error)
print(isinstance(Pair(1, 2), Pair), isinstance(Pair(1, 2), tuple), type(Pair(1, 2)).__name__, Pair(1, 2) == (1, 2))
match = 3
print(match)
