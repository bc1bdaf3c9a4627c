# SPDX-License-Identifier: Apache-2.0
# Modules of Python's library, classes with hooks, enums, dataclasses, named tuples; argparse with its help.
import argparse, collections, copy, dataclasses, enum, functools, io, itertools, json, math, operator, os, sys, textwrap, types
from dataclasses import dataclass, field, asdict, replace, fields
from enum import Enum, IntEnum, auto
from typing import NamedTuple, Optional, Generic, TypeVar, ClassVar, Protocol
from abc import ABC, abstractmethod
from collections import defaultdict, Counter, deque, OrderedDict
print(os.path.basename(__file__) in ('library.py', 'lib.py'), os.path.isabs(__file__), os.path.splitext('a/b.tar.gz'), os.path.join('a', 'b', '/c', 'd'), os.path.normpath('a/./b/../c'))


class Color(Enum):
    RED = 1
    GREEN = 2
    ALSO = 1
    BLUE = 3

    def loud(self):
        return self.name.upper() + '!'


print(Color.RED, repr(Color.BLUE), Color(2), Color['GREEN'], list(Color), len(Color), Color.ALSO is Color.RED)
print(Color.RED == Color.GREEN, Color.RED is Color(1), Color.RED in {Color.RED: 1}, Color.BLUE.loud(), isinstance(Color.RED, Color), f'{Color.RED}')
try:
    Color(9)
except ValueError as error:
    print(error)
class Level(IntEnum):
    LOW = 1
    HIGH = 5
print(Level.HIGH > Level.LOW, Level.HIGH + 1, sorted([Level.HIGH, Level.LOW]), Level(5).name, int(Level.LOW), Level.LOW == 1, [10, 20][Level.LOW])


@dataclass
class P:
    x: int
    y: float = 2.0
    tags: list = field(default_factory=list)
    count: ClassVar[int] = 7


@dataclass(frozen=True, order=True)
class Q:
    a: int
    b: str = 'b'


p = P(1)
p.tags.append('t')
print(p, P(1), P(1) == P(1, 2.0, []), asdict(p), replace(p, x=5), [f.name for f in fields(P)], P.count)
print(Q(1) < Q(2), sorted([Q(2), Q(1, 'z'), Q(1)]), hash(Q(1)) == hash(Q(1)), {Q(1): 'v'}[Q(1)])
try:
    Q(1).a = 3
except dataclasses.FrozenInstanceError as error:
    print(type(error).__name__.split('.')[-1], error)
@dataclass
class R(P):
    z: int = 9
class S(R):
    w: int = 3
print(R(1, 2), S(4))
class Point(NamedTuple):
    x: int
    y: int = 0
    def norm(self): return abs(self.x) + abs(self.y)
class Named(Point):
    def twice(self): return Named(self.x * 2, self.y * 2)
n = Named(3, -4)
print(n, n.norm(), n.twice(), n.x, isinstance(n, tuple), isinstance(n, Point), n == (3, -4), n._replace(x=1), n._asdict(), Point._fields)
T = TypeVar('T')
class Box(Generic[T]):
    def __init__(self, v): self.v = v
    def __class_getitem__(cls, k): return cls
class Shape(ABC):
    @abstractmethod
    def area(self): ...
class Sq(Shape):
    def area(self): return 4
print(Box[int](3).v, Sq().area())
class Single:
    one = None
    def __new__(cls, *args):
        if cls.one is None: cls.one = super().__new__(cls)
        return cls.one
    def __init__(self, v=0): self.v = v
print(Single(1) is Single(2), Single.one.v)
class Reg:
    all = []
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        Reg.all.append(cls.__name__)
class A1(Reg): pass
class A2(A1): pass
print(Reg.all, A2.__bases__, A2.__module__)
d = defaultdict(list)
for k, v in [('a', 1), ('b', 2), ('a', 3)]:
    d[k].append(v)
print(dict(d), d['zz'], len(d), isinstance(d, dict), defaultdict(list, d), defaultdict(int))
c = Counter('abracadabra'); print(c.most_common(2), c['z'], c)
q = deque([1, 2, 3], maxlen=3); q.append(4); q.appendleft(0); print(q, q[0], len(q), q.popleft())
print(list(itertools.islice(itertools.count(3, 2), 4)), list(itertools.chain.from_iterable([[1], [2, 3]])), list(itertools.chain([1], (2,))), list(itertools.product([1, 2], 'ab')), list(itertools.product([0, 1], repeat=2)))
print(list(itertools.accumulate([1, 2, 3])), list(itertools.combinations('abc', 2)), list(itertools.permutations([1, 2, 3], 2)), list(itertools.zip_longest([1], [2, 3])), [(k, list(g)) for k, g in itertools.groupby('aabc')], list(itertools.takewhile(lambda v: v < 2, [1, 2, 1])), list(itertools.starmap(pow, [(2, 3)])), list(itertools.pairwise([1, 2, 3])))
print(functools.reduce(operator.mul, [1, 2, 3, 4]), sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a)), operator.itemgetter(1)([5, 6]))
class Lazy:
    @functools.cached_property
    def v(self):
        print('once'); return 5
l = Lazy(); print(l.v + l.v)
print(json.dumps({'a': [1, 2.5, None, True, 'é"\n'], 'b': {}}), json.dumps([1, {'x': 2}], indent=2), json.loads('{"a": [1, -2.5e3, null, true, "\\u00e9\\n"]}'))
try:
    json.loads('[1, }')
except json.JSONDecodeError as error:
    print(error)
m = copy.deepcopy({'a': [1, [2]], 'p': p}); m['a'][1].append(3); m['p'].tags.append('u'); print(m, p)
print(isinstance(3, int | float), isinstance('s', int | None), list(zip([1, 2], [3, 4], strict=True)))
try:
    list(zip([1], [2, 3], strict=True))
except ValueError as error:
    print(error)

f = io.StringIO(); print('in', 'text', file=f); print(repr(f.getvalue()))
print(textwrap.dedent('''
    a
      b
    '''), types.SimpleNamespace(a=1, b='x'))
o = OrderedDict([('a', 1)]); o['b'] = 2; print(list(o.items()))
delattr(p, 'x'); print(hasattr(p, 'x'), vars(types.SimpleNamespace(q=1)))
parser = argparse.ArgumentParser(prog='prog', description='Does a thing with numbers and a long description which is to be wrapped over several lines.')
parser.add_argument('size', type=int, help='how many')
parser.add_argument('names', nargs='*', help='names')
parser.add_argument('--dtype', '-d', choices=['f16', 'f32'], default='f32', help='type (default: %(default)s)')
parser.add_argument('--lr', type=float, default=0.1, metavar='RATE')
parser.add_argument('-v', '--verbose', action='store_true')
parser.add_argument('--dims', nargs=2, type=int)
parser.add_argument('--many-words', nargs='+', action='append')
parser.add_argument('-c', action='count', default=0)
group = parser.add_mutually_exclusive_group()
group.add_argument('--yes', action='store_true'); group.add_argument('--no', action='store_false', dest='nope')
print(parser.format_help())
print(parser.parse_args(['5']), parser.parse_args(['5', 'a', 'b', '-d', 'f16', '--lr=0.5', '-vcc', '--dims', '1', '-2', '--many', 'x', 'y', '--yes']))
print(parser.parse_known_args(['1', '--unknown', '-d', 'f32']))
for bad in (['x'], [], ['1', '--lr', 'q'], ['1', '-d', 'f8'], ['1', '--bad'], ['1', '--yes', '--no'], ['1', '--dims', '1']):
    sys.stderr = sys.stdout
    try:
        parser.parse_args(bad)
    except SystemExit as error:
        print('exit', error.code)
sub = argparse.ArgumentParser(prog='s'); subs = sub.add_subparsers(dest='cmd', required=True)
a = subs.add_parser('run', help='runs'); a.add_argument('--n', type=int, default=3); b = subs.add_parser('stop')
print(sub.parse_args(['run', '--n', '4']), sub.parse_args(['stop']))
print(sub.format_help())
