# try, except, else, finally, raise, with: in Python's order.
def order(what):
    log = []
    try:
        try:
            log.append("body")
            if what == "value":
                raise ValueError("v")
            if what == "key":
                {}["missing"]
            if what == "return":
                return log
            log.append("end")
        except ValueError as error:
            log.append(f"value {error}")
            raise RuntimeError("again") from error
        except (KeyError, IndexError) as error:
            log.append(f"lookup {error!r}")
        else:
            log.append("else")
        finally:
            log.append("finally")
    except RuntimeError as error:
        log.append(str(error))
    return log


for what in ("none", "value", "key", "return"):
    print(what, order(what))


class Failed(Exception):
    def __init__(self, code, why="no reason"):
        super().__init__(f"{code}: {why}")
        self.code = code


class Worse(Failed):
    pass


for kind in (Failed, Worse):
    try:
        raise kind(3)
    except Worse as error:
        print("worse", error, error.code, error.args)
    except Failed as error:
        print("failed", error, error.code, repr(error))


def nested(n):
    try:
        if n == 0:
            return 1 // n
        return nested(n - 1) + 1
    finally:
        trail.append(n)


trail = []
try:
    nested(3)
except ZeroDivisionError as error:
    print(error, trail)

for wrong in (
    lambda: [1][5],
    lambda: (1,)[2],
    lambda: "ab"[7],
    lambda: {}[(1, 2)],
    lambda: None + 1,
    lambda: "a" + 1,
    lambda: 1 + "a",
    lambda: [] < 1,
    lambda: undefined_name,
    lambda: (1).missing,
    lambda: "x".missing,
    lambda: int("12x"),
    lambda: float("abc"),
    lambda: len(5),
    lambda: [i for i in 5],
    lambda: {[]: 1},
    lambda: (lambda a: a)(),
    lambda: (lambda a: a)(1, 2),
    lambda: (lambda a, b, c: a)(1),
    lambda: (lambda *, a: a)(),
    lambda: 1 / 0,
    lambda: 1 % 0,
    lambda: 1.0 // 0,
    lambda: 2 ** -1 << 3,
    lambda: "%d" % "a",
    lambda: "{}".format(),
    lambda: [1, 2].remove(3),
    lambda: [].pop(),
    lambda: next(iter([])),
    lambda: -"a",
    lambda: sorted([1, "a"]),
    lambda: 1 in "abc",
    lambda: range(0, 5, 0),
    lambda: chr(-1),
    lambda: isinstance(1, 5),
    lambda: f"{'a':d}",
    lambda: f"{1.5:d}",
    lambda: "".join([1]),
    lambda: dict([1]) if False else {}.pop("k"),
):
    try:
        print("got", wrong())
    except Exception as error:
        print(type(error).__name__, error)


def unpack(values):
    try:
        a, b = values
        return a, b
    except ValueError as error:
        return str(error)


print(unpack([1]), unpack([1, 2]), unpack([1, 2, 3]), unpack("xy"))


def local():
    try:
        print(later)
    except UnboundLocalError as error:
        print(error)
    later = 1


local()


class Resource:
    def __init__(self, name, swallow=False):
        self.name, self.swallow = name, swallow

    def __enter__(self):
        print("open", self.name)
        return self.name

    def __exit__(self, kind, value, trace):
        print("close", self.name, kind.__name__ if kind else None, value)
        return self.swallow


with Resource("a") as a, Resource("b", True) as b:
    print(a, b)
    raise ValueError("inside")
with Resource("c"):
    pass
try:
    with Resource("d"):
        raise KeyError("out")
except KeyError as error:
    print("outside", error)


def early():
    with Resource("e"):
        return "returned"


print(early())
for i in range(3):
    try:
        if i == 1:
            continue
        if i == 2:
            break
        print("turn", i)
    finally:
        print("after", i)
assert True, "not shown"
try:
    assert 1 == 2, f"{1} is not {2}"
except AssertionError as error:
    print("assertion:", error)
try:
    try:
        raise ValueError("first")
    except ValueError:
        raise
except ValueError as error:
    print("again:", error)
