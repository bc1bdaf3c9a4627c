# Control flow, calls and names.
import triton
import triton.language as tl


# case: loop_type *fp32,i32
# want: error 'acc += tl.load(X + i)': 'acc' is int32 before the loop but becomes fp32 in it
# want: note 'acc = 0': 'acc' gets its type here
# want: help: a loop variable must keep its type and shape: start with the right one, as in 0.0 or tl.zeros(..), or cast with .to(..)
@triton.jit
def loop_type(X, n):
    acc = 0
    for i in range(n):
        acc += tl.load(X + i)
    tl.store(X, acc)


# case: loop_shape *fp32,i32
# want: error 'acc = tl.load(X + tl.arange(0, 32))': 'acc' is fp32[16] before the loop but becomes fp32[32] in it
# want: note 'acc = tl.zeros((16, ), tl.float32)': 'acc' gets its type here
# want: help: a loop variable must keep its type and shape: start with the right one, as in 0.0 or tl.zeros(..), or cast with .to(..)
@triton.jit
def loop_shape(X, n):
    acc = tl.zeros((16, ), tl.float32)
    for i in range(n):
        acc = tl.load(X + tl.arange(0, 32))


# case: loop_constexpr i32,4
# want: error 'K += 1': 'K' is a compile-time value (int) and cannot be assigned in a loop
# want: note 'K': it gets its value here
# want: help: copy it to a variable before the loop, as in 'n = K'
@triton.jit
def loop_constexpr(n, K: tl.constexpr):
    for i in range(n):
        K += 1


# case: loop_local i32
# want: error 'last': 'last' is not defined
# want: note 'last = i': 'last' is only assigned inside a run-time 'if', 'for' or 'while' here: give it a value before
@triton.jit
def loop_local(n):
    for i in range(n):
        last = i
    last + 1


# case: loop_index i32
# want: error 'i': 'i' is not defined
# want: note 'i': a loop's index is not known after the loop
@triton.jit
def loop_index(n):
    for i in range(n):
        pass
    i + 1


# case: loop_float fp32
# want: error 'range(x)': the upper bound of a loop must be an integer scalar, got fp32
@triton.jit
def loop_float(x):
    for i in range(x):
        pass


# case: loop_tuple
# want: error '(1, 2)': 'for' runs over range, tl.range and tl.static_range only, got tuple
# want: help: use 'for i in tl.static_range(len(t))' and t[i]
@triton.jit
def loop_tuple():
    for i in (1, 2):
        pass


# case: static_bound i32
# want: error 'tl.static_range(n)': tl.static_range needs compile-time ints, got int32
# want: help: use range or tl.range for a loop with run-time bounds
@triton.jit
def static_bound(n):
    for i in tl.static_range(n):
        pass


# case: return_in_loop i32
# want: error 'if i > 3:': 'return' inside a run-time 'for' or 'while' is not supported
# want: help: set a variable and return after the loop
@triton.jit
def return_in_loop(n):
    for i in range(n):
        if i > 3:
            return


# case: break_loop i32
# want: error 'break': 'break' is not supported in a kernel
# want: help: mask the work instead, or use 'while' with the condition
@triton.jit
def break_loop(n):
    while n > 0:
        break


# case: endless
# want: error 'True': this 'while' never ends: its condition is true at compile time
# want: help: the condition must change at run time; there is no 'break' in a kernel
@triton.jit
def endless():
    while True:
        pass


# case: endless_static
# want: error 'pass': compiling this takes more than 1000000 steps: a compile-time loop or recursion does not end
@triton.jit
def endless_static():
    for i in tl.static_range(1 << 40):
        pass


@triton.jit
def again(n: tl.constexpr):
    again(n + 1)


# case: endless_recursion
# want: error 'again(n + 1)': calls are nested more than 96 deep: the recursion of 'again' does not end at compile time
# want: note 'again(n + 1)': in the call of 'again' here
# want: note 'again(n + 1)': in the call of 'again' here
# want: note 'again(n + 1)': in the call of 'again' here
@triton.jit
def endless_recursion():
    again(0)


# case: if_types i32
# want: error 'x = 2.0': 'x' is int32 in the 'then' arm but fp32 in the 'else' arm
# want: note 'x = 1': in the 'then' arm it is set here
# want: help: cast one of them with .to(..)
@triton.jit
def if_types(n):
    if n > 0:
        x = 1
    else:
        x = 2.0


# case: if_changes i32
# want: error 'x = 2.0': 'x' is int32 before the 'if' but becomes fp32 in the 'then' arm
# want: note 'x = 1': 'x' gets its type here
# want: help: cast one of them with .to(..)
@triton.jit
def if_changes(n):
    x = 1
    if n > 0:
        x = 2.0


# case: if_one_arm i32
# want: error 'x': 'x' is not defined
# want: note 'x = 1': 'x' is only assigned inside a run-time 'if', 'for' or 'while' here: give it a value before
@triton.jit
def if_one_arm(n):
    if n > 0:
        x = 1
    x + 1


# case: if_block
# want: error 'tl.arange(0, 16) > 3': the truth of a tensor with more than one element is ambiguous: int1[16]
# want: help: use tl.where, or reduce it to a scalar first, as in tl.sum or tl.max
@triton.jit
def if_block():
    if tl.arange(0, 16) > 3:
        pass


# One error: what the arms would have set is not asked for again.
# case: if_bad_condition
# want: error 'missing': 'missing' is not defined
@triton.jit
def if_bad_condition():
    if missing > 3:
        x = 1
    else:
        y = 2
    x + y


# case: if_string
# want: error '"text"': a condition must be a bool, an int, None or a scalar tensor, got str
@triton.jit
def if_string():
    if "text":
        pass


# case: ternary_types i32
# want: error '1 if n > 0 else 2.0': the arms of a run-time conditional expression differ: int32 and fp32
# want: help: cast one of them with .to(..), or use tl.where
@triton.jit
def ternary_types(n):
    1 if n > 0 else 2.0


# case: constexpr_again 3
# want: error 'N: tl.constexpr = 4': 'N' is already defined: a tl.constexpr cannot be assigned again
# want: note 'N': the first definition is here
@triton.jit
def constexpr_again(N: tl.constexpr):
    N: tl.constexpr = 4


# case: constexpr_of_value i32
# want: ok
@triton.jit
def constexpr_of_value(n):
    N: tl.constexpr = n


# case: assign_string
# want: error '"text"': str cannot be assigned to a run-time variable
# want: help: declare the variable as 'name: tl.constexpr = ..'
@triton.jit
def assign_string():
    s = "text"


# case: assign_element *fp32
# want: error 'X[0]': an element of a tensor or tuple cannot be assigned
# want: help: use tl.where to change elements, tl.store to write to memory
@triton.jit
def assign_element(X):
    X[0] = 1


# case: two_targets
# want: error 'a = b = 1': assigning to several targets at once is not supported
@triton.jit
def two_targets():
    a = b = 1


# case: unpack_count
# want: warning 'a, b = 1, 2, 3': 3 values for 2 names: as in Triton, the rest is dropped
# want: ok
@triton.jit
def unpack_count():
    a, b = 1, 2, 3


# case: chained i32
# want: error '0 < n < 4': chained comparison is not supported
# want: help: write it as two comparisons joined with '&' (or 'and' for scalars)
@triton.jit
def chained(n):
    0 < n < 4


# case: use_lambda
# want: error 'lambda x: x': lambda is not supported in a kernel
# want: help: write a function decorated with @triton.jit
@triton.jit
def use_lambda():
    f = lambda x: x


# case: use_try
# want: error 'try:': try is not supported in a kernel
# want: help: a kernel raises nothing: check with 'if', tl.static_assert or tl.device_assert
@triton.jit
def use_try():
    try:
        pass
    except ValueError:
        pass


@triton.jit
def helper(a, b=2):
    return a + b


# case: call_missing
# want: error 'helper()': the argument 'a' of 'helper' is missing
# want: note 'helper': 'helper' is defined here
@triton.jit
def call_missing():
    helper()


# case: call_extra
# want: error '3': 'helper' takes 2 arguments, this is one more
# want: note 'helper': 'helper' is defined here
@triton.jit
def call_extra():
    helper(1, 2, 3)


# case: call_keyword
# want: error '3': 'helper' has no parameter 'c'
# want: note 'helper': 'helper' is defined here
@triton.jit
def call_keyword():
    helper(1, c=3)


# case: call_twice
# want: error '3': parameter 'a' of 'helper' is given twice
@triton.jit
def call_twice():
    helper(1, a=3)


def plain(x):
    return x + 1


# case: call_plain i32
# want: error 'n': 'plain' is a plain Python function: it cannot take a tensor
# want: help: decorate it with @triton.jit
@triton.jit
def call_plain(n):
    plain(n)


# case: kernel_returns i32
# want: error 'n': a kernel cannot return a value
# want: help: store it through a pointer parameter
@triton.jit
def kernel_returns(n):
    return n


# case: unknown_function
# want: error 'tl.frobnicate': module 'triton.language' has no attribute 'frobnicate'
@triton.jit
def unknown_function():
    tl.frobnicate(1)


# case: refused_function
# want: refused 'tl.extern_elementwise(1)': 'tl.extern_elementwise' is not supported: only libdevice's functions are known
@triton.jit
def refused_function():
    tl.extern_elementwise(1)


# case: dot_scaled_numbers
# want: error 'tl.dot_scaled(1, 2, "e4m3", 3, 4, "e4m3")': static assertion failed: the operands must be tensors, in tl.dot_scaled
@triton.jit
def dot_scaled_numbers():
    tl.dot_scaled(1, 2, "e4m3", 3, 4, "e4m3")


@triton.jit
def wrong_combine(a, b):
    return (a + b).to(tl.float16)


# case: combine_type
# want: error 'wrong_combine': the combine function must return the type of its operands, fp32, not fp16
# want: help: cast the input first, or the result with .to(..)
@triton.jit
def combine_type():
    tl.reduce(tl.zeros((16, ), tl.float32), 0, wrong_combine)


# case: not_visited i32,0
# want: ok
@triton.jit
def not_visited(n, FLAG: tl.constexpr):
    if FLAG:
        tl.frobnicate(undefined_name)
    FLAG and undefined_name
    undefined_name if FLAG else n


# case: early_return *i32,i32
# want: ok
@triton.jit
def early_return(X, n):
    pid = tl.program_id(0)
    if pid >= n:
        return
    if pid == 3:
        tl.store(X, 1)
        return
    else:
        X += 1
    tl.store(X + pid, pid)


# case: loops *fp32,i32
# want: ok
@triton.jit
def loops(X, n):
    acc = tl.zeros((16, ), tl.float32)
    best, at = float("-inf"), 0
    for i in range(n - 1, -1, -1):
        x = tl.load(X + i * 16 + tl.arange(0, 16))
        acc += x
        m = tl.max(x)
        if m > best:
            best, at = m, i
    while n > 0:
        n -= 1
    tl.store(X + tl.arange(0, 16), acc + best + at + n)


# case: doubled_tuple
# want: error 't + t': the result of '+' has more than 65536 items
@triton.jit
def doubled_tuple():
    t = (1, 2)
    for i in tl.static_range(60):
        t = t + t


# case: doubled_text
# want: error 's + s': the result of '+' has more than 65536 items
# want: note 'long_text(s + s, n - 1)': in the call of 'long_text' here
# want: note 'long_text(s + s, n - 1)': in the call of 'long_text' here
# want: note 'long_text(s + s, n - 1)': in the call of 'long_text' here
@triton.jit
def doubled_text():
    tl.static_print(long_text("ab", 60))


@triton.jit
def long_text(s, n: tl.constexpr):
    if n == 0:
        return s
    else:
        return long_text(s + s, n - 1)


@triton.jit
def nested_arguments(n: tl.constexpr):
    return max(max(max(max(max(max(max(max(max(max(nested_arguments(n + 1), 1), 1), 1), 1), 1), 1), 1), 1), 1), 1)


# case: deep_calls
# want: error 'nested_arguments(n + 1)': calls are nested more than 96 deep: the recursion of 'nested_arguments' does not end at compile time
# want: note 'nested_arguments(n + 1)': in the call of 'nested_arguments' here
# want: note 'nested_arguments(n + 1)': in the call of 'nested_arguments' here
# want: note 'nested_arguments(n + 1)': in the call of 'nested_arguments' here
@triton.jit
def deep_calls():
    nested_arguments(0)


# case: many_returns i32
# want: error 'if x == 60:': run-time ifs and loops are nested more than 60 deep
# want: help: what follows an 'if' that may return counts as inside it
@triton.jit
def many_returns(x):
    if x == 0:
        return
    if x == 1:
        return
    if x == 2:
        return
    if x == 3:
        return
    if x == 4:
        return
    if x == 5:
        return
    if x == 6:
        return
    if x == 7:
        return
    if x == 8:
        return
    if x == 9:
        return
    if x == 10:
        return
    if x == 11:
        return
    if x == 12:
        return
    if x == 13:
        return
    if x == 14:
        return
    if x == 15:
        return
    if x == 16:
        return
    if x == 17:
        return
    if x == 18:
        return
    if x == 19:
        return
    if x == 20:
        return
    if x == 21:
        return
    if x == 22:
        return
    if x == 23:
        return
    if x == 24:
        return
    if x == 25:
        return
    if x == 26:
        return
    if x == 27:
        return
    if x == 28:
        return
    if x == 29:
        return
    if x == 30:
        return
    if x == 31:
        return
    if x == 32:
        return
    if x == 33:
        return
    if x == 34:
        return
    if x == 35:
        return
    if x == 36:
        return
    if x == 37:
        return
    if x == 38:
        return
    if x == 39:
        return
    if x == 40:
        return
    if x == 41:
        return
    if x == 42:
        return
    if x == 43:
        return
    if x == 44:
        return
    if x == 45:
        return
    if x == 46:
        return
    if x == 47:
        return
    if x == 48:
        return
    if x == 49:
        return
    if x == 50:
        return
    if x == 51:
        return
    if x == 52:
        return
    if x == 53:
        return
    if x == 54:
        return
    if x == 55:
        return
    if x == 56:
        return
    if x == 57:
        return
    if x == 58:
        return
    if x == 59:
        return
    if x == 60:
        return
    if x == 61:
        return
    if x == 62:
        return
    if x == 63:
        return
    if x == 64:
        return
    if x == 65:
        return
    if x == 66:
        return
    if x == 67:
        return
    if x == 68:
        return
    if x == 69:
        return
    if x == 70:
        return
    if x == 71:
        return
    if x == 72:
        return
    if x == 73:
        return
    if x == 74:
        return
    if x == 75:
        return
    if x == 76:
        return
    if x == 77:
        return
    if x == 78:
        return
    if x == 79:
        return
    if x == 80:
        return
    if x == 81:
        return
    if x == 82:
        return
    if x == 83:
        return
    if x == 84:
        return
    if x == 85:
        return
    if x == 86:
        return
    if x == 87:
        return
    if x == 88:
        return
    if x == 89:
        return
    if x == 90:
        return
    if x == 91:
        return
    if x == 92:
        return
    if x == 93:
        return
    if x == 94:
        return
    if x == 95:
        return
    if x == 96:
        return
    if x == 97:
        return
    if x == 98:
        return
    if x == 99:
        return
    if x == 100:
        return
    if x == 101:
        return
    if x == 102:
        return
    if x == 103:
        return
    if x == 104:
        return
    if x == 105:
        return
    if x == 106:
        return
    if x == 107:
        return
    if x == 108:
        return
    if x == 109:
        return
    if x == 110:
        return
    if x == 111:
        return
    if x == 112:
        return
    if x == 113:
        return
    if x == 114:
        return
    if x == 115:
        return
    if x == 116:
        return
    if x == 117:
        return
    if x == 118:
        return
    if x == 119:
        return
    if x == 120:
        return
    if x == 121:
        return
    if x == 122:
        return
    if x == 123:
        return
    if x == 124:
        return
    if x == 125:
        return
    if x == 126:
        return
    if x == 127:
        return
    if x == 128:
        return
    if x == 129:
        return
    if x == 130:
        return
    if x == 131:
        return
    if x == 132:
        return
    if x == 133:
        return
    if x == 134:
        return
    if x == 135:
        return
    if x == 136:
        return
    if x == 137:
        return
    if x == 138:
        return
    if x == 139:
        return
    if x == 140:
        return
    if x == 141:
        return
    if x == 142:
        return
    if x == 143:
        return
    if x == 144:
        return
    if x == 145:
        return
    if x == 146:
        return
    if x == 147:
        return
    if x == 148:
        return
    if x == 149:
        return
    if x == 150:
        return
    if x == 151:
        return
    if x == 152:
        return
    if x == 153:
        return
    if x == 154:
        return
    if x == 155:
        return
    if x == 156:
        return
    if x == 157:
        return
    if x == 158:
        return
    if x == 159:
        return
