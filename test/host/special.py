# SPDX-License-Identifier: Apache-2.0
# Special methods, descriptors, what changes in place, what objects have by themselves.
class A:
    def __getattr__(s, n): raise AttributeError(n)
class V:
    def __add__(s, o): return 'add'
    def __sub__(s, o): return 'sub'
    def __mul__(s, o): return 'mul'
    def __truediv__(s, o): return 'truediv'
    def __floordiv__(s, o): return 'floordiv'
    def __mod__(s, o): return 'mod'
    def __pow__(s, o): return 'pow'
    def __matmul__(s, o): return 'matmul'
    def __lshift__(s, o): return 'lshift'
    def __rshift__(s, o): return 'rshift'
    def __and__(s, o): return 'and'
    def __or__(s, o): return 'or'
    def __xor__(s, o): return 'xor'
    def __divmod__(s, o): return 'divmod'
v = V()
print(v+1, v-1, v*1, v/1, v//1, v%1, v**1, v@1, v<<1, v>>1, v&1, v|1, v^1, divmod(v, 1))
class R:
    def __radd__(s, o): return 'radd'
    def __rsub__(s, o): return 'rsub'
    def __rmul__(s, o): return 'rmul'
    def __rtruediv__(s, o): return 'rtruediv'
    def __rfloordiv__(s, o): return 'rfloordiv'
    def __rmod__(s, o): return 'rmod'
    def __rpow__(s, o): return 'rpow'
    def __rmatmul__(s, o): return 'rmatmul'
    def __rlshift__(s, o): return 'rlshift'
    def __rrshift__(s, o): return 'rrshift'
    def __rand__(s, o): return 'rand'
    def __ror__(s, o): return 'ror'
    def __rxor__(s, o): return 'rxor'
    def __rdivmod__(s, o): return 'rdivmod'
r = R()
print(1+r, 1-r, 1*r, 1/r, 1//r, 1%r, 1**r, 1@r, 1<<r, 1>>r, 1&r, 1|r, 1^r, divmod(1, r))
class I:
    def __iadd__(s, o): return 'iadd'
    def __isub__(s, o): return 'isub'
    def __imul__(s, o): return 'imul'
    def __itruediv__(s, o): return 'itruediv'
    def __ifloordiv__(s, o): return 'ifloordiv'
    def __imod__(s, o): return 'imod'
    def __ipow__(s, o): return 'ipow'
    def __imatmul__(s, o): return 'imatmul'
    def __ilshift__(s, o): return 'ilshift'
    def __irshift__(s, o): return 'irshift'
    def __iand__(s, o): return 'iand'
    def __ior__(s, o): return 'ior'
    def __ixor__(s, o): return 'ixor'
x = I(); x += 1; print(x)
x = I(); x -= 1; print(x)
x = I(); x *= 1; print(x)
x = I(); x /= 1; print(x)
x = I(); x //= 1; print(x)
x = I(); x %= 1; print(x)
x = I(); x **= 1; print(x)
x = I(); x @= 1; print(x)
x = I(); x <<= 1; print(x)
x = I(); x >>= 1; print(x)
x = I(); x &= 1; print(x)
x = I(); x |= 1; print(x)
x = I(); x ^= 1; print(x)
class D:
    def __set_name__(s, o, n): s.n = n
    def __get__(s, i, o): return s.n if i else s
    def __set__(s, i, v): print('set', v)
class A:
    x = D()
print(A().x)
a = A(); a.x = 4
import math
class U:
    def __neg__(s): return 'neg'
    def __pos__(s): return 'pos'
    def __invert__(s): return 'invert'
    def __abs__(s): return 'abs'
    def __int__(s): return 5
    def __float__(s): return 5.5
    def __index__(s): return 2
    def __bool__(s): return False
    def __len__(s): return 7
    def __round__(s, n=None): return ('round', n)
    def __trunc__(s): return 'trunc'
    def __floor__(s): return 'floor'
    def __ceil__(s): return 'ceil'
    def __hash__(s): return 11
    def __str__(s): return 'str'
    def __repr__(s): return 'repr'
    def __format__(s, f): return 'fmt' + f
    def __reversed__(s): return iter('rev')
    def __contains__(s, x): return x == 3
    def __call__(s, *a): return a
    def __iter__(s): return iter('it')
u = U()
print(-u, +u, ~u, abs(u), int(u), float(u), [1,2,3][u], bool(u), len(u), round(u), round(u, 2), hash(u), str(u), repr(u), f'{u:x}', list(reversed(u)), 3 in u, 4 in u, u(1), list(u), not u)
print(math.trunc(u), math.floor(u), math.ceil(u), range(u), 'abc'[:u], hex(u), bin(u))
a = b = {1, 2}; a -= {1}; print(b); a ^= {5}; print(b); a &= {5}; print(b); a |= {7}; print(sorted(b), 7 in b, 1 in b)
a = b = [1]; a *= 3; print(b); a += (2,); print(b)
a = b = {}; a |= {1: 2}; print(b)
s = set(range(50)); t = s; s -= set(range(25)); print(len(t), 3 in t, 30 in t); s.add(3); print(3 in t)
d = {i: i for i in range(100)}
while len(d) > 3: d.popitem()
print(d, 50 in d); d[50] = 1; print(d[50]); d.clear(); print(d); d[1] = 2; print(d)
d = {i: i for i in range(40)}; del d[3]; print(3 in d, d[4], d[39]); d.pop(39); print(39 in d, 38 in d)
class Slotted:
    __slots__ = ('x', 'z')

    def __init__(self):
        self.x = 1


a = Slotted()
for change in (lambda: setattr(a, 'y', 2), lambda: a.z):
    try:
        change()
    except AttributeError as error:
        print(error)
a.z = 3
print(a.x, a.z)
print([hasattr(v, n) for v in (1, 'a', [1], {}, (1,), 1.5, None, len, range(3), a, Slotted)
       for n in ('__len__', '__iter__', '__call__', '__getitem__', '__float__', '__eq__', 'real', 'nothing')])
print((5).bit_length(), (-5).bit_length(), (2.0).is_integer(), (2.5).is_integer(), True.bit_length(), hasattr(ValueError(), '__cause__'))
