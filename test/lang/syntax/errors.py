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
