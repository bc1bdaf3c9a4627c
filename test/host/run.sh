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
# What a script holds is bounded: values by 1 GiB or --memory, tensors by --memory and what the machine has.
memory() {
    size=$1 code=$2 words=$3
    shift 3
    printf '%s\n' "$@" >"$work/s.py"
    exits "$code" "$words" "$TERN" exec --device cpu --memory "$size" "$work/s.py"
}
memory 50M 1 's.py:2:13: MemoryError' 'x = []' 'while True: x += ["a" * 1000]'
memory 50M 1 's.py:3:13: MemoryError' 'def f(): yield 1' 'x = []' 'while True: x.append(f())'
memory 50M 1 's.py:2:13: MemoryError' 'x = []' 'while True: x.append(i for i in x)'
memory 50M 1 's.py:2:13: MemoryError' 'x = "a" * 1000000' 'while True: x = f"{x}{x}"'
memory 50M 1 's.py:1:12: MemoryError' 'def f(*a): return f(*a, *a)' 'f(1)'
memory 50M 1 's.py:2:14: MemoryError' 'while True:' '    class A: pass'
memory 50M 1 's.py:1:1: MemoryError' 'print(",".join(["a" * 1000000] * 1000))'
memory 50M 1 'MemoryError' 'list(iter(int, 1))'
memory 50M 1 'MemoryError' 'class A:' '    def __iter__(self): return self' '    def __next__(self): return 1' \
    'list(A())'
memory 50M 1 's.py:3:22: RuntimeError: DefaultCPUAllocator: can'"'"'t allocate memory: you tried to allocate 4000000 bytes.' \
    'import torch' 'x = []' 'while True: x.append(torch.zeros(1000000))'
# What was given back may be had again, in other sizes; a value that is dropped counts no more.
memory 50M 0 '12 tensor(10000000.)' 'import torch' 'x = []' 'try:' '    while True: x.append(torch.zeros(1000000))' \
    'except RuntimeError: n = len(x)' 'del x' 'print(n, torch.ones(10000000).sum())'
memory 50M 0 'fine' 'for i in range(200): x = [j for j in range(20000)]' 'for i in range(1000): (y := "a" * 1000000)' \
    'for i in range(20000): next(i for i in x)' 'print("fine")'
script 3 "s.py:1:10: not supported: a format of more than 1048576 characters" 'print(f"{1:1000000000}")'
script 3 'not supported: a format of more than 1048576 characters' 'print("%5000000000d" % 1)'
script 1 "TypeError: zeros(): argument 'size' failed to unpack the object at pos 1 with error" 'import torch' 'torch.zeros(2**63)'
script 1 "TypeError: zeros(): argument 'dtype' must be torch.dtype, not str" 'import torch' "torch.zeros(2, dtype='x')"
script 1 "RuntimeError: Storage size calculation overflowed with sizes=[4611686018427387904]" 'import torch' 'torch.zeros(2**62)'
script 3 'not supported: this distribution of numpy.random.default_rng' 'import numpy' 'numpy.random.default_rng(3).normal()'
# A call that does not fit is refused where PyTorch's function may take it, and a TypeError where it is the file's own.
script 3 "not supported: div() got an unexpected keyword argument 'rounding_mode'" 'import torch' \
    'try: torch.div(torch.ones(2), 2, rounding_mode="floor")' 'except TypeError: print("none")'
script 3 "not supported: where() missing required argument 'input'" 'import torch' 'try: torch.where(torch.ones(2) > 0)' 'except TypeError: pass'
script 3 "not supported: nan_to_num() with 'posinf'" 'import torch' 'try: torch.nan_to_num(torch.ones(2), posinf=1.0)' 'except TypeError: pass'
script 1 "TypeError: append() takes 1 positional argument but more were given" '[].append(1, 2)'
memory 0 0 'fine' 'print("fine")'
memory 8X 2 "--memory: expected a size (512M, 8G), got '8X'" 'print(1)'
script 1 'ModuleNotFoundError: no fallback' 'try:' '    import nowhere' 'except ModuleNotFoundError:' '    raise ModuleNotFoundError("no fallback")'
script 0 'fine' 'try:' '    import nowhere' 'except ImportError:' '    print("fine")'
script 0 'fine' 'import requests' 'import subprocess as sp' 'print("fine")'
script 3 "not supported: the module 'subprocess'" 'import subprocess' 'subprocess.run(["true"])'
script 7 'x' 'print("x")' 'exit(7)'
script 7 'x' 'leave = quit' 'print("x")' 'leave(7)'
script 0 'False fine' 'try: print(isinstance(1, (bytes, complex)), end=" ")' 'except (PermissionError, TimeoutError, EOFError): pass' \
    'assert issubclass(BrokenPipeError, IOError) and issubclass(IndentationError, SyntaxError)' 'try: raise FutureWarning' \
    'except Warning: print("fine")'
script 3 'not supported: bytes, bytearray, complex' 'bytes(3)'
script 3 "not supported: 'ExceptionGroup'" 'raise ExceptionGroup("a", [])'
script 3 "not supported: 'dir'" 'dir()'
script 1 "AssertionError: The values for attribute 'dtype' do not match: torch.float32 != torch.float64." 'import torch' \
    'torch.testing.assert_close(torch.ones(2), torch.ones(2).double())'
script 1 "AssertionError: The values for attribute 'shape' do not match: torch.Size([2]) != torch.Size([3])." 'import torch' \
    'torch.testing.assert_close(torch.ones(2), torch.ones(3))'
script 3 "not supported: 'torch.fft'" 'import torch' 'torch.fft.rfft(torch.zeros(4))'
script 3 's.py:1:1: not supported: async functions' 'async def f(x): pass'
script 3 "not supported: 'yield' in a lambda" 'f = lambda: (yield)' 'f()'
script 1 'KeyError' 'def f():' '    yield 1' '    raise KeyError(2)' 'list(f())'
script 1 'RecursionError' 'def f():' '    yield from f()' 'list(f())'
memory 50M 1 'MemoryError' 'def f():' '    x = []' '    while True: x.append("a" * 1000000)' '    yield x' 'list(f())'
script 3 'more than 1000 generators at once' 'def f():' '    yield 1' 'x = [f() for _ in range(1001)]' 'for y in x: next(y)'
script 3 "not supported: reading '/etc/passwd' without --allow-read DIR" 'open("/etc/passwd")'
script 3 "not supported: reading 'x' without --allow-read DIR" 'import os' 'os.path.exists("x")'
script 3 "not supported: reading '.' without --allow-read DIR" 'import os' 'os.listdir()'
script 3 "not supported: writing 'x' without --allow-write DIR" 'import pathlib' 'pathlib.Path("x").mkdir()'
script 3 'not supported: files, input' 'eval("1")'
script 3 "not supported: writing 'x' without --allow-write DIR" 'try:' '    open("x", "w")' 'except Exception:' '    print("went on")'
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
# There is one device, which is said in many ways; switches of less precision change nothing.
script 0 '1 2 3 False 2' 'import torch' 'x = torch.ones(2, device="cuda").cuda(0, non_blocking=True)' \
    'with torch.cuda.device(0), torch.cuda.device(x.device), torch.cuda.device_of(x): torch.cuda.set_device("cuda:0")' \
    'torch.backends.cuda.matmul.allow_tf32 = True' 'torch.set_float32_matmul_precision("high")' \
    'x[1] = float(torch.empty(1, dtype=torch.float16).uniform_(2, 3) >= 2)' \
    'print(1, 2, 3, torch.backends.mps.is_available(), torch.count_nonzero(x).item())'
script 1 's.py:2:1: RuntimeError: CUDA error: invalid device ordinal' 'import torch' 'torch.zeros(1).cuda(1)'
script 1 'RuntimeError: CUDA error: invalid device ordinal' 'import torch' 'with torch.cuda.device("cuda:1"): pass'
# What a file surely uses and tern does not have is refused before the file has done anything.
# early WORDS: the lines that follow print "ran" before they come to it.
early() {
    script 3 "$@"
    check "$1 is seen before the file runs" test "$(grep -c "^ran" "$work/.out")" = 0
}
early "s.py:4:9: not supported: 'torch.fft'" 'import torch' 'print("ran")' 'def f(x):' '    y = torch.fft.rfft(x)' \
    '    return y' 'f(torch.zeros(4))'
early "s.py:3:3: not supported: the module 'nowhere'" 'import nowhere as n' 'print("ran")' '[*n.x]'
early "s.py:3:1: not supported: 'g' of the module 'nowhere'" 'from nowhere import g' 'print("ran")' 'g()'
early "not supported: 'torch.vmap'" 'import torch' 'print("ran")' 'if __name__ == "__main__":' '    with torch.no_grad():' \
    '        torch.vmap(print)'
early "not supported: 'math.nothing'" 'import math' 'print("ran")' 'class A: pass' 'x = 1 if math.nothing > 2 else 3'
# So is what of newer Pythons has no meaning here, and a name that is imported and not there.
early "s.py:3:1: not supported: 'type X = list[int]'" 'import torch' 'print("ran")' 'type X = list[int]'
early "s.py:3:5: not supported: 't\"a{x}\"'" 'x = 1' 'print("ran")' 'y = t"a{x}"'
early "s.py:4:1: not supported: 'except* ValueError'" 'print("ran")' 'try:' '    raise ValueError(1)' 'except* ValueError as e:' '    print(e)'
early "s.py:2:7: not supported: 'b\"ab\"'" 'print("ran")' 'print(b"ab")'
early "s.py:2:5: not supported: 'await y'" 'print("ran")' 'x = await y'
early "s.py:3:5: not supported: async functions" 'print("ran")' 'class A:' '    async def f(self): pass'
early "s.py:3:5: not supported: '__del__' of a class" 'print("ran")' 'class A:' '    def __del__(self): pass'
early "s.py:2:19: not supported: 'torch.nothing'" 'print("ran")' 'from torch import nothing'
early "s.py:2:18: not supported: 'math.nothing'" 'print("ran")' 'from math import nothing'
early "s.py:2:8: not supported: the module 'torch.nothing'" 'print("ran")' 'import torch.nothing'
script 0 'True no' 'try:' '    from torch import nothing' 'except ImportError as e:' '    print(str(e).startswith("cannot import name '"'nothing' from 'torch'"'"), "no")'
script 1 's.py:1:1: ImportError: attempted relative import with no known parent package' 'from . import x'
# A file that does not parse does nothing, wherever that is.
for line in 'x := 3' 'async with x: pass' 'assert x := 3' 'def f(): return x := 1'; do
    script 2 's.py:2:' 'print("ran")' "$line"
    check "'$line': nothing ran" test "$(grep -c '^ran' "$work/.out")" = 0
done
# early_not: these need not come to it, or have a cure of their own, and end.
early_not() { script 0 ran "$@"; }
early_not 'import nowhere' 'print("ran")' 'if False: nowhere.x' 'True or nowhere.x' 'y = 1 if True else nowhere.x' \
    'f = lambda: nowhere.x' 'z = [nowhere.x for _ in []]' 'for _ in []: nowhere.x'
early_not 'import nowhere, sys' 'def f():' '    if sys.argv: return 1' '    return nowhere.x' 'f()' 'print("ran")' \
    'if sys.argv: sys.exit()' 'nowhere.x'
early_not 'import nowhere, math' 'math.nothing = 1' 'nowhere = math' 'print("ran", nowhere.nothing, math.nothing)'
early_not 'import nowhere' 'def g(nowhere): return nowhere.upper()' 'if True:' '    import math as nowhere' 'print("ran", g("a"), nowhere.pi)'
early_not 'import nowhere' 'def g():' '    global nowhere' '    import math as nowhere' 'g()' 'print("ran", nowhere.pi)'
# A file that is imported has a name of its own, so what it does as a program is left alone.
mkdir -p "$work/kit/deep"
printf 'print(__name__)\nif __name__ == "__main__": print("wrong")\ndef f(): pass\n' >"$work/beside.py"
printf 'print(__name__)\nfrom . import inner\nfrom .deep import low\n' >"$work/kit/__init__.py"
printf 'print(__name__)\nfrom .deep.low import x\n' >"$work/kit/inner.py"
printf 'print(__name__)\n' >"$work/kit/deep/__init__.py"
printf 'print(__name__)\nfrom .. import inner\nx = 1\n' >"$work/kit/deep/low.py"
printf '%s\n' 'import beside, kit.deep' 'def g(): pass' \
    'print(__name__, beside.__name__, beside.f.__module__, g.__module__, kit.inner.__name__)' >"$work/names.py"
want='beside kit kit.inner kit.deep kit.deep.low __main__ beside beside __main__ kit.inner'
check 'names of modules' test "$("$TERN" exec --device cpu "$work/names.py" 2>&1 | tr '\n' ' ')" = "$want "
if python3 --version >/dev/null 2>&1; then
    check 'names of modules are as in Python' test "$(python3 "$work/names.py" 2>&1 | tr '\n' ' ')" = "$want "
else
    skip 1 'no Python'
fi
# Arguments are sys.argv, also where a module that is imported asks first.
printf '%s\n' 'import asks' 'import sys' 'print(sys.argv[0].endswith("argv.py"), sys.argv[1:], asks.sys.argv is sys.argv)' >"$work/argv.py"
printf 'import sys\n' >"$work/asks.py"
exits 0 "True ['--k', '512', 'a b', 'é'] True" "$TERN" exec --device cpu "$work/argv.py" -- --k 512 'a b' é
exits 0 'True [] True' "$TERN" exec --device cpu "$work/argv.py"
exits 2 'argument 2 is no UTF-8' "$TERN" exec --device cpu "$work/argv.py" 1 "$(printf '\377')"

# What may be written, and where.
mkdir "$work/out" "$work/other"
cat >"$work/report.py" <<'END'
import torch, triton, sys
@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=['n'], x_vals=[1, 2, 3], line_arg='kind', line_vals=['a', 'b'], line_names=['A', 'B'], ylabel='x',
    plot_name='figures', args={}))
def bench(n, kind):
    return n * (2 if kind == 'a' else 3), n, n * 4
bench.run(print_data=True, save_path=sys.path_to_write)
END
report() { # FOLDER OPTION..
    folder=$1
    shift
    sed "s,sys.path_to_write,'$folder'," "$work/report.py" >"$work/s.py"
    "$TERN" exec --device cpu "$@" "$work/s.py" >"$work/said" 2>&1
}
report "$work/out"
check 'not without --allow-write' test $? = 3
report "$work/other" --allow-write "$work/out"
check 'not beside the folder' test $? = 3
report "$work/out/../other" --allow-write "$work/out"
check 'not by ..' test $? = 3
check 'nothing was written beside' test -z "$(ls "$work/other" "$work/out" | grep csv)"
report "$work/out" --allow-write "$work/out" --points 2
check 'where it may' test $? = 0
check 'the csv' test "$(tr '\n' ' ' <"$work/out/figures.csv")" = 'n,A (x),B (x) 1.000000,2.000000,3.000000 2.000000,4.000000,6.000000 '
check 'two points' test "$(grep -c '^[0-9] ' "$work/said")" = 2

# Reading and writing text, below the folders that are allowed.
cat >"$work/files.py" <<'END'
import os, sys
from pathlib import Path
out, other = Path(sys.argv[1]), sys.argv[2]
(out / 'a' / 'b').mkdir(parents=True, exist_ok=True)
with open(out / 'a' / 'x.txt', 'w') as f:
    f.write('one\n')
    print('two', 'é', file=f)
with open(out / 'a' / 'x.txt', 'a') as f:
    f.write('three')
print([line.rstrip() for line in open(str(out / 'a' / 'x.txt'))], os.listdir(out / 'a') == ['b', 'x.txt'] or sorted(os.listdir(out / 'a')))
print((out / 'a' / 'x.txt').exists(), (out / 'none').exists(), os.path.isdir(out), (out / 'a/x.txt').stem, Path('a/b.c').suffix)
try:
    open(out / 'none')
except FileNotFoundError as error:
    print('FileNotFoundError')
try:
    os.mkdir(out / 'a')
except FileExistsError as error:
    print('FileExistsError')
os.remove(out / 'a' / 'x.txt')
print((out / 'a' / 'x.txt').exists())
open(other + '/secret.txt').read()
END
echo secret >"$work/other/secret.txt"
"$TERN" exec --device cpu --allow-write "$work/out" "$work/files.py" -- "$work/out" "$work/other" >"$work/got" 2>"$work/err"
check 'what is not allowed is not read' test $? = 3
check 'and said' grep -q "reading '.*secret.txt' without --allow-read DIR" "$work/err"
"$TERN" exec --device cpu --allow-write "$work/out" --allow-read "$work/other" "$work/files.py" -- "$work/out" "$work/other" >"$work/got" 2>"$work/err"
check 'files' test $? = 0
if python3 --version >/dev/null 2>&1; then
    python3 "$work/files.py" "$work/out" "$work/other" >"$work/want"
    check 'files as in Python' diff "$work/want" "$work/got"
else
    skip 1 'no Python'
fi
ln -s "$work/other" "$work/out/link"
"$TERN" exec --device cpu --allow-write "$work/out" "$work/files.py" -- "$work/out" "$work/out/link" >"$work/got" 2>"$work/err"
check 'a link leads nowhere' test $? = 3

# CUDA C in a string, called as load_inline makes it callable; events and ranges; the profiler's table.
cat >"$work/inline.py" <<'END'
import torch
from torch.utils.cpp_extension import load_inline
from torch.profiler import profile, record_function, ProfilerActivity
cuda = '''
__global__ void twice(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
torch::Tensor run(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2, "two dimensions");
    auto y = torch::empty_like(x);
    int n = x.numel();
    twice<<<(n + 31) / 32, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
'''
module = load_inline(name='own', cpp_sources='torch::Tensor run(torch::Tensor x);', cuda_sources=[cuda],
                     functions=['run'], with_cuda=True, extra_cuda_cflags=['-O2'])
x = torch.arange(6, dtype=torch.float32, device='cuda').reshape(2, 3)
first, second = module.run(x), getattr(module, 'run')(x + 1) # each has memory of its own
print(first.tolist(), second.sum().item())
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
try:
    start.elapsed_time(end)
except ValueError as error:
    print(error)
start.record()
with torch.cuda.nvtx.range('r'):
    module.run(x)
end.record()
torch.cuda.synchronize()
print(0 < start.elapsed_time(end) < 60000)
with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
    with record_function('mine'):
        x + 1
table = prof.key_averages().table(sort_by='cpu_time_total', row_limit=10)
print('mine' in table, 'add' in table, 'Self CPU time total' in table)
with torch.autograd.profiler.profile(use_cuda=True) as prof:
    x * x
print('mul' in prof.key_averages().table())
try:
    prof.key_averages().table(sort_by='nothing')
except AttributeError as error:
    print(error)
try:
    module.run(torch.zeros(2))
except RuntimeError as error:
    print('two dimensions' in str(error))
module.run(torch.zeros(4, 4).t())
END
for device in cpu interp; do
    "$TERN" exec --device $device "$work/inline.py" >"$work/got" 2>"$work/err"
    check "$device: a tensor with gaps is refused" test $? = 3
    printf '%s\n' '[[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]] 42.0' \
        'Both events must be recorded before calculating elapsed time.' True 'True True True' True \
        "'FunctionEventAvg' object has no attribute 'nothing'" True >"$work/want"
    check "$device: load_inline, events, profiles" diff "$work/want" "$work/got"
done

# Sums of products are fused on a GPU, but where a launch says otherwise: another kernel.
printf '%s\n' 'import torch, triton' 'import triton.language as tl' '@triton.jit' 'def k(x, y):' \
    '    tl.store(y, tl.load(x) * tl.load(x) - 1.0)' 'x, y = torch.full([1], 1 + 2.0**-20), torch.empty(1)' \
    'for fuses in True, False, True:' '    k[1](x, y, enable_fp_fusion=fuses)' \
    '    print(y.item() == 2.0**-19 + 2.0**-40)' >"$work/fused.py"
"$TERN" exec --device sim "$work/fused.py" >"$work/got" 2>&1
check 'fused or not' test "$(tr '\n' ' ' <"$work/got")" = 'True False True '

# The interpreter prints what a kernel prints without words; the others have Triton's error.
printf '%s\n' 'import torch, triton' 'import triton.language as tl' '@triton.jit' 'def k(x, n):' \
    '    print(tl.load(x + tl.arange(0, 2)), n)' 'k[1](torch.arange(2.0) + 0.5, 7)' >"$work/printing.py"
exits 0 'idx (1) (operand 0) 1.500000' "$TERN" exec --device interp "$work/printing.py"
exits 1 'the first argument of print in a kernel must be a string' "$TERN" exec --device cpu "$work/printing.py"

# breakpoint() in a kernel asks on interp; nobody answers: the launch ends. Elsewhere it is refused.
cat >"$work/stops.py" <<'END'
import torch, triton
import triton.language as tl
@triton.jit
def k(x, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    o = pid * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + o, mask=o < n, other=0.25)
    big = tl.zeros((64, 32), tl.float16) + pid
    for i in range(n - 2):
        breakpoint()
    tl.store(x + o, v + 1, mask=o < n)
x = torch.arange(3.0)
k[(2,)](x, 3, BLOCK=2)
print(x)
END
printf 'v\np  big \na\nnothing\nh\nc\n\nv\nBLOCK\nw\nc\n' | "$TERN" exec --device interp "$work/stops.py" >"$work/got" 2>&1
check 'it goes on' grep -qxF '(tern) tensor([1., 2., 3.])' "$work/got"
check 'the place' grep -q '^(tern) > .*stops.py(10) program (1, 0, 0)$' "$work/got"
check 'its line' test "$(grep -c '^-> breakpoint()$' "$work/got")" = 3
check 'a tile' grep -qxF '(tern) v: tile<2xf32> [0, 1]' "$work/got"
check 'in the next program' grep -qxF '(tern) (tern) v: tile<2xf32> [2, 0.25]' "$work/got"
check 'a large one is shortened' grep -qF 'big: tile<64x32xf16> [[0, 0, 0, ..., 0, 0, 0], [0, 0, 0, ..., ' "$work/got"
check 'a constant' grep -qxF '(tern) BLOCK: 2' "$work/got"
check 'what is no name' grep -qF "'nothing' is no name here" "$work/got"
check 'names' grep -qx 'o: tile<2xi32>' "$work/got"
echo clear | "$TERN" exec --device interp "$work/stops.py" >"$work/got" 2>&1
check 'no more stops' test "$(grep -c '^-> ' "$work/got") $(tail -n 1 "$work/got")" = '1 (tern) tensor([1., 2., 3.])'
exits 1 'stops.py:10:9: error: breakpoint(): quit' "$TERN" exec --device interp "$work/stops.py" </dev/null
exits 1 'stops.py:10:9: not supported: breakpoint() in a kernel, on cpu' "$TERN" exec --device cpu "$work/stops.py"

# A module beside the file runs once; what it has is seen, what it imports from above is not there.
mkdir "$work/pack"
printf 'print("loaded")\nvalue = 7\ndef get(): return value\n' >"$work/near.py"
printf 'from .two import x\n' >"$work/pack/__init__.py"
printf 'x = 5\n' >"$work/pack/two.py"
script 0 '7 8 8 5' 'import near' 'from near import get, value' 'import pack' 'near.value = 8' \
    'print(value, near.value, get(), pack.x)'
check 'it ran once' test "$(grep -c loaded "$work/.out")" = 1
script 0 '7 True 2 3 False' 'import importlib, torch' 'import triton.language as tl' 'from packaging.version import Version' \
    'm, k = importlib.import_module("near"), tl.constexpr(2)' 'x = torch.amp.custom_fwd(lambda: 3, device_type="cuda")' \
    'print(m.value, Version("2.11.0") > Version("2.4.0"), k.value, x(), Version("2.4") < Version("2.4.0"))'
script 1 "ModuleNotFoundError: No module named 'nowhere'" 'import importlib' 'importlib.import_module("nowhere")'
script 1 'ImportError: cannot import name' 'from near import other'
# Ctrl-C is an exception, which the script may catch; --foreground: else timeout sends two signals, to the
# process and to its group, and the second ends it.
printf 'try:\n    while True: pass\nexcept KeyboardInterrupt:\n    print("stopped")\n' >"$work/loop.py"
timeout --foreground -s INT 2 "$TERN" exec --device cpu "$work/loop.py" >"$work/got" 2>&1
check 'Ctrl-C' grep -q '^stopped$' "$work/got"
cat >"$work/waits.py" <<'END'
import torch, triton, triton.language as tl
@triton.jit
def waits(x):
    while tl.load(x) == 1:
        pass
x = torch.ones(1, dtype=torch.int32)
try:
    waits[(1,)](x)
except RuntimeError:
    print("not this")
except KeyboardInterrupt:
    print("stopped")
waits[(1,)](x - 1)
print("goes on")
END
timeout --foreground -k 10 -s INT 2 "$TERN" exec --device cpu "$work/waits.py" >"$work/got" 2>&1
check 'Ctrl-C ends a kernel, too, and is the same exception' test "$(tr '\n' ' ' <"$work/got")" = 'stopped goes on '
# What is flushed is there before the script ends, which these do not.
for flushes in 'print("now", flush=True)' 'import sys; print("now"); sys.stdout.flush()'; do
    printf '%s\n' "$flushes" 'while True: pass' >"$work/s.py"
    : >"$work/flushed"
    "$TERN" exec --device cpu "$work/s.py" >"$work/flushed" &
    pid=$! i=0
    while [ ! -s "$work/flushed" ] && kill -0 $pid 2>/dev/null && [ $i -lt 600 ]; do sleep 0.1; i=$((i + 1)); done
    kill -9 $pid
    wait $pid 2>/dev/null
    check "$flushes" test "$(cat "$work/flushed")" = now
done
finish
