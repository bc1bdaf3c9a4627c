# Sources that Python refuses: what is said, and where.

# case: no colon
if x > 1
    y = 2
# want: 1:9: error: expected ':' after 'if' condition, saw newline

# case: no colon after else
if x:
    pass
else
    pass
# want: 3:5: error: expected ':' after 'else', saw newline

# case: assignment in a condition
if x = 1:
    pass
# want: 1:6: error: '=' in a condition: to compare, write '=='

# case: no block
def f():
x = 1
# want: 2:1: error: expected an indented block after the header of the function, saw 'x'

# case: no block at the end of the file
while True:
# want: 2:1: error: expected an indented block after 'while' condition, saw end of file

# case: unexpected indentation
x = 1
    y = 2
# want: 2:5: error: this line is indented, but no block is open

# case: dedent to nowhere
def f():
        a = 1
    b = 2
# want: 3:5: error: the indentation matches no block around this line

# case: bracket never closed, the next function survives
x = foo(1, 2

def g():
    pass
# want: 1:8: error: '(' is never closed

# case: bracket closed by another
x = [1, (2]
# want: 1:11: error: ']' does not close the '(' of line 1

# case: bracket that nothing opened
x = 1)
# want: 1:6: error: ')' does not close anything

# case: missing comma in a call
y = tl.load(p mask)
# want: 1:15: error: expected ',' or ')' after an argument, saw 'mask'

# case: missing operand
y = a +
# want: 1:8: error: expected an expression, saw newline

# case: two operators
y = a + * b
# want: 1:9: error: expected an expression, saw '*'

# case: keyword as a name
for = 3
# want: 1:5: error: expected an expression, saw '='

# case: attribute needs a name
y = x.3f
# want: 1:6: error: '.3f' is not a number

# case: string not closed
s = 'abc
t = 1
# want: 1:5: error: the string is not closed on its line

# case: triple-quoted string not closed
s = """abc
t = 1
# want: 1:5: error: the triple-quoted string is never closed

# case: bad escapes
s = '\x1'
# want: 1:6: error: expected two hexadecimal digits after '\x'

# case: bad unicode escape
s = '\u12'
# want: 1:6: error: expected four hexadecimal digits after '\u'

# case: f-string brace not closed
s = f'{x'
# want: 1:9: error: the string is not closed on its line

# case: f-string single closing brace
s = f'a } b'
# want: 1:9: error: a single '}' in an f-string: write '}}'

# case: f-string without an expression
s = f'{}'
# want: 1:8: error: expected an expression in the braces of the f-string, saw '}'

# case: f-string bad conversion
s = f'{x!z}'
# want: 1:10: error: expected the conversion r, s or a after '!', saw 'z'

# case: bytes and strings side by side
s = 'a' b'b'
# want: 1:9: error: a string and a bytes literal side by side

# case: leading zeros
n = 0123
# want: 1:5: error: an integer cannot start with 0: for octal write 0o123

# case: digits of a hexadecimal number
n = 0xg
# want: 1:5: error: '0xg' is not a hexadecimal number

# case: digit of a binary number
n = 0b12
# want: 1:5: error: '0b12' is not a binary number

# case: two underscores
n = 1__0
# want: 1:5: error: '1__0' is not a number

# case: name right after a number
n = 3abc
# want: 1:5: error: '3abc' is not a number

# case: typographic quotes
s = “abc”
# want: 1:5: error: character '“' (U+201C) cannot stand here

# case: a stray character
x = a $ b
# want: 1:7: error: character '$' cannot stand here

# case: something after a continuation
x = 1 + \ 2
# want: 1:9: error: expected the end of the line after '\'

# case: assignment to a literal
3 = x
# want: 1:1: error: cannot assign to a literal

# case: assignment to a call
f(x) = 3
# want: 1:1: error: cannot assign to a function call

# case: augmented assignment to a tuple
a, b += 1, 2
# want: 1:1: error: '+=' needs one name, not a tuple

# case: annotation of a tuple
a, b: int = 1, 2
# want: 1:1: error: only a name, an attribute or an item can have an annotation

# case: deleting a literal
del 3
# want: 1:5: error: cannot delete a literal

# case: default before none
def f(a=1, b):
    pass
# want: 1:12: error: parameter 'b' without a default follows one with a default

# case: the same parameter twice
def f(a, b, a):
    pass
# want: 1:13: error: parameter 'a' is there twice

# case: star and nothing after it
def f(a, *):
    pass
# want: 1:10: error: expected a parameter's name after '*'

# case: parameter after double star
def f(**k, a):
    pass
# want: 1:12: error: no parameter can follow '**'

# case: positional after keyword argument
f(a=1, 2)
# want: 1:8: error: a positional argument after one with a name

# case: the same keyword twice
f(a=1, a=2)
# want: 1:8: error: argument 'a' is given twice

# case: keyword that is no name
f(a.b=1)
# want: 1:3: error: expected a parameter's name before '='; to compare, write '=='

# case: return outside a function
return 1
# want: 1:1: error: 'return' outside a function

# case: break outside a loop
if x:
    break
# want: 2:5: error: 'break' outside a loop

# case: continue in a function inside a loop
for i in x:
    def f():
        continue
# want: 3:9: error: 'continue' outside a loop

# case: else alone
else:
    pass
# want: 1:1: error: 'else' belongs to no statement before it

# case: try alone
try:
    pass
x = 1
# want: 3:1: error: expected 'except' or 'finally' after the 'try' block, saw 'x'

# case: decorator of nothing
@triton.jit
x = 1
# want: 2:1: error: expected 'def' or 'class' after the decorator, saw 'x'

# case: import without a name
from x import
# want: 1:14: error: expected a name to import, saw newline

# case: import in brackets not closed
from x import (a, b
# want: 1:15: error: '(' is never closed

# case: print as a statement
print "hello"
# want: 1:1: error: 'print' needs parentheses: print(..)

# case: walrus needs a name
(a.b := 1)
# want: 1:2: error: expected a name before ':='

# case: starred alone
*a
# want: 1:1: error: a starred expression cannot stand alone

# case: lambda without a colon
f = lambda x x
# want: 1:14: error: expected ':' after the parameters of 'lambda', saw 'x'

# case: conditional expression without else
y = 1 if x
# want: 1:11: error: expected 'else' of the conditional expression, saw newline

# case: comprehension without in
y = [i for i]
# want: 1:13: error: expected 'in' after the target of the comprehension, saw ']'

# case: not without in
y = a not b
# want: 1:11: error: expected 'in' after 'not', saw 'b'

# case: a dict entry without a value
d = {'a': 1, 'b'}
# want: 1:17: error: expected ':' after the key, saw '}'

# case: an empty subscript
y = x[]
# want: 1:7: error: expected an index, saw ']'

# case: tabs and spaces
if x:
        a = 1
	b = 2
# want: 3:2: error: inconsistent use of tabs and spaces in indentation

# case: a broken kernel is reported at once
import triton
@triton.jit
def kernel(x, n
    pass
y = 2
# want: 4:5: error: expected ',' or ')' after a parameter, saw 'pass'
# want: 4:5: error: expected ',' or ')' after a parameter, saw 'pass'
# want: and at once

# case: each broken statement has its own complaint
a = = 1
b = 2
c = (3
def f(:
    pass
d = 4
# want: 1:5: error: expected an expression, saw '='
# want: 3:5: error: '(' is never closed
# want: 4:7: error: expected a parameter's name, saw ':'

# case: match without case blocks is no statement
match x:
    y = 1
# want: 1:7: error: expected the end of the statement, saw 'x'

# case: pattern not closed
match x:
    case [a, b:
        pass
# want: 2:15: error: expected ']' after the pattern, saw ':'

# case: a starred expression in parentheses
(*a)
# want: 1:2: error: a starred expression cannot stand alone in parentheses

# case: argument star after double star
f(**a, *b)
# want: 1:8: error: an argument with '*' after one with '**'

# case: positional argument after double star
f(**a, b)
# want: 1:8: error: a positional argument after one with '**'

# case: slash twice
def f(a, /, b, /): pass
# want: 1:16: error: '/' must follow the positional parameters, once

# case: slash first
def f(/, a): pass
# want: 1:7: error: '/' must follow the positional parameters, once

# case: slash after star
def f(*, a, /): pass
# want: 1:13: error: '/' must follow the positional parameters, once

# case: star twice
def f(*a, *b): pass
# want: 1:11: error: only one '*' can be among the parameters

# case: star and double star only
def f(*, **k): pass
# want: 1:7: error: expected a named parameter after '*'

# case: default of a star
def f(*a=1): pass
# want: 1:9: error: '*a' cannot have a default

# case: default of double star
def f(**a=1): pass
# want: 1:10: error: '**a' cannot have a default

# case: star alone in a lambda
f = lambda *: 0
# want: 1:12: error: expected a parameter's name after '*'

# case: a name is needed
def 3(): pass
class 3: pass
import 3
import a as 3
from a import b as 3
from a b
x = a.3
x = a.(b)
global 3
for 3 in x: pass
for x y: pass
with a as 3: pass
try: pass
except A as 3: pass
type 3 = 4
del
raise a from
assert
lambda 3: 0
# want: 1:5: error: expected a function's name after 'def', saw '3'
# want: 2:7: error: expected a class's name after 'class', saw '3'
# want: 3:8: error: expected a module's name after 'import', saw '3'
# want: 4:13: error: expected a name after 'as', saw '3'
# want: 5:20: error: expected a name after 'as', saw '3'
# want: 6:8: error: expected 'import' after the module's name, saw 'b'
# want: 7:6: error: expected the end of the statement, saw '.3'
# want: 8:7: error: expected a name after '.', saw '('
# want: 9:8: error: expected a name, saw '3'
# want: 10:5: error: cannot assign to a literal
# want: 11:7: error: expected 'in' after the target of 'for', saw 'y'
# want: 12:11: error: cannot assign to a literal
# want: 14:13: error: expected a name after 'as', saw '3'
# want: 15:6: error: expected the end of the statement, saw '3'
# want: 16:4: error: expected an expression, saw newline
# want: 17:13: error: expected an expression, saw newline
# want: 18:7: error: expected an expression, saw newline
# want: 19:8: error: expected a parameter's name, saw '3'

# case: closings
x = [1 2]
x = {1: 2 3}
x = {1 2}
x = (1 2)
x = a[1 2]
f(a b)
def f(a b): pass
from a import (b c)
class A(b c): pass
def f x: pass
def f() x: pass
# want: 1:8: error: expected ',' or ']' after an item of the list, saw '2'
# want: 2:11: error: expected ',' or '}' after an item of the dict, saw '3'
# want: 3:8: error: expected ',' or '}' after an item of the set, saw '2'
# want: 4:8: error: expected ',' or ')' after the expression in parentheses, saw '2'
# want: 5:9: error: expected ',' or ']' after the index, saw '2'
# want: 6:5: error: expected ',' or ')' after an argument, saw 'b'
# want: 7:9: error: expected ',' or ')' after a parameter, saw 'b'
# want: 8:18: error: expected ')' after the imported names, saw 'c'
# want: 9:11: error: expected ',' or ')' after an argument, saw 'c'
# want: 10:7: error: expected '(' after the function's name, saw 'x'
# want: 11:9: error: expected ':' after the header of the function, saw 'x'

# case: what cannot be assigned to
1 = x
'a' = x
b'a' = x
f'a' = x
None = x
True = x
False = x
... = x
f() = x
a < b = x
{a} = x
{a: b} = x
a if b else c = x
(lambda: a) = x
[a for b in c] = x
a + b = x
not a = x
-a = x
a and b = x
(a, 1) = x
[a, f()] = x
*1, a = x
def f():
    (yield) = x
    await a = x
# want: 1:1: error: cannot assign to a literal
# want: 3:1: error: cannot assign to a literal
# want: 4:1: error: cannot assign to an f-string
# want: 5:1: error: cannot assign to None
# want: 6:1: error: cannot assign to True
# want: 7:1: error: cannot assign to False
# want: 9:1: error: cannot assign to a function call
# want: 10:1: error: cannot assign to a comparison
# want: 13:1: error: cannot assign to a conditional expression
# want: 16:1: error: cannot assign to an expression
# want: 17:1: error: cannot assign to an expression
# want: 19:1: error: cannot assign to an expression
# want: 24:6: error: cannot assign to await or yield

# case: what cannot be deleted or counted in
del f()
del a + b
del (a, 1)
f() += 1
a + b += 1
for f() in x: pass
for 1 in x: pass
with a as f(): pass
[a for 1 in b]
(1 := 2)
[a, b] += 1
*a += 1
(a): int, b
[a]: int = 1
f(): int = 1
# want: 1:5: error: cannot delete a function call
# want: 2:5: error: cannot delete an expression
# want: 3:9: error: cannot delete a literal
# want: 4:1: error: cannot assign to a function call
# want: 5:1: error: cannot assign to an expression
# want: 6:5: error: cannot assign to a function call
# want: 7:5: error: cannot assign to a literal
# want: 8:11: error: cannot assign to a function call
# want: 15:1: error: only a name, an attribute or an item can have an annotation

# case: a star alone
*a = b
x = *a
print *a
f(*)
f(**)
# want: 1:1: error: a starred target must be in a list or tuple
# want: 4:4: error: expected an expression, saw ')'
# want: 5:5: error: expected an expression, saw ')'

# case: deeper than its block
if x:
    y
      z
w
# want: 3:7: error: this line is indented more than its block

# case: type parameters, as since 3.12
def f[1](): pass
def f[T(): pass
# want: 1:7: error: expected a type parameter, saw '1'
# want: 2:8: error: expected ']' after the type parameters, saw '('

# case: patterns
match x:
    case {**3}: pass
match x:
    case {"a" b}: pass
match x:
    case A(b c): pass
match x:
    case *3: pass
match x:
    case a.3: pass
match x:
    case a as 3: pass
match x:
    case (a b): pass
# want: 2:13: error: expected a name after '**', saw '3'
# want: 4:15: error: expected ':' after the key of the pattern, saw 'b'
# want: 6:14: error: expected ')' after the patterns of the class, saw 'c'
# want: 8:11: error: expected a name after '*', saw '3'
# want: 10:11: error: expected ':' after the pattern, saw '.3'
# want: 12:15: error: expected a name after 'as', saw '3'
# want: 14:13: error: expected ')' after the pattern, saw 'b'

# case: patterns that Python refuses before anything runs
match x:
    case a: pass
    case b: pass
match x:
    case (a, b) | (a, c): pass
match x:
    case [a, a]: pass
match x:
    case _ | 1: pass
match x:
    case [*a, *b]: pass
match x:
    case 1 + 2: pass
match x:
    case f"{x}": pass
match x:
    case A(y=1, 2): pass
match x:
    case A(y=1, y=2): pass
match x:
    case {**rest, 1: a}: pass
match x:
    case 1 as _: pass
match x:
    case (*a): pass
# want: 2:10: error: this pattern matches all, so those after it are unreachable
# want: 5:10: error: alternative patterns bind different names
# want: 7:14: error: multiple assignments to name 'a' in pattern
# want: 9:10: error: this pattern matches all, so those after it are unreachable
# want: 11:15: error: multiple starred expressions in sequence pattern
# want: 13:10: error: patterns may only match literals and attribute lookups
# want: 15:10: error: patterns may only match literals and attribute lookups
# want: 17:17: error: positional patterns follow keyword patterns
# want: 19:10: error: attribute name repeated in class pattern: y
# want: 21:19: error: expected '}' after the rest of a mapping, saw '1'
# want: 23:10: error: cannot use '_' as a target
# want: 25:11: error: a starred pattern stands in a sequence only

# case: format specs
f'{a:{b}'
f'{a:{b'
f'{a b}'
f'{a!}'
f'{!r}'
f'{a!r b}'
f'}'
f'{{}'
# want: 1:3: error: '{' of the f-string is not closed
# want: 2:8: error: the string is not closed on its line
# want: 3:6: error: expected '}' after the expression in the f-string, saw 'b'
# want: 4:6: error: expected the conversion r, s or a after '!', saw '}'
# want: 5:4: error: expected an expression in the braces of the f-string, saw '!'
# want: 6:8: error: expected '}' after the expression in the f-string, saw 'b'
# want: 7:3: error: a single '}' in an f-string: write '}}'
# want: 8:5: error: a single '}' in an f-string: write '}}'

# case: numbers that are none
0x
0b
0o
0o8
1e
1e+
1_
1._0
0_x1
1.e
08
0b2
1jj
# want: 1:1: error: '0x' is not a hexadecimal number

# case: escapes that are none
'\x'
'\xg0'
'\U1234567'
'\U00110000'
'\ud800'
'\N{nothing}'
b'\x1'
b'é'
'ab
# want: 1:2: error: expected two hexadecimal digits after '\x'
# want: 7:3: error: expected two hexadecimal digits after '\x'
# want: 9:1: error: the string is not closed on its line

# case: statements that are none
elif x: pass
except: pass
finally: pass
case 1: pass
x = if
return
yield_ = = 2
if x: for y in z: pass
a b
1 2
@a
async x
async
@a
async for b in c: pass
nonlocal a
continue
break
def f():
    class A:
        return 1
x = yield
await a
# want: 1:1: error: 'elif' belongs to no statement before it
# want: 4:6: error: expected the end of the statement, saw '1'
# want: 5:5: error: expected an expression, saw 'if'
# want: 6:1: error: 'return' outside a function
# want: 7:10: error: expected an expression, saw '='
# want: 8:7: error: expected an expression, saw 'for'
# want: 9:3: error: expected the end of the statement, saw 'b'
# want: 12:1: error: 'async' without 'def' outside an async function
# want: 13:1: error: 'async' without 'def' outside an async function
# want: 15:1: error: 'async' without 'def' outside an async function
# want: 17:1: error: 'continue' outside a loop
# want: 18:1: error: 'break' outside a loop
# want: 21:9: error: 'return' outside a function

# case: operators
a <> b
a ! b
a !
a ++
a = b = 
a ** 
not
a is
a in
a if
a if b
a if b else
lambda
a ? b
a &&  b
a..b
a :=  b
# want: 1:4: error: expected an expression, saw '>'
# want: 2:3: error: expected the end of the statement, saw '!'
# want: 3:3: error: expected the end of the statement, saw '!'
# want: 4:5: error: expected an expression, saw newline
# want: 5:9: error: expected an expression, saw newline
# want: 6:6: error: expected an expression, saw newline
# want: 7:4: error: expected an expression, saw newline
# want: 8:5: error: expected an expression, saw newline
# want: 9:5: error: expected an expression, saw newline
# want: 10:5: error: expected an expression, saw newline
# want: 11:7: error: expected 'else' of the conditional expression, saw newline
# want: 12:12: error: expected an expression, saw newline
# want: 13:7: error: expected a parameter's name, saw newline
# want: 14:3: error: character '?' cannot stand here
# want: 15:4: error: expected an expression, saw '&'
# want: 16:3: error: expected a name after '.', saw '.'
# want: 17:3: error: expected the end of the statement, saw ':='

# case: one line: "a" = x
"a" = x
# want: 1:1: error: cannot assign to a literal

# case: one line: ... = x
... = x
# want: 1:1: error: cannot assign to an ellipsis

# case: one line: {a} = x
{a} = x
# want: 1:1: error: cannot assign to a set

# case: one line: {a: b} = x
{a: b} = x
# want: 1:1: error: cannot assign to a dict

# case: one line: (lambda: a) = x
(lambda: a) = x
# want: 1:2: error: cannot assign to a lambda

# case: one line: [a for b in c] = x
[a for b in c] = x
# want: 1:1: error: cannot assign to a comprehension

# case: one line: a and b = x
a and b = x
# want: 1:1: error: cannot assign to an expression

# case: one line: (a, 1) = x
(a, 1) = x
# want: 1:5: error: cannot assign to a literal

# case: one line: [a, f()] = x
[a, f()] = x
# want: 1:5: error: cannot assign to a function call

# case: one line: *1, a = x
*1, a = x
# want: 1:2: error: cannot assign to a literal

# case: one line: (a, f()) += 1
(a, f()) += 1
# want: 1:1: error: '+=' needs one name, not a tuple

# case: one line: a, b: int
a, b: int
# want: 1:1: error: only a name, an attribute or an item can have an annotation

# case: one line: (1 := 2)
(1 := 2)
# want: 1:2: error: expected a name before ':='

# case: one line: [a for 1 in b]
[a for 1 in b]
# want: 1:8: error: cannot assign to a literal

# case: one line: [a, b] += 1
[a, b] += 1
# want: 1:1: error: '+=' needs one name, not a tuple

# case: one line: [a]: int = 1
[a]: int = 1
# want: 1:1: error: only a name, an attribute or an item can have an annotation

# case: one line: f(): int = 1
f(): int = 1
# want: 1:1: error: only a name, an attribute or an item can have an annotation

# case: one line: 0b
0b
# want: 1:1: error: '0b' is not a binary number

# case: one line: 0o
0o
# want: 1:1: error: '0o' is not an octal number

# case: one line: 0o8
0o8
# want: 1:1: error: '0o8' is not an octal number

# case: one line: 1e
1e
# want: 1:1: error: '1e' is not a number

# case: one line: 1e+
1e+
# want: 1:1: error: '1e' is not a number

# case: one line: 1_
1_
# want: 1:1: error: '1_' is not a number

# case: one line: 1._0
1._0
# want: 1:1: error: '1._0' is not a number

# case: one line: 0_x1
0_x1
# want: 1:1: error: '0_x1' is not a number

# case: one line: 1.e
1.e
# want: 1:1: error: '1.e' is not a number

# case: one line: 08
08
# want: 1:1: error: an integer cannot start with 0: for octal write 0o8

# case: one line: 0b2
0b2
# want: 1:1: error: '0b2' is not a binary number

# case: one line: 1jj
1jj
# want: 1:1: error: '1jj' is not a number

# case: one line: 0xg
0xg
# want: 1:1: error: '0xg' is not a hexadecimal number

# case: one line: 1_000_
1_000_
# want: 1:1: error: '1_000_' is not a number

# case: one line: '\xg0'
'\xg0'
# want: 1:2: error: expected two hexadecimal digits after '\x'

# case: one line: '\x1'
'\x1'
# want: 1:2: error: expected two hexadecimal digits after '\x'

# case: one line: '\U1234567'
'\U1234567'
# want: 1:2: error: expected eight hexadecimal digits of a character after '\U'

# case: one line: '\U00110000'
'\U00110000'
# want: 1:2: error: expected eight hexadecimal digits of a character after '\U'

# case: one line: b'\x1'
b'\x1'
# want: 1:3: error: expected two hexadecimal digits after '\x'

# case: one line: except: pass
except: pass
# want: 1:1: error: 'except' belongs to no statement before it

# case: one line: finally: pass
finally: pass
# want: 1:1: error: 'finally' belongs to no statement before it

# case: one line: case 1: pass
case 1: pass
# want: 1:6: error: expected the end of the statement, saw '1'

# case: one line: a b
a b
# want: 1:3: error: expected the end of the statement, saw 'b'

# case: one line: 1 2
1 2
# want: 1:3: error: expected the end of the statement, saw '2'

# case: one line: @a
@a
# want: 2:1: error: expected 'def' or 'class' after the decorator, saw end of file

# case: one line: break
break
# want: 1:1: error: 'break' outside a loop

# case: one line: a <> b
a <> b
# want: 1:4: error: expected an expression, saw '>'

# case: one line: a &&  b
a &&  b
# want: 1:4: error: expected an expression, saw '&'

# case: one line: f(a b=1)
f(a b=1)
# want: 1:5: error: expected ',' or ')' after an argument, saw 'b'

# case: one line: f(a=1 b)
f(a=1 b)
# want: 1:7: error: expected ',' or ')' after an argument, saw 'b'

# case: one line: x[1 2]
x[1 2]
# want: 1:5: error: expected ',' or ']' after the index, saw '2'

# case: one line: if x pass
if x pass
# want: 1:6: error: expected ':' after 'if' condition, saw 'pass'

# case: one line: while x pass
while x pass
# want: 1:9: error: expected ':' after 'while' condition, saw 'pass'

# case: one line: for x in y pass
for x in y pass
# want: 1:12: error: expected ':' after 'for' header, saw 'pass'

# case: one line: class A pass
class A pass
# want: 1:9: error: expected ':' after the header of the class, saw 'pass'

# case: one line: with a pass
with a pass
# want: 1:8: error: expected ':' after 'with' header, saw 'pass'

# case: one line: import a.
import a.
# want: 1:10: error: expected a name after '.', saw newline

# case: one line: import a as
import a as
# want: 1:12: error: expected a name after 'as', saw newline

# case: one line: from . b
from . b
# want: 1:9: error: expected 'import' after the module's name, saw newline

# case: one line: from .a import (
from .a import (
# want: 1:16: error: '(' is never closed

# case: one line: def f(
def f(
# want: 1:6: error: '(' is never closed

# case: one line: f(
f(
# want: 1:2: error: '(' is never closed

# case: one line: x = "a
x = "a
# want: 1:5: error: the string is not closed on its line

# case: one line: x = 'a" 
x = 'a" 
# want: 1:5: error: the string is not closed on its line

# case: one line: x = """a
x = """a
# want: 1:5: error: the triple-quoted string is never closed

# case: one line: a\ b
a\ b
# want: 1:2: error: expected the end of the line after '\'

# case: a bracket that is never closed, and texts and a comment that hold statements
x = foo(1, '''
def g(): pass
''', 'a\'b def', """x
if y:
"""  # def h(): pass
def k():
    pass
y = = 2
# want: 1:8: error: '(' is never closed
# want: 8:5: error: expected an expression, saw '='

# case: a bracket that is never closed, and a text that is not either
x = foo('''
def k():
    pass
y = = 2
# want: 1:9: error: the triple-quoted string is never closed
# want: 4:5: error: expected an expression, saw '='

# case: a comment in the braces of an f-string, as since 3.12
x = f'''{a  # b'
}''' + = 2
# want: 2:8: error: expected an expression, saw '='

# case: a text in the braces of an f-string, with the other quotes
x = f"{a['b']}{'c'!r:>{w}}" + = 2
# want: 1:31: error: expected an expression, saw '='

# case: a brace that is not closed, or closed twice
x = f'{a'
y = f'a}'
z = f'{a:{b}'
w = f'{}'
v = f'{a!x}'
u = f'{a b}'
# want: 1:9: error: the string is not closed on its line
# want: 2:8: error: a single '}' in an f-string: write '}}'
# want: 3:7: error: '{' of the f-string is not closed
# want: 4:8: error: expected an expression in the braces of the f-string, saw '}'
# want: 5:10: error: expected the conversion r, s or a after '!', saw 'x'
# want: 6:10: error: expected '}' after the expression in the f-string, saw 'b'

# case: letters that cannot stand there
x = 1 ? 2
y = $a
z = a · b
w = 1 → 2
# want: 1:7: error: character '?' cannot stand here
# want: 2:5: error: character '$' cannot stand here
# want: 3:7: error: expected the end of the statement, saw '·'
# want: 4:7: error: character '→' (U+2192) cannot stand here
