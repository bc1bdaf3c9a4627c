# SPDX-License-Identifier: Apache-2.0
# operator: what it means in Python 3.11.


def add(a, b): return a + b
def sub(a, b): return a - b
def mul(a, b): return a * b
def truediv(a, b): return a / b
def floordiv(a, b): return a // b
def mod(a, b): return a % b
def pow(a, b): return a ** b
def matmul(a, b): return a @ b
def neg(a): return -a
def pos(a): return +a
def inv(a): return ~a
def not_(a): return not a
def and_(a, b): return a & b
def or_(a, b): return a | b
def xor(a, b): return a ^ b
def lt(a, b): return a < b
def le(a, b): return a <= b
def gt(a, b): return a > b
def ge(a, b): return a >= b
def eq(a, b): return a == b
def ne(a, b): return a != b
def is_(a, b): return a is b
def contains(a, b): return b in a
def getitem(a, b): return a[b]


def itemgetter(*items):
    if len(items) == 1:
        return lambda obj: obj[items[0]]
    return lambda obj: tuple(obj[item] for item in items)


def attrgetter(attr):
    def get(obj):
        for name in attr.split('.'):
            obj = getattr(obj, name)
        return obj

    return get
