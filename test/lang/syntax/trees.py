# What belongs together: the tree of each form, against the tree that Python makes.

# case: binary operators, each pair in both orders
a | b ^ c & d << e + f * g ** h
a ** b * c + d << e & f ^ g | h
a - b - c, a / b / c, a // b % c @ d, a << b >> c, a & b & c, a ** b ** c, a - b + c, a * b / c
a + b << c - d, a << b & c >> d, a & b ^ c & d, a ^ b | c ^ d, a * (b + c), (a - b) * c, a % (b // c), (a ** b) ** c
-a ** -b, -a * b, ~a & ~b, +a - +b, - - a, -(a + b), not a == b, not a in b, -a.b, -a[0], -a(0), ~-+a
# ask: tree
# want: 1:1 expression
# want:   binary |
# want:     name a
# want:     binary ^
# want:       name b
# want:       binary &
# want:         name c
# want:         binary <<
# want:           name d
# want:           binary +
# want:             name e
# want:             binary *
# want:               name f
# want:               binary **
# want:                 name g
# want:                 name h
# want: 2:1 expression
# want:   binary |
# want:     binary ^
# want:       binary &
# want:         binary <<
# want:           binary +
# want:             binary *
# want:               binary **
# want:                 name a
# want:                 name b
# want:               name c
# want:             name d
# want:           name e
# want:         name f
# want:       name g
# want:     name h
# want: 3:1 expression
# want:   tuple
# want:     binary -
# want:       binary -
# want:         name a
# want:         name b
# want:       name c
# want:     binary /
# want:       binary /
# want:         name a
# want:         name b
# want:       name c
# want:     binary @
# want:       binary %
# want:         binary //
# want:           name a
# want:           name b
# want:         name c
# want:       name d
# want:     binary >>
# want:       binary <<
# want:         name a
# want:         name b
# want:       name c
# want:     binary &
# want:       binary &
# want:         name a
# want:         name b
# want:       name c
# want:     binary **
# want:       name a
# want:       binary **
# want:         name b
# want:         name c
# want:     binary +
# want:       binary -
# want:         name a
# want:         name b
# want:       name c
# want:     binary /
# want:       binary *
# want:         name a
# want:         name b
# want:       name c
# want: 4:1 expression
# want:   tuple
# want:     binary <<
# want:       binary +
# want:         name a
# want:         name b
# want:       binary -
# want:         name c
# want:         name d
# want:     binary &
# want:       binary <<
# want:         name a
# want:         name b
# want:       binary >>
# want:         name c
# want:         name d
# want:     binary ^
# want:       binary &
# want:         name a
# want:         name b
# want:       binary &
# want:         name c
# want:         name d
# want:     binary |
# want:       binary ^
# want:         name a
# want:         name b
# want:       binary ^
# want:         name c
# want:         name d
# want:     binary *
# want:       name a
# want:       binary +
# want:         name b
# want:         name c
# want:     binary *
# want:       binary -
# want:         name a
# want:         name b
# want:       name c
# want:     binary %
# want:       name a
# want:       binary //
# want:         name b
# want:         name c
# want:     binary **
# want:       binary **
# want:         name a
# want:         name b
# want:       name c
# want: 5:1 expression
# want:   tuple
# want:     unary -
# want:       binary **
# want:         name a
# want:         unary -
# want:           name b
# want:     binary *
# want:       unary -
# want:         name a
# want:       name b
# want:     binary &
# want:       unary ~
# want:         name a
# want:       unary ~
# want:         name b
# want:     binary -
# want:       unary +
# want:         name a
# want:       unary +
# want:         name b
# want:     unary -
# want:       unary -
# want:         name a
# want:     unary -
# want:       binary +
# want:         name a
# want:         name b
# want:     not
# want:       compare ==
# want:         name a
# want:         name b
# want:     not
# want:       compare in
# want:         name a
# want:         name b
# want:     unary -
# want:       attribute b
# want:         name a
# want:     unary -
# want:       subscript
# want:         name a
# want:         int 0
# want:     unary -
# want:       call
# want:         name a
# want:         int 0
# want:     unary ~
# want:       unary -
# want:         unary +
# want:           name a

# case: each operator of one strength after the other
a + b - c + d, a - b * c - d, a * b + c * d, a / b * c // d % e @ f, a << b + c << d, a + b << c + d
a & b << c & d, a << b & c << d, a ^ b & c ^ d, a & b ^ c & d, a | b ^ c | d, a ^ b | c ^ d
a < b | c, a | b < c, a == b + c, a @ b - c @ d, a % b % c, a // b - c // d
# ask: tree
# want: 1:1 expression
# want:   tuple
# want:     binary +
# want:       binary -
# want:         binary +
# want:           name a
# want:           name b
# want:         name c
# want:       name d
# want:     binary -
# want:       binary -
# want:         name a
# want:         binary *
# want:           name b
# want:           name c
# want:       name d
# want:     binary +
# want:       binary *
# want:         name a
# want:         name b
# want:       binary *
# want:         name c
# want:         name d
# want:     binary @
# want:       binary %
# want:         binary //
# want:           binary *
# want:             binary /
# want:               name a
# want:               name b
# want:             name c
# want:           name d
# want:         name e
# want:       name f
# want:     binary <<
# want:       binary <<
# want:         name a
# want:         binary +
# want:           name b
# want:           name c
# want:       name d
# want:     binary <<
# want:       binary +
# want:         name a
# want:         name b
# want:       binary +
# want:         name c
# want:         name d
# want: 2:1 expression
# want:   tuple
# want:     binary &
# want:       binary &
# want:         name a
# want:         binary <<
# want:           name b
# want:           name c
# want:       name d
# want:     binary &
# want:       binary <<
# want:         name a
# want:         name b
# want:       binary <<
# want:         name c
# want:         name d
# want:     binary ^
# want:       binary ^
# want:         name a
# want:         binary &
# want:           name b
# want:           name c
# want:       name d
# want:     binary ^
# want:       binary &
# want:         name a
# want:         name b
# want:       binary &
# want:         name c
# want:         name d
# want:     binary |
# want:       binary |
# want:         name a
# want:         binary ^
# want:           name b
# want:           name c
# want:       name d
# want:     binary |
# want:       binary ^
# want:         name a
# want:         name b
# want:       binary ^
# want:         name c
# want:         name d
# want: 3:1 expression
# want:   tuple
# want:     compare <
# want:       name a
# want:       binary |
# want:         name b
# want:         name c
# want:     compare <
# want:       binary |
# want:         name a
# want:         name b
# want:       name c
# want:     compare ==
# want:       name a
# want:       binary +
# want:         name b
# want:         name c
# want:     binary -
# want:       binary @
# want:         name a
# want:         name b
# want:       binary @
# want:         name c
# want:         name d
# want:     binary %
# want:       binary %
# want:         name a
# want:         name b
# want:       name c
# want:     binary -
# want:       binary //
# want:         name a
# want:         name b
# want:       binary //
# want:         name c
# want:         name d

# case: comparisons and logic
a < b < c, a <= b != c == d, a is b is not c, a in b not in c, (a < b) < c, a < (b < c), a >= b > c
a and b or c and d, a or b and c or d, not a and not b, a and (b or c), not (a or b), a or not b and c, not not a
a and b and c, a or b or c, (a and b) and c, a if b else c if d else e, (a if b else c) if d else e, a or b if c and d else e
lambda: a if b else c, a if b else lambda: c, a < b and c < d or e
# ask: tree
# want: 1:1 expression
# want:   tuple
# want:     compare < <
# want:       name a
# want:       name b
# want:       name c
# want:     compare <= != ==
# want:       name a
# want:       name b
# want:       name c
# want:       name d
# want:     compare is is not
# want:       name a
# want:       name b
# want:       name c
# want:     compare in not in
# want:       name a
# want:       name b
# want:       name c
# want:     compare <
# want:       compare <
# want:         name a
# want:         name b
# want:       name c
# want:     compare <
# want:       name a
# want:       compare <
# want:         name b
# want:         name c
# want:     compare >= >
# want:       name a
# want:       name b
# want:       name c
# want: 2:1 expression
# want:   tuple
# want:     or
# want:       and
# want:         name a
# want:         name b
# want:       and
# want:         name c
# want:         name d
# want:     or
# want:       name a
# want:       and
# want:         name b
# want:         name c
# want:       name d
# want:     and
# want:       not
# want:         name a
# want:       not
# want:         name b
# want:     and
# want:       name a
# want:       or
# want:         name b
# want:         name c
# want:     not
# want:       or
# want:         name a
# want:         name b
# want:     or
# want:       name a
# want:       and
# want:         not
# want:           name b
# want:         name c
# want:     not
# want:       not
# want:         name a
# want: 3:1 expression
# want:   tuple
# want:     and
# want:       name a
# want:       name b
# want:       name c
# want:     or
# want:       name a
# want:       name b
# want:       name c
# want:     and
# want:       and
# want:         name a
# want:         name b
# want:       name c
# want:     ternary
# want:       name a
# want:       if name b
# want:       ternary
# want:         name c
# want:         if name d
# want:         name e
# want:     ternary
# want:       ternary
# want:         name a
# want:         if name b
# want:         name c
# want:       if name d
# want:       name e
# want:     ternary
# want:       or
# want:         name a
# want:         name b
# want:       if and
# want:         name c
# want:         name d
# want:       name e
# want: 4:1 expression
# want:   tuple
# want:     lambda
# want:       ternary
# want:         name a
# want:         if name b
# want:         name c
# want:     ternary
# want:       name a
# want:       if name b
# want:       lambda
# want:         name c
# want:     or
# want:       and
# want:         compare <
# want:           name a
# want:           name b
# want:         compare <
# want:           name c
# want:           name d
# want:       name e

# case: calls, items and attributes
f(), f(a), f(a,), f(a, b), f(a=1), f(a, *b, c=2, **d), f(*a, *b), f(**a, **b), f(a, b=1, *c, d=2), f(a)(b)[c].d, f(x for x in y)
a.b.c, a[b], a[b, c], a[b,], a[b:c], a[b:], a[:c], a[:], a[::d], a[b:c:d], a[::], a[b:c, d], a[..., None], a[:, None, 1:2], a[(b, c)], a[b][c], a[-1]
f(a)[0].b(c)(d=e), (a).b, (a + b).c, 'x'.y, 1 .real, [1][0], {}[0], (1,)[0], f(*a)[*b], f(a := 1)
# ask: tree
# want: 1:1 expression
# want:   tuple
# want:     call
# want:       name f
# want:     call
# want:       name f
# want:       name a
# want:     call
# want:       name f
# want:       name a
# want:     call
# want:       name f
# want:       name a
# want:       name b
# want:     call
# want:       name f
# want:       a = int 1
# want:     call
# want:       name f
# want:       name a
# want:       * name b
# want:       c = int 2
# want:       ** name d
# want:     call
# want:       name f
# want:       * name a
# want:       * name b
# want:     call
# want:       name f
# want:       ** name a
# want:       ** name b
# want:     call
# want:       name f
# want:       name a
# want:       b = int 1
# want:       * name c
# want:       d = int 2
# want:     attribute d
# want:       subscript
# want:         call
# want:           call
# want:             name f
# want:             name a
# want:           name b
# want:         name c
# want:     call
# want:       name f
# want:       comprehension generator
# want:         name x
# want:         for name x
# want:         in name y
# want: 2:1 expression
# want:   tuple
# want:     attribute c
# want:       attribute b
# want:         name a
# want:     subscript
# want:       name a
# want:       name b
# want:     subscript
# want:       name a
# want:       tuple
# want:         name b
# want:         name c
# want:     subscript
# want:       name a
# want:       tuple
# want:         name b
# want:     subscript
# want:       name a
# want:       slice
# want:         from name b
# want:         to name c
# want:     subscript
# want:       name a
# want:       slice
# want:         from name b
# want:         to nothing
# want:     subscript
# want:       name a
# want:       slice
# want:         from nothing
# want:         to name c
# want:     subscript
# want:       name a
# want:       slice
# want:         from nothing
# want:         to nothing
# want:     subscript
# want:       name a
# want:       slice
# want:         from nothing
# want:         to nothing
# want:         step name d
# want:     subscript
# want:       name a
# want:       slice
# want:         from name b
# want:         to name c
# want:         step name d
# want:     subscript
# want:       name a
# want:       slice
# want:         from nothing
# want:         to nothing
# want:     subscript
# want:       name a
# want:       tuple
# want:         slice
# want:           from name b
# want:           to name c
# want:         name d
# want:     subscript
# want:       name a
# want:       tuple
# want:         ...
# want:         None
# want:     subscript
# want:       name a
# want:       tuple
# want:         slice
# want:           from nothing
# want:           to nothing
# want:         None
# want:         slice
# want:           from int 1
# want:           to int 2
# want:     subscript
# want:       name a
# want:       tuple
# want:         name b
# want:         name c
# want:     subscript
# want:       subscript
# want:         name a
# want:         name b
# want:       name c
# want:     subscript
# want:       name a
# want:       unary -
# want:         int 1
# want: 3:1 expression
# want:   tuple
# want:     call
# want:       call
# want:         attribute b
# want:           subscript
# want:             call
# want:               name f
# want:               name a
# want:             int 0
# want:         name c
# want:       d = name e
# want:     attribute b
# want:       name a
# want:     attribute c
# want:       binary +
# want:         name a
# want:         name b
# want:     attribute y
# want:       string "x"
# want:     attribute real
# want:       int 1
# want:     subscript
# want:       list
# want:         int 1
# want:       int 0
# want:     subscript
# want:       dict
# want:       int 0
# want:     subscript
# want:       tuple
# want:         int 1
# want:       int 0
# want:     subscript
# want:       call
# want:         name f
# want:         * name a
# want:       tuple
# want:         starred
# want:           name b
# want:     call
# want:       name f
# want:       walrus a
# want:         int 1

# case: displays
(), (a,), (a, b), a, b
[], [a], [a, b,], [*a, b], {}, {a: b}, {a: b, c: d,}, {**a, b: c, **d}, {a}, {a, b}, {*a, b}, (*a, b), ((a,),), [[]]
(a), ((a)), (a, (b, c)), [(a, b), c]
# ask: tree
# want: 1:1 expression
# want:   tuple
# want:     tuple
# want:     tuple
# want:       name a
# want:     tuple
# want:       name a
# want:       name b
# want:     name a
# want:     name b
# want: 2:1 expression
# want:   tuple
# want:     list
# want:     list
# want:       name a
# want:     list
# want:       name a
# want:       name b
# want:     list
# want:       starred
# want:         name a
# want:       name b
# want:     dict
# want:     dict
# want:       name a
# want:       name b
# want:     dict
# want:       name a
# want:       name b
# want:       name c
# want:       name d
# want:     dict
# want:       nothing
# want:       name a
# want:       name b
# want:       name c
# want:       nothing
# want:       name d
# want:     set
# want:       name a
# want:     set
# want:       name a
# want:       name b
# want:     set
# want:       starred
# want:         name a
# want:       name b
# want:     tuple
# want:       starred
# want:         name a
# want:       name b
# want:     tuple
# want:       tuple
# want:         name a
# want:     list
# want:       list
# want: 3:1 expression
# want:   tuple
# want:     name a
# want:     name a
# want:     tuple
# want:       name a
# want:       tuple
# want:         name b
# want:         name c
# want:     list
# want:       tuple
# want:         name a
# want:         name b
# want:       name c

# case: comprehensions
[a for b in c], [a for b in c if d], [a for b in c if d if e for f in g if h], [a for b, c in d], [a for b, *c in d]
{a for b in c}, {a: b for c in d}, (a for b in c), [a for b in c or d], [a if b else c for d in e], [[a for b in c] for d in e]
[a for b in c if d or e if not f], {a: b for c, (d, e) in f if g}, sum(a for b in c), [lambda: a for b in c]
# ask: tree
# want: 1:1 expression
# want:   tuple
# want:     comprehension list
# want:       name a
# want:       for name b
# want:       in name c
# want:     comprehension list
# want:       name a
# want:       for name b
# want:       in name c
# want:       if name d
# want:     comprehension list
# want:       name a
# want:       for name b
# want:       in name c
# want:       if name d
# want:       if name e
# want:       for name f
# want:       in name g
# want:       if name h
# want:     comprehension list
# want:       name a
# want:       for tuple
# want:         name b
# want:         name c
# want:       in name d
# want:     comprehension list
# want:       name a
# want:       for tuple
# want:         name b
# want:         starred
# want:           name c
# want:       in name d
# want: 2:1 expression
# want:   tuple
# want:     comprehension set
# want:       name a
# want:       for name b
# want:       in name c
# want:     comprehension dict
# want:       name a
# want:       name b
# want:       for name c
# want:       in name d
# want:     comprehension generator
# want:       name a
# want:       for name b
# want:       in name c
# want:     comprehension list
# want:       name a
# want:       for name b
# want:       in or
# want:         name c
# want:         name d
# want:     comprehension list
# want:       ternary
# want:         name a
# want:         if name b
# want:         name c
# want:       for name d
# want:       in name e
# want:     comprehension list
# want:       comprehension list
# want:         name a
# want:         for name b
# want:         in name c
# want:       for name d
# want:       in name e
# want: 3:1 expression
# want:   tuple
# want:     comprehension list
# want:       name a
# want:       for name b
# want:       in name c
# want:       if or
# want:         name d
# want:         name e
# want:       if not
# want:         name f
# want:     comprehension dict
# want:       name a
# want:       name b
# want:       for tuple
# want:         name c
# want:         tuple
# want:           name d
# want:           name e
# want:       in name f
# want:       if name g
# want:     call
# want:       name sum
# want:       comprehension generator
# want:         name a
# want:         for name b
# want:         in name c
# want:     comprehension list
# want:       lambda
# want:         name a
# want:       for name b
# want:       in name c

# case: lambdas and their parameters
lambda: 0, lambda a: a, lambda a, b=1: a, lambda *a: a, lambda **a: a, lambda a, *, b: b, lambda a, /, b: b, lambda a=1, *b, c, d=2, **e: a, lambda: (a, b), lambda: a, b
lambda a: lambda b: a + b, (lambda a: a)(1)
# ask: tree
# want: 1:1 expression
# want:   tuple
# want:     lambda
# want:       int 0
# want:     lambda
# want:       param a
# want:       name a
# want:     lambda
# want:       param a
# want:       param b
# want:         default: int 1
# want:       name a
# want:     lambda
# want:       param *a
# want:       name a
# want:     lambda
# want:       param **a
# want:       name a
# want:     lambda
# want:       param a
# want:       param keyword b
# want:       name b
# want:     lambda
# want:       param positional a
# want:       param b
# want:       name b
# want:     lambda
# want:       param a
# want:         default: int 1
# want:       param *b
# want:       param keyword c
# want:       param keyword d
# want:         default: int 2
# want:       param **e
# want:       name a
# want:     lambda
# want:       tuple
# want:         name a
# want:         name b
# want:     lambda
# want:       name a
# want:     name b
# want: 2:1 expression
# want:   tuple
# want:     lambda
# want:       param a
# want:       lambda
# want:         param b
# want:         binary +
# want:           name a
# want:           name b
# want:     call
# want:       lambda
# want:         param a
# want:         name a
# want:       int 1

# case: strings
'a', "b", 'a' "b" 'c', '''a
b''', r'\n', '\n\t\\\'\"', '\x41\u00e9\101', b'a' b'b', rb'\x', '', 'a\
b', u'z', "é", '\0\x7f', '\q'
# ask: tree
# want: 1:1 expression
# want:   tuple
# want:     string "a"
# want:     string "b"
# want:     string "abc"
# want:     string "a\nb"
# want:     string "\\n"
# want:     string "\n\x09\\'\""
# want:     string "AéA"
# want:     bytes "ab"
# want:     bytes "\\x"
# want:     string ""
# want:     string "ab"
# want:     string "z"
# want:     string "é"
# want:     string "\x00\x7f"
# want:     string "\\q"

# case: f-strings without formats
f'', f'a', f'{a}', f'a{b}c{d}', f'{{a}}', f'{a + b}' 'c', 'a' f'{b}' 'c', f'{a[0]}{b.c}{d(e)}', f'{(a, b)}', f'{a}{b}', f"{'x'}", f'{ a }', f'{a if b else c}', rf'\{a}'
# ask: tree
# want: 1:1 expression
# want:   tuple
# want:     fstring
# want:     fstring
# want:       string "a"
# want:     fstring
# want:       format
# want:         name a
# want:     fstring
# want:       string "a"
# want:       format
# want:         name b
# want:       string "c"
# want:       format
# want:         name d
# want:     fstring
# want:       string "{a}"
# want:     fstring
# want:       format
# want:         binary +
# want:           name a
# want:           name b
# want:       string "c"
# want:     fstring
# want:       string "a"
# want:       format
# want:         name b
# want:       string "c"
# want:     fstring
# want:       format
# want:         subscript
# want:           name a
# want:           int 0
# want:       format
# want:         attribute c
# want:           name b
# want:       format
# want:         call
# want:           name d
# want:           name e
# want:     fstring
# want:       format
# want:         tuple
# want:           name a
# want:           name b
# want:     fstring
# want:       format
# want:         name a
# want:       format
# want:         name b
# want:     fstring
# want:       format
# want:         string "x"
# want:     fstring
# want:       format
# want:         name a
# want:     fstring
# want:       format
# want:         ternary
# want:           name a
# want:           if name b
# want:           name c
# want:     fstring
# want:       string "\\"
# want:       format
# want:         name a

# case: numbers
0, 1, 00, 123, 1_000, 0xfF, 0o17, 0b101, 1.0, .5, 1., 1e5, 1E-5, 1_0.0_1, 3j, 1.5J, 0x_f, 123456789012345678901234567890, 1e+10, 0.0, 0e0
# ask: tree
# want: 1:1 expression
# want:   tuple
# want:     int 0
# want:     int 1
# want:     int 00
# want:     int 123
# want:     int 1_000
# want:     int 0xfF
# want:     int 0o17
# want:     int 0b101
# want:     float 1.0
# want:     float .5
# want:     float 1.
# want:     float 1e5
# want:     float 1E-5
# want:     float 1_0.0_1
# want:     imaginary 3j
# want:     imaginary 1.5J
# want:     int 0x_f
# want:     int 123456789012345678901234567890
# want:     float 1e+10
# want:     float 0.0
# want:     float 0e0

# case: constants and names
None, True, False, ..., a, _a1, É, __a__, match, case, type, _
# ask: tree
# want: 1:1 expression
# want:   tuple
# want:     None
# want:     True
# want:     False
# want:     ...
# want:     name a
# want:     name _a1
# want:     name É
# want:     name __a__
# want:     name match
# want:     name case
# want:     name type
# want:     name _

# case: walrus, await, yield
(a := b), [a := b, c], f(a := b), (a := b if c else d), [a := b for c in d], a[(b := c)], (a := lambda: b)
def f():
    yield
    yield a
    yield a, b
    yield from a
    b = yield c
    b = yield
    b += yield
    (yield)
    f((yield a))
async def g():
    await a
    b = await a.b(c)
    return -await a ** b
async def h():
    async for a in b: c
    async with a as b, c: d
    return [a async for a in b]
# ask: tree
# want: 1:1 expression
# want:   tuple
# want:     walrus a
# want:       name b
# want:     list
# want:       walrus a
# want:         name b
# want:       name c
# want:     call
# want:       name f
# want:       walrus a
# want:         name b
# want:     walrus a
# want:       ternary
# want:         name b
# want:         if name c
# want:         name d
# want:     comprehension list
# want:       walrus a
# want:         name b
# want:       for name c
# want:       in name d
# want:     subscript
# want:       name a
# want:       walrus b
# want:         name c
# want:     walrus a
# want:       lambda
# want:         name b
# want: 2:1 function f
# want:   3:5 expression
# want:     yield
# want:   4:5 expression
# want:     yield
# want:       name a
# want:   5:5 expression
# want:     yield
# want:       tuple
# want:         name a
# want:         name b
# want:   6:5 expression
# want:     yield from
# want:       name a
# want:   7:5 assign
# want:     name b
# want:     yield
# want:       name c
# want:   8:5 assign
# want:     name b
# want:     yield
# want:   9:5 augmented assign +=
# want:     name b
# want:     yield
# want:   10:5 expression
# want:     yield
# want:   11:5 expression
# want:     call
# want:       name f
# want:       yield
# want:         name a
# want: 12:1 function async g
# want:   13:5 expression
# want:     await
# want:       name a
# want:   14:5 assign
# want:     name b
# want:     await
# want:       call
# want:         attribute b
# want:           name a
# want:         name c
# want:   15:5 return
# want:     unary -
# want:       binary **
# want:         await
# want:           name a
# want:         name b
# want: 16:1 function async h
# want:   17:5 for
# want:     name a
# want:     name b
# want:     17:23 expression
# want:       name c
# want:   18:5 with
# want:     name a
# want:     as name b
# want:     name c
# want:     18:27 expression
# want:       name d
# want:   19:5 return
# want:     comprehension list
# want:       name a
# want:       for name a
# want:       in name b

# case: assignments
a = b
a = b = c
a, b = c
a, = b
(a, b), c = d
[a, b] = c
a, *b = c
*a, b = c
a.b = c
a[b] = c
a[b:c], d.e = f
a = b, c
a = *b, c
a: b
a: b = c
a.b: c = d
a[b]: c = d, e
(a): b = c
a += b
a -= b
a *= b
a @= b
a /= b
a //= b
a %= b
a **= b
a <<= b
a >>= b
a &= b
a |= b
a ^= b
a.b += c
a[b] += c, d
# ask: tree
# want: 1:1 assign
# want:   name a
# want:   name b
# want: 2:1 assign
# want:   name a
# want:   name b
# want:   name c
# want: 3:1 assign
# want:   tuple
# want:     name a
# want:     name b
# want:   name c
# want: 4:1 assign
# want:   tuple
# want:     name a
# want:   name b
# want: 5:1 assign
# want:   tuple
# want:     tuple
# want:       name a
# want:       name b
# want:     name c
# want:   name d
# want: 6:1 assign
# want:   list
# want:     name a
# want:     name b
# want:   name c
# want: 7:1 assign
# want:   tuple
# want:     name a
# want:     starred
# want:       name b
# want:   name c
# want: 8:1 assign
# want:   tuple
# want:     starred
# want:       name a
# want:     name b
# want:   name c
# want: 9:1 assign
# want:   attribute b
# want:     name a
# want:   name c
# want: 10:1 assign
# want:   subscript
# want:     name a
# want:     name b
# want:   name c
# want: 11:1 assign
# want:   tuple
# want:     subscript
# want:       name a
# want:       slice
# want:         from name b
# want:         to name c
# want:     attribute e
# want:       name d
# want:   name f
# want: 12:1 assign
# want:   name a
# want:   tuple
# want:     name b
# want:     name c
# want: 13:1 assign
# want:   name a
# want:   tuple
# want:     starred
# want:       name b
# want:     name c
# want: 14:1 annotated assign
# want:   name a
# want:   annotation: name b
# want: 15:1 annotated assign
# want:   name a
# want:   annotation: name b
# want:   name c
# want: 16:1 annotated assign
# want:   attribute b
# want:     name a
# want:   annotation: name c
# want:   name d
# want: 17:1 annotated assign
# want:   subscript
# want:     name a
# want:     name b
# want:   annotation: name c
# want:   tuple
# want:     name d
# want:     name e
# want: 18:1 annotated assign
# want:   name a
# want:   annotation: name b
# want:   name c
# want: 19:1 augmented assign +=
# want:   name a
# want:   name b
# want: 20:1 augmented assign -=
# want:   name a
# want:   name b
# want: 21:1 augmented assign *=
# want:   name a
# want:   name b
# want: 22:1 augmented assign @=
# want:   name a
# want:   name b
# want: 23:1 augmented assign /=
# want:   name a
# want:   name b
# want: 24:1 augmented assign //=
# want:   name a
# want:   name b
# want: 25:1 augmented assign %=
# want:   name a
# want:   name b
# want: 26:1 augmented assign **=
# want:   name a
# want:   name b
# want: 27:1 augmented assign <<=
# want:   name a
# want:   name b
# want: 28:1 augmented assign >>=
# want:   name a
# want:   name b
# want: 29:1 augmented assign &=
# want:   name a
# want:   name b
# want: 30:1 augmented assign |=
# want:   name a
# want:   name b
# want: 31:1 augmented assign ^=
# want:   name a
# want:   name b
# want: 32:1 augmented assign +=
# want:   attribute b
# want:     name a
# want:   name c
# want: 33:1 augmented assign +=
# want:   subscript
# want:     name a
# want:     name b
# want:   tuple
# want:     name c
# want:     name d

# case: small statements
pass; a; b = c
a,
assert a
assert a, b
assert (a, b)
del a
del a, b[c], d.e
del [a]
raise
raise a
raise a from b
def f():
    global a
    global a2, b
    d = 1
    return
    return a
    return a, b
    return *a, b
# ask: tree
# want: 1:1 pass
# want: 1:7 expression
# want:   name a
# want: 1:10 assign
# want:   name b
# want:   name c
# want: 2:1 expression
# want:   tuple
# want:     name a
# want: 3:1 assert
# want:   name a
# want: 4:1 assert
# want:   name a
# want:   name b
# want: 5:1 assert
# want:   tuple
# want:     name a
# want:     name b
# want: 6:1 delete
# want:   name a
# want: 7:1 delete
# want:   name a
# want:   subscript
# want:     name b
# want:     name c
# want:   attribute e
# want:     name d
# want: 8:1 delete
# want:   list
# want:     name a
# want: 9:1 raise
# want: 10:1 raise
# want:   name a
# want: 11:1 raise
# want:   name a
# want:   name b
# want: 12:1 function f
# want:   13:5 global a
# want:   14:5 global a2, b
# want:   15:5 assign
# want:     name d
# want:     int 1
# want:   16:5 return
# want:   17:5 return
# want:     name a
# want:   18:5 return
# want:     tuple
# want:       name a
# want:       name b
# want:   19:5 return
# want:     tuple
# want:       starred
# want:         name a
# want:       name b

# case: imports
import a
import a.b.c
import a as b, c.d as e, f
from a import b
from a.b import c as d, e
from a import (b, c as d,)
from a import *
from . import a
from .a import b
from .. import a
from ...a.b import c
from .... import a
from .....a import b
# ask: tree
# want: 1:1 import a
# want: 2:1 import a.b.c
# want: 3:1 import a as b, c.d as e, f
# want: 4:1 from a import b
# want: 5:1 from a.b import c as d, e
# want: 6:1 from a import b, c as d
# want: 7:1 from a import *
# want: 8:1 from . import a
# want: 9:1 from .a import b
# want: 10:1 from .. import a
# want: 11:1 from ...a.b import c
# want: 12:1 from .... import a
# want: 13:1 from .....a import b

# case: if
if a: b
if a:
    b
    c
else:
    d
if a:
    b
elif c:
    d
elif e: f
else:
    g
if a:
    if b:
        c
    else:
        d
if (a): pass
# ask: tree
# want: 1:1 if
# want:   name a
# want:   1:7 expression
# want:     name b
# want: 2:1 if
# want:   name a
# want:   3:5 expression
# want:     name b
# want:   4:5 expression
# want:     name c
# want:   else
# want:     6:5 expression
# want:       name d
# want: 7:1 if
# want:   name a
# want:   8:5 expression
# want:     name b
# want:   else
# want:     9:1 if
# want:       name c
# want:       10:5 expression
# want:         name d
# want:       else
# want:         11:1 if
# want:           name e
# want:           11:9 expression
# want:             name f
# want:           else
# want:             13:5 expression
# want:               name g
# want: 14:1 if
# want:   name a
# want:   15:5 if
# want:     name b
# want:     16:9 expression
# want:       name c
# want:     else
# want:       18:9 expression
# want:         name d
# want: 19:1 if
# want:   name a
# want:   19:9 pass

# case: loops
for a in b: c
for a, b in c:
    d
    break
else:
    e
for a, in b: continue
for (a, b), *c in d: pass
for a.b in c: pass
for a[b] in c, d: pass
for a in *b, c: pass
while a:
    b
    continue
else: c
while a and b: pass
# ask: tree
# want: 1:1 for
# want:   name a
# want:   name b
# want:   1:13 expression
# want:     name c
# want: 2:1 for
# want:   tuple
# want:     name a
# want:     name b
# want:   name c
# want:   3:5 expression
# want:     name d
# want:   4:5 break
# want:   else
# want:     6:5 expression
# want:       name e
# want: 7:1 for
# want:   tuple
# want:     name a
# want:   name b
# want:   7:14 continue
# want: 8:1 for
# want:   tuple
# want:     tuple
# want:       name a
# want:       name b
# want:     starred
# want:       name c
# want:   name d
# want:   8:22 pass
# want: 9:1 for
# want:   attribute b
# want:     name a
# want:   name c
# want:   9:15 pass
# want: 10:1 for
# want:   subscript
# want:     name a
# want:     name b
# want:   tuple
# want:     name c
# want:     name d
# want:   10:19 pass
# want: 11:1 for
# want:   name a
# want:   tuple
# want:     starred
# want:       name b
# want:     name c
# want:   11:17 pass
# want: 12:1 while
# want:   name a
# want:   13:5 expression
# want:     name b
# want:   14:5 continue
# want:   else
# want:     15:7 expression
# want:       name c
# want: 16:1 while
# want:   and
# want:     name a
# want:     name b
# want:   16:16 pass

# case: functions
def f(): pass
def f(a, b=1, *c, d, e=2, **g): pass
def f(a: b, c: d = e, *f: g, h: i, **j: k) -> l: pass
def f(a, /): pass
def f(a, b, /, c, *, d): pass
def f(a, b=1, /, c=2): pass
def f(*, a, b=1): pass
def f(
    a,
    b,
):
    """Words."""
    def g():
        return a
    return g
@a
def f(): pass
@a.b
@c(d, e=f)
def f(a): return a; b
async def f(a): pass
# ask: tree
# want: 1:1 function f
# want:   1:10 pass
# want: 2:1 function f
# want:   param a
# want:   param b
# want:     default: int 1
# want:   param *c
# want:   param keyword d
# want:   param keyword e
# want:     default: int 2
# want:   param **g
# want:   2:33 pass
# want: 3:1 function f
# want:   param a
# want:     annotation: name b
# want:   param c
# want:     annotation: name d
# want:     default: name e
# want:   param *f
# want:     annotation: name g
# want:   param keyword h
# want:     annotation: name i
# want:   param **j
# want:     annotation: name k
# want:   -> name l
# want:   3:50 pass
# want: 4:1 function f
# want:   param positional a
# want:   4:14 pass
# want: 5:1 function f
# want:   param positional a
# want:   param positional b
# want:   param c
# want:   param keyword d
# want:   5:26 pass
# want: 6:1 function f
# want:   param positional a
# want:   param positional b
# want:     default: int 1
# want:   param c
# want:     default: int 2
# want:   6:24 pass
# want: 7:1 function f
# want:   param keyword a
# want:   param keyword b
# want:     default: int 1
# want:   7:19 pass
# want: 8:1 function f
# want:   param a
# want:   param b
# want:   12:5 expression
# want:     string "Words."
# want:   13:5 function g
# want:     14:9 return
# want:       name a
# want:   15:5 return
# want:     name g
# want: 17:1 function f
# want:   @ name a
# want:   17:10 pass
# want: 20:1 function f
# want:   @ attribute b
# want:     name a
# want:   @ call
# want:     name c
# want:     name d
# want:     e = name f
# want:   param a
# want:   20:11 return
# want:     name a
# want:   20:21 expression
# want:     name b
# want: 21:1 function async f
# want:   param a
# want:   21:17 pass

# case: classes
class A: pass
class A(): b = c
class A(B, C, metaclass=D, *e, **f):
    a: b
    def f(self): pass
    class G: pass
@a
@b(c)
class A(B): pass
# ask: tree
# want: 1:1 class A
# want:   1:10 pass
# want: 2:1 class A
# want:   2:12 assign
# want:     name b
# want:     name c
# want: 3:1 class A
# want:   name B
# want:   name C
# want:   metaclass = name D
# want:   * name e
# want:   ** name f
# want:   4:5 annotated assign
# want:     name a
# want:     annotation: name b
# want:   5:5 function f
# want:     param self
# want:     5:18 pass
# want:   6:5 class G
# want:     6:14 pass
# want: 9:1 class A
# want:   @ name a
# want:   @ call
# want:     name b
# want:     name c
# want:   name B
# want:   9:13 pass

# case: try
try: a
except: b
try:
    a
except B: c
except (D, E) as f:
    g
except H.i as j: pass
else:
    k
finally:
    l
try: a
finally: b
# ask: tree
# want: 1:1 try
# want:   1:6 expression
# want:     name a
# want:   except 
# want:     2:9 expression
# want:       name b
# want: 3:1 try
# want:   4:5 expression
# want:     name a
# want:   except 
# want:     name B
# want:     5:11 expression
# want:       name c
# want:   except f
# want:     tuple
# want:       name D
# want:       name E
# want:     7:5 expression
# want:       name g
# want:   except j
# want:     attribute i
# want:       name H
# want:     8:18 pass
# want:   else
# want:     10:5 expression
# want:       name k
# want:   finally
# want:     12:5 expression
# want:       name l
# want: 13:1 try
# want:   13:6 expression
# want:     name a
# want:   finally
# want:     14:10 expression
# want:       name b

# case: with
with a: b
with a as b: c
with a as b, c as d, e: f
with (a as b, c as d): e
with (a, b): c
with (a): b
with a.b(c) as (d, e): f
with a as b.c, d as e[f]: g
with (a as b): c
with (a), (b): c
with (a, b) as c: d
# ask: tree
# want: 1:1 with
# want:   name a
# want:   1:9 expression
# want:     name b
# want: 2:1 with
# want:   name a
# want:   as name b
# want:   2:14 expression
# want:     name c
# want: 3:1 with
# want:   name a
# want:   as name b
# want:   name c
# want:   as name d
# want:   name e
# want:   3:25 expression
# want:     name f
# want: 4:1 with
# want:   name a
# want:   as name b
# want:   name c
# want:   as name d
# want:   4:24 expression
# want:     name e
# want: 5:1 with
# want:   name a
# want:   name b
# want:   5:14 expression
# want:     name c
# want: 6:1 with
# want:   name a
# want:   6:11 expression
# want:     name b
# want: 7:1 with
# want:   call
# want:     attribute b
# want:       name a
# want:     name c
# want:   as tuple
# want:     name d
# want:     name e
# want:   7:24 expression
# want:     name f
# want: 8:1 with
# want:   name a
# want:   as attribute c
# want:     name b
# want:   name d
# want:   as subscript
# want:     name e
# want:     name f
# want:   8:27 expression
# want:     name g
# want: 9:1 with
# want:   name a
# want:   as name b
# want:   9:16 expression
# want:     name c
# want: 10:1 with
# want:   name a
# want:   name b
# want:   10:16 expression
# want:     name c
# want: 11:1 with
# want:   tuple
# want:     name a
# want:     name b
# want:   as name c
# want:   11:19 expression
# want:     name d

# case: lines and columns
a = (b,
     c)
if a:

    # words
    b = \
        c

  # less words
    d; e
	
f
# ask: tree
# want: 1:1 assign
# want:   name a
# want:   tuple
# want:     name b
# want:     name c
# want: 3:1 if
# want:   name a
# want:   6:5 assign
# want:     name b
# want:     name c
# want:   10:5 expression
# want:     name d
# want:   10:8 expression
# want:     name e
# want: 12:1 expression
# want:   name f

# case: tabs
if a:
	b
	if c:
		d
	e
f
# ask: tree
# want: 1:1 if
# want:   name a
# want:   2:2 expression
# want:     name b
# want:   3:2 if
# want:     name c
# want:     4:3 expression
# want:       name d
# want:   5:2 expression
# want:     name e
# want: 6:1 expression
# want:   name f

# case: escapes of f-strings
f'\n{a}\t', f'\\{a}', f'\x41{a}\u00e9{b}', rf'\n{a}\\', f'{a}\'{b}', f'\101{a}'
# ask: tree
# want: 1:1 expression
# want:   tuple
# want:     fstring
# want:       string "\n"
# want:       format
# want:         name a
# want:       string "\x09"
# want:     fstring
# want:       string "\\"
# want:       format
# want:         name a
# want:     fstring
# want:       string "A"
# want:       format
# want:         name a
# want:       string "é"
# want:       format
# want:         name b
# want:     fstring
# want:       string "\\n"
# want:       format
# want:         name a
# want:       string "\\\\"
# want:     fstring
# want:       format
# want:         name a
# want:       string "'"
# want:       format
# want:         name b
# want:     fstring
# want:       string "A"
# want:       format
# want:         name a
