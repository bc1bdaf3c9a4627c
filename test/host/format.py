# Formats: all that the parts of a format's words say, over values of each kind; '%', str.format, repr.
def show(*calls):
    out = []
    for call in calls:
        try:
            out.append(repr(call()))
        except Exception as error:
            out.append(type(error).__name__ if isinstance(error, TypeError) else f"{type(error).__name__}: {error}")
    print(" | ".join(out))


ints, texts = (0, 5, -42, 1234567, True), ("", "ab", "añ")
floats = (0.0, -0.0, 1.0, -2.5, 0.1, 100.0, 123456.0, 1234567.5, 1e16, 1.5e-7, 1e22, float("inf"), float("-inf"), float("nan"))
for spec in ("", "8", "<8", ">8", "^8", "^9", "=8", "*<8", "*>8", "é^8", "==8", "+", "-", " ", "+8", "08", "+08", "<08", ">08", "^08", "*08", "0", "1",
             ",", "_", ",d", "_d", "10,", "d", "b", "o", "x", "X", "#b", "#o", "#x", "#X", "#10x", "#010x", "+#x", "_b", "_x", ",x", ",b", "e", ".2f", ".0f", "%", ".1%",
             "g", ".3g", "n", "s", "q", "<", ".2", "08.2f"):
    print(spec, end=": ")
    show(*[lambda v=v: format(v, spec) for v in ints])
for spec in ("", "8", "<12", ">12", "^12", "=12", "*^12", "012", "<012", "+", " ", "-", "+012", ",", "_", ",.2f", "_.1f", "f", ".0f", ".1f", ".3f", "10.3f", "<10.3f", "+.2f",
             "F", "e", ".0e", ".2e", "E", "g", ".0g", ".3g", ".8g", "G", "n", "%", ".1%", ".0%", ".0", ".1", ".2", ".3", ".6", ".17", "12.4", "d", "x", "s", "q", ",.3g", ",e"):
    print(spec, end=": ")
    show(*[lambda v=v: format(v, spec) for v in floats])
for spec in ("", "5", "<5", ">5", "^5", "^6", "*^5", "é>5", ".1", ".0", "4.1", ".9", "s", "5s", ".1s", "05", "<05", ">05", "*05", "d", "f", "x", "5.1q", "0"):
    print(spec, end=": ")
    show(*[lambda v=v: format(v, spec) for v in texts])
show(lambda: format([], "5"), lambda: format(None, "5"), lambda: format([1], ""), lambda: format(None, ""), lambda: format((1,)), lambda: format(1, 2))
for spec in ("=5", "+5", "#5", ",", "_", "+s", ",s"):
    show(lambda: format("ab", spec))

for spec in ("%d", "%5d", "%-5d|", "%05d", "%+d", "% d", "%+05d", "%-05d|", "%i", "%u", "%x", "%X", "%#x", "%o", "%#o"):
    show(*[lambda v=v: spec % v for v in (0, 7, -42, 255, True)])
for spec in ("%f", "%.2f", "%8.1f", "%-8.1f|", "%08.1f", "%+.1f", "% .1f", "%e", "%.1e", "%E", "%g", "%.3g", "%G", "%d", "%s", "%r", "%5s"):
    show(*[lambda v=v: spec % v for v in (0.0, -0.0, 1.5, -2.25, 123456.789, 1e20)])
for spec in ("%s", "%5s", "%-5s|", "%.1s", "%5.1s", "%r", "%8r", "%-8r|", "%a", "%%", "a%sb%%", "%05s"):
    show(*[lambda v=v: spec % (v,) for v in ("", "ab", "a'b", None, [1], 3, "a\n")])
show(lambda: "%d" % "a", lambda: "%s", lambda: "%s %s" % 1, lambda: "%s" % (1, 2), lambda: "a" % 1, lambda: "a" % (), lambda: "%s" % (), lambda: "%s%s" % (1, 2),
     lambda: "%f" % None, lambda: "%d" % float("inf"), lambda: "%d" % float("nan"), lambda: "%d" % 1e20, lambda: "a" % {}, lambda: "%s" % {1: 2}, lambda: "%x" % 1.5)
show(lambda: "{}".format(1), lambda: "{} {}".format(1, 2), lambda: "{1} {0} {1}".format(1, 2), lambda: "{a} {b!r:>5}".format(a=1, b="x"), lambda: "{{}} {{{}}}".format(1),
     lambda: "{}".format(), lambda: "{0} {2}".format(1, 2), lambda: "{a}".format(b=1), lambda: "}".format(1), lambda: "{:>4}{:<4}|".format(1, 2),
     lambda: "{!s:^5}".format("a"), lambda: "{0:{1}}" and 1, lambda: "{:.2f}%".format(0.5), lambda: "{}{}{}".format("a", 1.0, None), lambda: "".format(1), lambda: "{10}".format(1))
width, value, name = 7, 3.14159, "ñ"
print(f"{value:{width}.{2}f}|{value!r:>9}|{name!s:*^5}|{name!r}|{{}}|{value=}|{value = :.2f}|{width:>{width}}|{'a' 'b'}|{width + 1:03}")
print([repr(c) for c in ("", "'", '"', "'\"", "\\", "\n\r\t", "\x00\x1f\x7f", "é", "😀")])
print(1e15, 1e16, 1e17, 123456789012345680.0, 1e-4, 1e-5, 0.00012, 1.0, 1.5, -0.0, 1e100, 5e-324, 1.7976931348623157e308, 2.0**53, 1 / 3, 2 / 3, 100.0)
print([1.0, (2, [3, {"k": ()}]), None, True, "q", {}, set(), (1,), range(3), range(1, 4, 2), slice(1, None), int, len("x")], str([("a",)]), {"a": {1}})
print("a", "b", sep="", end="|"), print(), print(1, None, [2], sep="-"), print(sep="x"), print("x", end=""), print("", end="\n")
