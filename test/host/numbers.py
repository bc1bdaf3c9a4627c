# Operators, comparisons and conversions of numbers over all pairs of edges, slices and ranges over all
# ends, what math says at the ends of its functions: results, and Python's words where there are none.
import math


def show(*calls):
    out = []
    for call in calls:
        try:
            out.append(repr(call()))
        except Exception as error:
            out.append(type(error).__name__ if isinstance(error, TypeError) else f"{type(error).__name__}: {error}")
    print(" | ".join(out))


numbers = [0, 1, -1, -3, 7, 1 << 40, True, 0.0, -0.0, -2.5, 1e300, math.inf]
for a in numbers:
    for b in numbers:
        show(lambda: a + b, lambda: a - b, lambda: a * b, lambda: a == b, lambda: a != b, lambda: a < b,
             lambda: a <= b, lambda: a > b, lambda: a >= b, lambda: min(a, b), lambda: max(a, b))
for a in numbers[:-2]:
    for b in numbers[:-2]:
        show(lambda: a / b, lambda: a // b, lambda: a % b, lambda: divmod(a, b))
for a in (0, 1, -1, 2, -3, 7, True, 255, 1 << 40):
    show(lambda: -a, lambda: +a, lambda: ~a, lambda: abs(a), lambda: not a, lambda: bool(a), lambda: float(a))
    for b in (0, 1, -1, 5, False, 62):
        show(lambda: a & b, lambda: a | b, lambda: a ^ b, lambda: a << b, lambda: a >> b)
for a in (0, 1, -1, 2, -3, 0.5, -2.0, 0.0):
    for b in (0, 1, 2, 3, -1, -2, 0.5, 2.0):
        if a >= 0 or b == int(b):
            show(lambda: a**b)
mixed = [1, 2.5, "a", "", None, [1], (1,), {1: 2}, {1}, range(2), len]
for a in mixed:
    for b in mixed:
        show(lambda: a + b, lambda: a - b, lambda: a < b, lambda: a == b, lambda: a & b)
for a in mixed:
    show(lambda: -a, lambda: ~a, lambda: len(a), lambda: abs(a), lambda: list(a), lambda: sum(a), lambda: bool(a),
         lambda: a[0], lambda: 1 in a, lambda: "a" in a, lambda: sorted(a), lambda: {a: 1})
    show(lambda: int(a), lambda: float(a), lambda: ord(a), lambda: range(a), lambda: round(a), lambda: iter(a) and 1)
nan = math.nan
print(nan == nan, nan != nan, nan < 1, nan > 1, nan >= nan, [nan] == [nan], nan in [nan], min(nan, 1), max(1, nan), bool(nan))

for text in ("0", "-0", "+7", " 8 ", "\t9\n", "12_3", "1__0", "_1", "1_", "_", "", "-", "+", "0x10", "10x", "1.0", "1e3",
             "9" * 24, "f", "ff", "0xfF", "1:", "1;", "g", "1/", "1 2", "- 1", "zz"):
    show(lambda: int(text), lambda: int(text, 16), lambda: int(text, 0), lambda: int(text, 36), lambda: int(text, 2),
         lambda: 1)
for text in ("inf", "-Infinity", "nan", "1e-3", ".5", "5.", ".", "1e", "e5", "0x1p3", " 1.5 ", "1e400", "--1"):
    show(lambda: float(text))
for x in (0.5, 1.5, 2.5, -0.5, -1.5, 2.675, 1e15, 1e22, 0.1, -0.0, math.inf, nan, 7, -8, True):
    show(lambda: round(x), lambda: round(x, 0), lambda: round(x, 2), lambda: round(x, None), lambda: int(x),
         lambda: math.floor(x), lambda: math.ceil(x), lambda: math.trunc(x))
show(lambda: round(1, 1.0), lambda: round("a"), lambda: hex(1.0), lambda: chr(-1), lambda: chr(0x110000))
print([hex(x) + oct(x) + bin(x) for x in (0, 1, -1, 8, 255, -4096)])
print([ord(chr(x)) == x for x in (0, 65, 127, 128, 2047, 2048, 65535, 65536, 0x10FFFF)], [chr(x) for x in (65, 233, 8364, 128512)])

for f in (math.sqrt, math.exp, math.log, math.log2, math.log10, math.log1p, math.expm1, math.sin, math.cos, math.tan,
          math.atan, math.tanh, math.erf, math.fabs, math.isnan, math.isinf, math.floor, math.ceil):
    for x in (0, 1, -1, 0.5, -2.5, 1000, math.inf, -math.inf, nan, "x", None):
        try:
            value = f(x)
            print(value if value == int(value) else f"{value:.12g}", end=" ")
        except Exception as error:
            print(type(error).__name__, "" if isinstance(error, TypeError) else error, end=" ")
    print()
for f in (math.pow, math.fmod, math.atan2):
    for a in (0, -0.0, 2, -8, 1e300, math.inf, nan):
        show(lambda: f(a, 0), lambda: f(a, 2), lambda: f(a, -1), lambda: f(a, 0.5) == f(a, 0.5), lambda: f(a, math.inf))
show(lambda: math.log(8, 2), lambda: math.log(0), lambda: math.log(8, 0), lambda: math.log(8, 1), lambda: math.prod([2, 3, 4.0]),
     lambda: math.prod([]), lambda: math.gcd(12, 18), lambda: math.gcd(-12, 18), lambda: math.gcd(0, -5), lambda: math.gcd(7, -1))
print(math.pi, math.e, math.tau, math.inf, math.nan)

ends = (None, 0, 1, 2, 4, 5, 9, -1, -2, -5, -6)
for start in ends:
    for stop in ends:
        print(*["abcde"[start:stop:step] + str(len(list(range(5))[start:stop:step])) for step in (None, 1, 2, -1, -2, 7)])
for start in (0, 1, -3, 7):
    for stop in (0, 1, 4, -4, 7):
        for step in (1, 2, 3, -1, -2, -5):
            r = range(start, stop, step)
            print(list(r), len(r), [x in r for x in (0, 1, 4)], bool(r), end=" ")
    print()
r = range(2, 20, 3)
show(lambda: r[0], lambda: r[-1], lambda: r[5], lambda: r[6], lambda: r[-6], lambda: r[-7], lambda: r["a"], lambda: range(0, 1, 0),
     lambda: range(1.0), lambda: range(), lambda: range(1, 2, 3, 4), lambda: r, lambda: range(0, 3, 2) == range(0, 4, 2))
xs, t, s = [1, 2, 3], (1, 2, 3), "añb"
show(lambda: xs[3], lambda: xs[-3], lambda: xs[-4], lambda: xs["a"], lambda: xs[1.0], lambda: xs[True], lambda: t[3], lambda: t[None],
     lambda: s[3], lambda: s[-3], lambda: s[-4], lambda: s["a"], lambda: s[1], lambda: s[1:], lambda: s[::-1], lambda: xs[::0], lambda: xs["a":])
