# Lists, tuples, dicts, sets, ranges, slices, comprehensions, iterators.
xs = [5, 3, 8]
ys = xs
ys.append(1)
xs += [9]
print(xs, ys is xs, xs.index(8), xs.count(3), len(xs), xs[1:3], xs[-1])
xs.sort()
print(xs, sorted(xs, reverse=True), xs.pop(), xs.pop(0), xs)
xs.insert(1, "in")
xs.extend((7, 7))
xs.remove(7)
print(xs, xs * 2, xs + [0], [0] * 3)
xs.reverse()
del xs[0]
xs[0:1] = [1, 2, 3]
print(xs, xs.copy() == xs, xs.copy() is xs)
grid = [[0] * 3 for _ in range(2)]
grid[1][2] = 5
shared = [[0]] * 2
shared[0].append(1)
print(grid, shared, [1, [2, [3]]], [1, 2] < [1, 3], [1] == [1.0], (1, 2) < (1, 2, 0))
words = ["bb", "a", "ccc", "dd"]
print(sorted(words, key=len), sorted(words, key=lambda w: (-len(w), w)), max(words, key=len), min(words))
loop = []
loop.append(loop)
print(loop, loop == loop)
d = {"one": 1, "two": 2}
d["three"] = 3
d["one"] = 11
print(d, list(d), list(d.values()), list(d.items()), d.get("x"), d.get("x", 0), "two" in d)
print(d.pop("two"), d.pop("zz", None), d.setdefault("new", []), d)
d["new"].append(4)
d.update({"a": 1}, b=2)
d |= {"c": 3}
print(d, {**d, "a": 9} | {"z": 0}, dict(x=1), dict([(1, 2)]), len(d))
for key, value in d.items():
    if value == 3:
        print("three:", key)
print({k: v for k, v in zip("abc", range(3))}, {1: "a", True: "b", 1.0: "c"}, d.keys(), dict(a=1).items())
try:
    for key in d:
        d[key + "x"] = 0
except RuntimeError as error:
    print(error)
big = {i: i * i for i in range(1000)}
for i in range(0, 1000, 2):
    del big[i]
print(len(big), big[501], 500 in big, sum(big.values()), list(big)[:3])
s = {3, 1, 2}
s.add(2)
s.discard(9)
print(sorted(s), len(s), 2 in s, s == {1, 2, 3}, sorted(s | {4}), sorted(s & {1, 9}), sorted(s - {1}), sorted(s ^ {1, 7}))
print({1} < {1, 2}, {1, 2} <= {1, 2}, set() == set(), sorted(set("hello")), {1}.issubset([1, 2]))
many = set()
for i in range(500):
    many.add(i % 97)
print(len(many), 96 in many, 97 in many)
t = (1, "a", None)
a, b, c = t
(p, q), r = (1, 2), 3
first, *middle, last = range(6)
print(t, a, b, c, p, q, r, first, middle, last, t[1], t + (4,), (), (1,), t.index("a"))
a, b = b, a
print(a, b, range(5), list(range(5, 0, -2)), len(range(0, 10, 3)), 6 in range(0, 10, 3), range(3) == range(3))
print([x for x in range(20) if x % 3 == 0 if x % 2], [(i, j) for i in range(3) for j in range(i)])
print(list(enumerate("ab", 1)), list(zip([1, 2, 3], "ab")), list(map(lambda x, y: x * y, [1, 2], [3, 4])))
print(list(filter(None, [0, 1, "", 2])), list(filter(lambda x: x > 1, [1, 2, 3])), list(reversed([1, 2])))
print(sum([1, 2, 3]), sum([0.5, 0.25], 1), any(x > 2 for x in [1, 3]), all(x > 2 for x in [1, 3]))
it = iter([1, 2])
print(next(it), next(it), next(it, "end"))
z = zip([1, 2], [3, 4])
print(list(z), list(z))
matrix = [[1, 2, 3], [4, 5, 6]]
print([list(row) for row in zip(*matrix)], [y for row in matrix for y in row])
fs = [lambda: i for i in range(3)]
gs = [lambda i=i: i for i in range(3)]
print([f() for f in fs], [g() for g in gs])
if (n := len(matrix)) > 1:
    print("n is", n)
print([y := 1, y**2], y)
x = 5
print(1 < x < 10, 1 < x > 7, x == 5 == 5.0, not x, x and 0, 0 or "or", None is None, x is not None)
print("yes" if x > 3 else "no", [1, 2][x > 3], (lambda *a, **k: (a, k))(1, 2, z=3))
print(type([]).__name__, type({}), type(()), type(set()), type(1.0), type(None), type(print).__name__, type(len))
print(isinstance([], list), isinstance(1, (str, int)), isinstance(True, int), type(True) == bool, int is int)
print(divmod(17, 5), divmod(-17, 5), -17 // 5, -17 % 5, 17 % -5, 7.5 // 2, -7.5 % 2, 2**10, 2**0.5, 2**-2)
print(7 & 3, 7 | 8, 7 ^ 2, ~7, 1 << 20, -9 >> 1, True + True, 0x10, 0b11, 0o7, 1_000, 10**18 * 10**18)
print(1e3, 5 / 2, 4 / 2, 1 // 1, 3.0, 1e100, -0.0, 0.1 + 0.2, 1 / 3, 100000000000000000.0, 1e15, 2.5e-7)

bits = 5
bits |= 10
d = {"a": 1}
try:
    d &= {"a": 2}
except TypeError as error:
    print(type(error).__name__, d)
print(bits, bits | 16)
