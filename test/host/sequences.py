# SPDX-License-Identifier: Apache-2.0
# Slices of all kinds, unpacking, dicts, lists and sets, and what is wrong with them.
x = list(range(10)); s = "abcdefghij"; t = tuple(x)
for a in (None, -12, -3, 0, 2, 9, 15):
    for b in (None, -12, -3, 0, 5, 15):
        for c in (None, -3, -1, 1, 2, 7):
            print(x[a:b:c], s[a:b:c], t[a:b:c], end=' ')
print()
y = x[:]; y[2:5] = []; print(y); y[1:1] = [7, 8]; print(y); print(y)
del y[-1]; print(y)
y[-100:2] = 'xy'; print(y); y[5:2] = [99]; print(y)
try: x[::0]
except ValueError as e: print(e)
try: x['a']
except TypeError as e: print(e)
try: s[20]
except IndexError as e: print(e)
try: t[20]
except IndexError as e: print(e)
sl = slice(1, None, 2); print(sl, x[sl], sl.start, sl.stop, sl.step, sl.indices(5), slice(-1).indices(3))
print(range(10)[2:8:3], range(10)[-1], range(10)[::-1], list(range(5, -5, -3)), len(range(0, 10, 3)), 5 in range(0, 10, 3), range(3) == range(0, 3, 1))
print(range(0), bool(range(0)), range(1, 10, 2)[1:], hash(range(3)) == hash(range(0,3)))
*a, b = x; print(a, b); a, *b, c = 'hello'; print(a, b, c); (a, (b, *c)), d = (1, (2, 3, 4)), 5; print(a, b, c, d)
try: a, b = 1, 2, 3
except ValueError as e: print(e)
try: a, b, c = 1, 2
except ValueError as e: print(e)
try: a, *b, c = 1,
except ValueError as e: print(e)
try: a, b = 5
except TypeError as e: print(e)
d = {'b': 1, 'a': 2}; d['c'] = 3; d['b'] = 9; del d['a']; d['a'] = 0; print(d, list(d), list(d.values()), list(d.items()), len(d), 'a' in d, d.get('z'), d.get('z', 5), d.pop('c'), d.pop('zz', None), d)
print(d.setdefault('q', []), d.setdefault('q', 1), d.update({'x': 1}, y=2), d, d.popitem(), d.copy() == d, d | {'n': 1}, {**d, 'm': 2}, dict.fromkeys('ab', 0), dict(zip('ab', [1, 2])))
print({1: 'a', True: 'b', 1.0: 'c'}, {(1, 2): 3}, {None: 1}, d.keys() & {'b'}, d.keys() - {'b'} == {'a', 'q', 'x'}, d.keys() == {'b', 'a', 'q', 'x'})
for f in (lambda: d['nope'], lambda: d.pop('nope'), lambda: {}.popitem(), lambda: dict([1]), lambda: dict(1), lambda: {1: 2}.foo, lambda: dict([(1, 2, 3)]), lambda: {'a': 1} + {}, lambda: [x for x in {}][0]):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
try:
    for k in d: d[k + 'z'] = 1
except RuntimeError as e: print(e)
try:
    for k in d: del d[k]
except RuntimeError as e: print(e)
print(d == {}, {'a': 1, 'b': 2} == {'b': 2, 'a': 1}, [1, [2]] == [1, [2]], (1, 2) < (1, 3), [1, 2] < [1], 'a' if d else 'b', not {}, list(reversed({'a': 1, 'b': 2})))
k = d.keys(); d['new'] = 1; print(k, d.values(), d.items())
l = [3, 1, 2]; l.sort(); print(l, l.sort(reverse=True), l); l.append(4); l.extend('ab'); l.insert(0, 'z'); l.insert(-1, 'y'); l.insert(100, 'e'); print(l, l.pop(), l.pop(0), l.index(1), l.count(4), l.remove(4), l, l.reverse(), l, l.copy(), l * 2, l + [1]); l.clear(); print(l)
for f in (lambda: l.pop(), lambda: l.remove(1), lambda: l.index(1), lambda: [1].pop(5), lambda: [1].insert('a', 1), lambda: [].sort(key=1) , lambda: [1, 2].sort(key=1), lambda: [1].extend(5), lambda: (1,).append(2), lambda: [1].index(1, 1)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
words = ['banana', 'Apple', 'cherry', 'apple', 'fig']
print(sorted(words), sorted(words, key=len), sorted(words, key=str.lower), sorted(words, key=lambda w: (-len(w), w)), sorted(words, key=len, reverse=True), min(words, key=len), sorted({'b': 1, 'a': 2}), sorted([(1, 'b'), (1, 'a'), (0, 'z')]), sorted([[2], [1, 5], [1]]), sorted([True, 0, 2.5, -1]))
a = {1, 2, 3}; b = {2, 3, 4}
print(sorted(a | b), sorted(a & b), sorted(a - b), sorted(a ^ b), a <= {1, 2, 3, 4}, a < a, a.issubset(b), a.isdisjoint({9}), len(a), 1 in a, a == {3, 2, 1}, sorted(a.union([7], [8])), a.intersection(b) == {2, 3}, set(), {*a, 9} == {1, 2, 3, 9})
a.add(5); a.discard(99); a.remove(1); a.update([6]); a |= {7}; a -= {2}; print(sorted(a), a.difference([3]) == {5, 6, 7})
try: a.remove(100)
except KeyError as e: print('KeyError', e)
x = [1, 2, 3]; x.append(x); print(x); m = {}; m['m'] = m; print(m)
nested = [[0] * 3 for _ in range(2)]; nested[0][1] = 5; print(nested); shared = [[0] * 2] * 2; shared[0][0] = 1; print(shared)
from collections import defaultdict, Counter, deque, OrderedDict, namedtuple
dd = defaultdict(list); dd['a'].append(1); print(dd, dd['q'], dict(dd), 'zz' in dd); c = Counter('abracadabra'); print(c, c.most_common(2), c['z'], c + Counter('a'), sum(c.values()), sorted(c.elements())[:3])
q = deque([1, 2, 3], maxlen=3); q.append(4); q.appendleft(0); print(q, q[0], q.popleft(), q.pop(), len(q), list(q)); q.rotate(1); print(q)
Pt = namedtuple('Pt', 'x y', defaults=[5]); p = Pt(1); print(p, p.x, p[1], p._replace(x=3), p._asdict(), Pt._fields, p == (1, 5), *p, Pt._make([7, 8])); x, y = p
od = OrderedDict(a=1, b=2); print(list(od))
print((1,), (), (1, 2) + (3,), (1, 2) * 2, (1, 2, 1).count(1), (1, 2).index(2), ((1, 2), [3]), tuple('ab'), 1, )
print([1, 2, 3] == [1, 2, 3.0], [] == (), [1] != [1], (1, 'a') == (1, 'a'), [None] == [None], {} == [], [] is [], None is None)
