# Classes: inheritance, C3 order, super, properties, operators, containers' methods.
class Shape:
    kind = "shape"
    made = 0

    def __init__(self, name, size=1):
        self.name = name
        self.size = size
        Shape.made += 1

    def area(self):
        raise NotImplementedError

    def __repr__(self):
        return f"{type(self).__name__}({self.name!r})"

    def __lt__(self, other):
        return self.area() < other.area()

    def __eq__(self, other):
        return isinstance(other, Shape) and self.area() == other.area()

    def __hash__(self):
        return hash(self.name)


class Square(Shape):
    kind = "square"

    def area(self):
        return self.size * self.size


class Circle(Shape):
    def area(self):
        return 3 * self.size**2

    @property
    def radius(self):
        return self.size

    @radius.setter
    def radius(self, value):
        if value < 0:
            raise ValueError("negative")
        self.size = value


shapes = [Circle("c", 2), Square("s", 3), Square("t", 1)]
print(shapes, sorted(shapes), max(shapes), Shape.made)
print([s.kind for s in shapes], [s.area() for s in shapes])
c = shapes[0]
c.radius = 5
print(c.radius, c.size, c.area())
try:
    c.radius = -1
except ValueError as error:
    print("refused:", error)
try:
    Shape("x").area()
except NotImplementedError:
    print("abstract")
print(Square("a", 2) == Square("b", 2), Square("a", 2) != Square("b", 3), Square("q") in shapes)
print(len({Square("a"), Square("a")}))


class A:
    def who(self):
        return ["A"]


class B(A):
    def who(self):
        return ["B"] + super().who()


class C(A):
    def who(self):
        return ["C"] + super().who()


class D(B, C):
    def who(self):
        return ["D"] + super().who()


print(D().who(), [k.__name__ for k in D.__mro__], issubclass(D, A), isinstance(D(), (int, C)))


class Vector:
    def __init__(self, *items):
        self.items = list(items)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]

    def __setitem__(self, i, value):
        self.items[i] = value

    def __iter__(self):
        return iter(self.items)

    def __contains__(self, x):
        return x in self.items

    def __add__(self, other):
        return Vector(*[a + b for a, b in zip(self, other)])

    def __mul__(self, k):
        return Vector(*(a * k for a in self))

    __rmul__ = __mul__

    def __neg__(self):
        return self * -1

    def __iadd__(self, other):
        for i, x in enumerate(other):
            self[i] += x
        return self

    def __call__(self, f):
        return [f(x) for x in self]

    def __bool__(self):
        return any(self.items)

    def __str__(self):
        return "<" + ", ".join(str(x) for x in self.items) + ">"


v = Vector(1, 2, 3)
w = v
print(v + v, 2 * v, v * 3, -v, len(v), v[1], v[-1], v[0:2], 2 in v, 9 in v)
v += Vector(10, 20, 30)
print(w, v is w, v(lambda x: x // 2), bool(Vector(0, 0)), bool(v), str(v))
a, *b = v
print(a, b, list(v), max(v), sum(v), tuple(v))


class Counter:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


print(list(Counter(4)), sum(Counter(5)), 2 in Counter(3))


class Lazy:
    def __getattr__(self, name):
        if name.startswith("x"):
            return name.upper()
        raise AttributeError(name)


z = Lazy()
z.own = 7
print(z.own, z.xyz, hasattr(z, "abc"), getattr(z, "abc", "none"), getattr(z, "own"))
setattr(z, "set", 1)
del z.own
print(z.set, hasattr(z, "own"))
print(Square.area(Square("k", 4)), callable(z), callable(v), type(v) is Vector)
