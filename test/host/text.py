# Strings: formatting in four ways, methods, slices, characters beyond ASCII.
from math import pi, inf, nan

values = [0, 1, -1, 255, 10**6, 2**70, True, 0.0, -0.0, 0.1, 1.0, 1e16, 1e-5, 123456.789, 1e22, inf, -inf, nan, 3.5e300]
print(values)
for v in values[:5]:
    print(f"[{v:5}] [{v:<5}] [{v:^7}] [{v:+}] [{v:05}] [{v:x}] [{v:#b}] [{v:,}] [{v:_}]")
for v in values[7:]:
    print(f"[{v:8.3f}] [{v:e}] [{v:g}] [{v:.3}] [{v:+.1f}] [{v:010.2f}] [{v:.0%}] [{v}]")
name, width = "tern", 10
print(f"{name!r:>{width}} {name:*^{width}} {name:.2} {width=} {name!s}")
print(f"{{literal}} {'nested' + 'quotes'} {[x * 2 for x in range(3)]} {dict(a=1)}")
print("%s %r %d %5d %-5d| %05d %x %.2f %e %g %%" % ("a", "b", 1, 2, 3, 4, 255, pi, pi, pi))
print("one %s" % "arg", "%s and %s" % (1, None), "%s" % [1, 2])
print("{} {} {0}".replace("{0}", "x").format(1, 2), "{0} {1} {0}".format("a", "b"))
print("{name:>8} {0:.3f} {x!r}".format(pi, name="n", x="q"))
text = "  The quick brown fox  "
print(text.strip(), text.lstrip() + "|", text.rstrip() + "|", text.split(), text.upper())
print("a,b,,c".split(","), "a,b,c".split(",", 1), "abc".split("x"), "one two  three".split(None, 1))
print("banana".replace("an", "AN"), "banana".replace("a", "o", 2), "banana".count("an"))
print("banana".find("n"), "banana".rfind("n"), "banana".find("z"), "banana".index("nan"))
print("abc".startswith("ab"), "abc".endswith(("x", "c")), "abc".startswith(""))
print("Abc Def".lower(), "abc def".title(), "abc".capitalize(), "aBc".swapcase())
print("7".zfill(3), "-7".zfill(4), "x".center(5, "-"), "x".ljust(4) + "|", "x".rjust(4), "ab".center(5))
print("123".isdigit(), "abc".isalpha(), "a1".isalnum(), "".isdigit(), " ".isspace())
print("k=v=w".partition("="), "kv".partition("="), "a\nb\r\nc".splitlines())
print("prefix-x".removeprefix("prefix-"), "x.py".removesuffix(".py"))
print("abcdef"[1:4], "abcdef"[::-1], "abcdef"[-2:], "abcdef"[::2], "abc"[5:], "abc" * 2, 2 * "-")
print("x" in "xyz", "b" < "a", "abc" == "ab" + "c", max("hello"), sorted("hello"))
print(repr("it's"), repr('say "hi"'), repr("both ' and \""), repr("tab\tnew\nback\\"), repr("\x00\x7f"))
word = "naïve €"
print(word, len(word), word[2], word[-1], word[::-1], list(word), ord("€"), chr(8364), repr(word))
print(word.find("€"), f"{word:>9}|{word:<9}|", word.split())
print(str(1), str(None), str([1, "a"]), str(1.0), str((1,)), str({}), str({1: "x"}), str(set()))
print(int("42"), int("9" * 38), int("1_000"), int("-7"), int(" 8 "), int("ff", 16), int("0x1f", 16), int(3.99), int(-3.99), int(True))
print(float("1.5"), float("-inf"), float("1e3"), float(" 2 "), bool(""), bool("x"), bool(0.0))
print(hex(255), oct(8), bin(5), hex(-1), abs(-3), abs(-2.5), round(2.675, 2), round(-0.5), round(1.5))
print("a" "b", 'c'
      "d", "line\\n", r"raw\n", """three
lines""")
print("x", "y", sep="-", end="!\n")
print("x", end="")
print()
print(*[1, 2, 3], sep=", ")
