# SPDX-License-Identifier: Apache-2.0
# What is wrong with a Python file that runs from the top, in Python's words with its place; and what a
# file may not reach.
. test/cli/lib.sh
# script CODE WORDS: the lines that follow, one an argument.
script() {
    code=$1 words=$2
    shift 2
    printf '%s\n' "$@" >"$work/s.py"
    exits "$code" "$words" "$TERN" exec --device cpu "$work/s.py"
}
script 1 's.py:2:5: ValueError: too small' 'def f(n):' '    raise ValueError("too small")' 'f(3)'
script 1 's.py:3:1: note: called here' 'def f(n):' '    raise ValueError("too small")' 'f(3)'
script 1 's.py:1:11: ZeroDivisionError: division by zero' 'print(1 + 1 / 0)'
script 1 "NameError: name 'y' is not defined" 'x = 1' 'print(x + y)'
script 1 'AssertionError' 'assert 1 == 2'
script 1 'KeyError: (1,' 'd = {}' 'd[1, "a"]'
script 1 'RecursionError: maximum recursion depth exceeded' 'def f(): return f()' 'f()'
script 1 'RecursionError' 'class A:' '    def __eq__(self, other): return [self] == [other]' 'A() == A()'
script 1 'RecursionError' 'x = []' 'for i in range(100000): x = [x]' 'print(x)'
script 1 'StopIteration' 'next(iter([]))'
script 1 'ValueError: min() arg is an empty sequence' 'min([])'
script 1 'IndexError: list index out of range' 'try:' '    [][0]' 'finally:' '    print("end")'
script 1 'MemoryError' 'x = []' 'while True: x.append("a" * 1000000)'
script 0 '-170141183460469231731687303715884105727' 'print(int("-17014118346046923173168730371588410572" + "7"))'
script 3 'not supported: an integer of more than 128 bits' 'print(int("17014118346046923173168730371588410572" + "8"))'
script 3 'not supported: the joined sequence is too long' 'x = "a"' 'while True: x = x + x'
script 1 'MemoryError' 'x = [0] * (1 << 40)'
script 1 'MemoryError' 'class A:' '    def __iter__(self): return self' '    def __next__(self): return 1' \
    'list(A())'
script 1 'ModuleNotFoundError: no fallback' 'try:' '    import nowhere' 'except ModuleNotFoundError:' '    raise ModuleNotFoundError("no fallback")'
script 0 'fine' 'try:' '    import nowhere' 'except ImportError:' '    print("fine")'
script 0 'fine' 'import requests' 'import subprocess as sp' 'print("fine")'
script 3 "not supported: the module 'subprocess'" 'import subprocess' 'subprocess.run(["true"])'
script 3 "not supported: 'torch.fft'" 'import torch' 'torch.fft.rfft(torch.zeros(4))'
script 3 's.py:1:1: not supported: async functions' 'async def f(x): pass'
script 3 'not supported: generators (yield)' 'def f():' '    yield 1'
script 3 'not supported: files, input' 'open("/etc/passwd")'
script 3 'not supported: files, input' 'eval("1")'
script 3 'not supported: files, input' 'try:' '    open("x", "w")' 'except Exception:' '    print("went on")'
check 'nothing was written' test ! -e x
script 2 "s.py:2:" 'x = 1' 'def (:'
script 5 'bye' 'import sys' 'print("bye")' 'sys.exit(5)'
script 1 'it failed' 'import sys' 'sys.exit("it failed")'
script 0 'x' 'import sys' 'print("x")' 'sys.exit()'
script 1 'RuntimeError: the kernel' 'import torch, triton' 'import triton.language as tl' '@triton.jit' \
    'def k(p):' '    tl.store(p, nothing)' 'k[1](torch.zeros(1))'
script 1 "error: 'nothing' is not defined" 'import torch, triton' 'import triton.language as tl' '@triton.jit' \
    'def k(p):' '    tl.store(p, nothing)' 'k[1](torch.zeros(1))'
script 1 'RuntimeError: The size of tensor a (2) must match the size of tensor b (3)' \
    'import torch' 'torch.zeros(2) + torch.zeros(3)'
exits 2 'No such file' "$TERN" exec --device cpu "$work/none.py"
exits 3 'arguments of a FILE.py are not supported' "$TERN" exec "$work/s.py" -- 1

# Sums of products are fused on a GPU, but where a launch says otherwise: another kernel.
printf '%s\n' 'import torch, triton' 'import triton.language as tl' '@triton.jit' 'def k(x, y):' \
    '    tl.store(y, tl.load(x) * tl.load(x) - 1.0)' 'x, y = torch.full([1], 1 + 2.0**-20), torch.empty(1)' \
    'for fuses in True, False, True:' '    k[1](x, y, enable_fp_fusion=fuses)' \
    '    print(y.item() == 2.0**-19 + 2.0**-40)' >"$work/fused.py"
"$TERN" exec --device sim "$work/fused.py" >"$work/got" 2>&1
check 'fused or not' test "$(tr '\n' ' ' <"$work/got")" = 'True False True '

# A module beside the file runs once; what it has is seen, what it imports from above is not there.
mkdir "$work/pack"
printf 'print("loaded")\nvalue = 7\ndef get(): return value\n' >"$work/near.py"
printf 'from .two import x\n' >"$work/pack/__init__.py"
printf 'x = 5\n' >"$work/pack/two.py"
script 0 '7 8 8 5' 'import near' 'from near import get, value' 'import pack' 'near.value = 8' \
    'print(value, near.value, get(), pack.x)'
check 'it ran once' test "$(grep -c loaded "$work/.out")" = 1
script 1 'ImportError: cannot import name' 'from near import other'
# Ctrl-C is an exception, which the script may catch; --foreground: else timeout sends two signals, to the
# process and to its group, and the second ends it.
printf 'try:\n    while True: pass\nexcept KeyboardInterrupt:\n    print("stopped")\n' >"$work/loop.py"
timeout --foreground -s INT 2 "$TERN" exec --device cpu "$work/loop.py" >"$work/got" 2>&1
check 'Ctrl-C' grep -q '^stopped$' "$work/got"
finish
