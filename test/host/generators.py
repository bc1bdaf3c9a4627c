# Generators: each way to go on with one and to end it, yield from, what is dropped; contextlib.
def count(n):
    print("begin")
    for i in range(n):
        got = yield i
        if got: print("got", got)
    return "end"
def both():
    x = yield from count(2)
    print("x", x)
    yield 9
print(list(count(3)), [y for y in both()])
g = count(3)
print(next(g), g.send("a"))
g.close()
print(list(g))
def guarded():
    try:
        yield 1
        yield 2
    except ValueError as e:
        print("caught", e)
        yield 3
    finally:
        print("finally")
g = guarded(); next(g); print(g.throw(ValueError("v")))
del g
def dropped():
    for x in guarded():
        return x
print(dropped())
def bad():
    yield 1
    raise KeyError("k")
try:
    for x in bad(): print(x)
except KeyError as e: print("KeyError", e)
g = count(0)
try: next(g)
except StopIteration as e: print("stop", e.args)
def wrong():
    yield 1
    raise StopIteration
try: list(wrong())
except RuntimeError as e: print(e)
def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b
print([x for _, x in zip(range(10), fib())])
def tree(n):
    if n:
        yield from tree(n - 1)
        yield n
        yield from tree(n - 1)
print(list(tree(4)), sum(tree(3)), max(tree(3)), dict(zip("abc", fib())))
class A:
    def __iter__(self):
        yield 1
        yield 2
print(list(A()), *A(), 2 in A())
g = count(1)
try: g.send(3)
except TypeError as e: print(e)
def me():
    yield next(h)
h = me()
try: next(h)
except ValueError as e: print(e)


# contextlib stands on generators.
from contextlib import closing, contextmanager, nullcontext, suppress


@contextmanager
def named(name, swallow=False):
    print("enter", name)
    try:
        yield name.upper()
    except KeyError as error:
        print("saw", error)
        if not swallow:
            raise
    finally:
        print("leave", name)


with named("a") as a, nullcontext(5) as five:
    print(a, five)
with named("b", swallow=True):
    raise KeyError("gone")
try:
    with named("c"):
        raise KeyError("kept")
except KeyError as error:
    print("outside", error)


def returns():
    with named("d"):
        return "returned"


print(returns())


@named("e")
def decorated(x):
    return x + 1


print(decorated(1), decorated(2))
with suppress(ValueError, KeyError):
    raise ValueError("swallowed")


@contextmanager
def twice():
    yield 1
    yield 2


@contextmanager
def never():
    if False:
        yield


for broken in twice, never:
    try:
        with broken():
            print("inside")
    except RuntimeError as error:
        print(error)


class Thing:
    def close(self):
        print("closed")


with closing(Thing()) as thing:
    print(type(thing).__name__)
