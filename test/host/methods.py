# The methods of str, list, tuple, dict and set over the edges of their arguments, and their words.
def show(*calls):
    out = []
    for call in calls:
        try:
            out.append(repr(call()))
        except Exception as error:
            out.append(type(error).__name__ if isinstance(error, TypeError) else f"{type(error).__name__}: {error}")
    print(" | ".join(out))


for text in ("", "a", "  a b  ", "a,b,,c,", ",", "aaa", "añb,ñ", "\t\n x\r", "abab"):
    for cut in (",", "a", "ab", "b", "  "):
        show(lambda: text.split(cut), lambda: text.split(cut, 1), lambda: text.split(cut, 0), lambda: text.split(cut, -1),
             lambda: text.partition(cut), lambda: text.replace(cut, "<>"), lambda: text.replace(cut, "", 1), lambda: text.replace(cut, "z", 0),
             lambda: text.replace(cut, "z", -1), lambda: text.count(cut), lambda: text.find(cut), lambda: text.rfind(cut),
             lambda: text.index(cut), lambda: text.startswith(cut), lambda: text.endswith(cut), lambda: text.strip(cut),
             lambda: text.lstrip(cut), lambda: text.rstrip(cut), lambda: text.removeprefix(cut), lambda: text.removesuffix(cut),
             lambda: cut in text, lambda: cut.join(text))
    show(lambda: text.split(), lambda: text.split(None, 0), lambda: text.split(None, 1), lambda: text.split(maxsplit=2), lambda: text.strip(),
         lambda: text.lstrip(), lambda: text.rstrip(), lambda: text.strip(None), lambda: text.strip(""), lambda: text.count(""), lambda: text.find(""),
         lambda: text.rfind(""), lambda: text.splitlines(), lambda: text.startswith(("x", "a")), lambda: text.endswith(()), lambda: text.zfill(4))
    for width in (-1, 0, 3, 4, 5, 8):
        show(lambda: text.center(width), lambda: text.ljust(width, "*"), lambda: text.rjust(width, "é"), lambda: text.zfill(width))
for text in ("", "aBc dEf", "they're 2nd a1b", "ABC", "abc", "123", "a1", " \t", "x y", "-7", "+7", "@[`{/:", "\x1c\x1f", "Az0"):
    show(lambda: text.upper(), lambda: text.lower(), lambda: text.title(), lambda: text.capitalize(), lambda: text.swapcase(), lambda: text.isdigit(),
         lambda: text.isalpha(), lambda: text.isalnum(), lambda: text.isspace(), lambda: text.zfill(5))
for text in ("a\nb", "a\nb\n", "\n", "\n\n", "a\r\nb", "a\rb", "a\r", "\r\n", "a\n\rb", "a\x0bb\x0cc\x1cd\x1de\x1ef\x1fg"):
    show(lambda: text.splitlines())
show(lambda: "banana".find("an", 2), lambda: "banana".find("an", 4), lambda: "banana".find("", 6), lambda: "banana".find("", 7),
     lambda: "banana".rfind("an", 3), lambda: "banana".rfind("an", 4), lambda: "banana".index("x"), lambda: "a".split(""), lambda: "a".partition(""))
show(lambda: ",".join(["a", 1]), lambda: ",".join([]), lambda: "".join(("a", "b")), lambda: ", ".join({"k": 1}), lambda: ",".join(3),
     lambda: "a".center(3, "ab"), lambda: "a".ljust(3, ""), lambda: "ab".startswith(("b", "a")), lambda: "abc".nothing, lambda: "a" + 1, lambda: "a" * -1,
     lambda: "ab" * 2, lambda: 0 * "ab", lambda: 1 in "1", lambda: "" in "", lambda: "b" < "abc", lambda: "" < "a", lambda: "a" < "ab", lambda: "é" > "z")

for at in (-9, -4, -3, -1, 0, 1, 2, 3, 9):
    xs, ys, zs = [1, 2, 3], [1, 2, 3], [1, 2, 3]
    show(lambda: xs.insert(at, 0), lambda: xs, lambda: ys.pop(at), lambda: ys, lambda: zs[at], lambda: len(zs))
    ys = [1, 2, 3]
    try:
        ys[at] = 9
        del zs[at]
    except IndexError as error:
        print(error)
    print(ys, zs)
for start in (None, 0, 1, 3, -1, 9):
    for stop in (None, 0, 2, 3, -1, -9):
        xs, ys = [1, 2, 3], [1, 2, 3]
        xs[start:stop] = "ab"
        del ys[start:stop]
        print(xs, ys, end=" ")
    print()
xs = [3, 1, 2, 3, 1.0, True]
show(lambda: xs.index(1), lambda: xs.index(True), lambda: xs.index(9), lambda: xs.index("a"), lambda: xs.count(1), lambda: xs.count(9), lambda: xs.remove(3),
     lambda: xs, lambda: xs.remove(9), lambda: xs.reverse(), lambda: xs, lambda: xs.sort(), lambda: xs, lambda: xs.sort(reverse=True), lambda: xs,
     lambda: xs.sort(key=lambda x: -x), lambda: xs, lambda: [1, "a"].sort(), lambda: [].pop(), lambda: [1].pop(1), lambda: [1].pop(-2), lambda: xs.extend(3),
     lambda: xs.extend(xs), lambda: xs, lambda: xs.clear(), lambda: xs, lambda: [1].pop("a"), lambda: (1, 2, 2).count(2), lambda: (1, 2).index(2),
     lambda: (1, 2).index(3), lambda: [[1], [2]].index([2]), lambda: xs.append(1, 2), lambda: xs.append(), lambda: xs.nothing)
pairs = [(1, "b"), (0, "a"), (1, "a"), (0, "b"), (2, "c"), (1, "c")]
print(sorted(pairs, key=lambda p: p[0]), sorted(pairs, key=lambda p: p[0], reverse=True), sorted(pairs), sorted(pairs, reverse=True))
for n in range(9):
    print(sorted([(i * 5) % 7 for i in range(n)]), sorted([(i * 5) % 7 for i in range(n)], reverse=True), list(reversed(range(n))), sum(range(n)))
lists = [[], [1], [1, 2], [1, 3], [2], [1, 2, 0], ["a"]]
for a in lists:
    show(*[lambda b=b: (a < b, a <= b, a == b, a != b, a >= b, a > b, tuple(a) < tuple(b), a + b, a * 2) for b in lists])
sets = [set(), {1}, {2}, {1, 2}, {1, 2, 3}, {3, 4}]
for a in sets:
    for b in sets:
        show(lambda: (a < b, a <= b, a == b, a != b, a >= b, a > b, sorted(a | b), sorted(a & b), sorted(a - b), sorted(a ^ b), sorted(a.union(b)), sorted(a.intersection(b)), sorted(a.difference(b)),
                      a.issubset(b), a.issuperset(b), a.issubset(list(b))))
s = {1, 2, 3}
show(lambda: s.add(4), lambda: s, lambda: s.discard(4), lambda: s.discard(9), lambda: s, lambda: s.remove(9), lambda: s.remove(1), lambda: s, lambda: s.update([7, 2]),
     lambda: s, lambda: s.copy() == s, lambda: s.copy() is s, lambda: s.add([1]), lambda: {(1, [2])}, lambda: s < [1], lambda: s | [1], lambda: s.union(3),
     lambda: s.clear(), lambda: s, lambda: [] in s, lambda: set("aab") == {"a", "b"}, lambda: len(set([1, 1.0, True, 2])), lambda: set(3))
d = {"a": 1, 2: "b", (1, 2): None, 1.5: [0], True: 0}
show(lambda: d["a"], lambda: d["b"], lambda: d[2.0], lambda: d[1, 2], lambda: d[1], lambda: d[[1]], lambda: d.get("a"), lambda: d.get("b"), lambda: d.get("b", 5),
     lambda: d.get([]), lambda: "a" in d, lambda: "b" in d, lambda: 1 in d, lambda: [] in d, lambda: d.pop("zz"), lambda: d.pop("zz", 3), lambda: d.pop(2), lambda: d,
     lambda: d.setdefault("a", 9), lambda: d.setdefault("c", 9), lambda: d.setdefault("n"), lambda: d, lambda: d.popitem(), lambda: {}.popitem(),
     lambda: d.update([(1, 2), "xy"], z=3), lambda: d, lambda: d.update([(1, 2, 3)]), lambda: d.update([1]), lambda: d.update(3), lambda: len(d), lambda: list(d.items()),
     lambda: list(d), lambda: list(d.values()), lambda: d.keys(), lambda: d.values(), lambda: d.items(), lambda: len(d.keys()), lambda: d.copy() == d, lambda: d | {"a": 2},
     lambda: d.clear(), lambda: d, lambda: bool(d), lambda: d.nothing, lambda: dict([(1, 2)], a=3), lambda: dict({1: 2}), lambda: {1: 2} == {1: 2.0},
     lambda: {1: 2} == {1: 3}, lambda: {1: 2} == {2: 2}, lambda: {1: 2, 3: 4} == {3: 4, 1: 2}, lambda: {1: 2} < {1: 3}, lambda: {1: 2} == {1: 2, 3: 4})
d = {}
for i in range(40):
    d[i * 7 % 41] = i
for i in range(0, 41, 3):
    d.pop(i, None)
d[3] = "again"
print(d, [i in d for i in range(41)])
s = {i * 7 % 41 for i in range(40)}
for i in range(0, 41, 3):
    s.discard(i)
print(sorted(s), len(s), [i in s for i in range(41)])

show(lambda: max([], default=3), lambda: min(3), lambda: max(), lambda: min(2, 1, 3), lambda: max([1, 3, 2]), lambda: min(["b", "a"]), lambda: max("a", 1),
     lambda: min([(1, "b"), (1, "a")], key=lambda p: p[0]), lambda: max([(1, "b"), (1, "a")], key=lambda p: p[0]), lambda: min([2, 1], key=None),
     lambda: sum([[1], [2]], []), lambda: sum(["a"]), lambda: sum([1, 2], 3), lambda: sum(()), lambda: any([]), lambda: all([]), lambda: any([0, "", 1]), lambda: all([1, ""]))
show(lambda: list(enumerate("ab")), lambda: list(enumerate("ab", -1)), lambda: list(zip()), lambda: list(zip("ab", [1])), lambda: list(zip([1, 2, 3], "ab", (7, 8, 9))),
     lambda: list(map(str)), lambda: list(map(str, [1])), lambda: list(map(lambda a, b: a + b, [1, 2], [3])), lambda: list(filter(None, [0, 1, []])),
     lambda: list(filter(lambda x: x % 2, range(6))), lambda: next(iter([])), lambda: next(iter([]), 4), lambda: next(iter("añ")), lambda: next([1]), lambda: list(reversed("abc")),
     lambda: list(zip(3)), lambda: enumerate(3), lambda: list(iter((1, 2))), lambda: 2 in iter([1, 2]), lambda: 3 in map(abs, [-3]), lambda: list(map(None, [1])))
show(lambda: isinstance(1, int), lambda: isinstance(True, int), lambda: isinstance(1, bool), lambda: isinstance(1, (str, float)), lambda: isinstance([], (str, (int, list))),
     lambda: isinstance(1, 2), lambda: issubclass(bool, int), lambda: issubclass(int, bool), lambda: issubclass(1, int), lambda: callable(len), lambda: callable(1),
     lambda: callable(int), lambda: callable(lambda: 1), lambda: getattr(1, "nothing"), lambda: getattr(1, "nothing", 5), lambda: hasattr([], "append"), lambda: hasattr([], "x"),
     lambda: type(1) is int, lambda: type(type(1)), lambda: str(type([])), lambda: len(5), lambda: nothing, lambda: bool([]), lambda: bool({0}))
