# SPDX-License-Identifier: Apache-2.0
"""Programs that use Triton, unchanged, by `python -m tern`: with the stub in Triton's place, and, where
it is installed, with Triton itself, whose autotuner and heuristics then are those that run."""
import os
import subprocess
import sys

from harness import check, folder, have, run, same, write

import tern.triton

PROGRAM = write("program.py", '''
import array
import os
import sys

import triton
import triton.language as tl
from triton.runtime import driver
from beside import DOUBLE, scale
from elsewhere import parts

SHIFT: tl.constexpr = tl.constexpr(3)


@triton.jit
def shifted(x):
    return scale(x) + SHIFT


@triton.autotune(configs=[triton.Config({"BLOCK": 32}, num_warps=2), triton.Config({"BLOCK": 64})],
                 key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % 2 == 0})
@triton.jit
def kernel(x, y, n, DTYPE: tl.constexpr, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = shifted(tl.load(x + at, mask=at < n))
    if EVEN:
        value += 100
    tl.store(y + at, parts.zero(value).to(DTYPE), mask=at < n)


def launch(n):
    x, y = array.array("f", range(n)), array.array("f", bytes(4 * n))
    hooked = []
    if not kernel.fn.fn.pre_run_hooks:
        kernel.fn.fn.add_pre_run_hook(lambda *args, **keywords: hooked.append(1))
    made = kernel[lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),)](x, y, n, DTYPE=tl.float32)
    want = [DOUBLE * i + 3 + 100 * (n % 2 == 0) for i in range(n)]
    print(n, f"BLOCK {kernel.best_config.kwargs['BLOCK']}", "right" if list(y) == want else list(y), made.signature.split(",")[2], hooked != [])


print(driver.active.get_current_target().backend, triton.next_power_of_2(100), __name__, sys.argv[1:])
launch(100)
launch(101)
if "--caught" in sys.argv:
    import tern
    from triton.compiler.errors import CompilationError
    try:
        kernel.fn.fn[(1,)](array.array("f", [1]), array.array("f", [1]), 1, tl.float32, True, 33)
    except CompilationError as error:
        print("caught", isinstance(error, tern.CompileError), error.line, "power of 2" in str(error))
if "--mistake" in sys.argv:
    kernel.fn.fn[(1,)](array.array("f", [1]), array.array("f", [1]), 1, tl.float32, True, 33)
''')
write("beside.py", '''
import triton

DOUBLE = 2


@triton.jit
def scale(x):
    return x * DOUBLE
''')


# What Triton itself offers around launches: hooks, tuners that go on to the next config, tuners of a
# program's own.
AROUND = write("around.py", '''
import array

import triton
import triton.language as tl
from triton import knobs


def kernel(x, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK > 32, "too small")
    tl.store(x, BLOCK)


class Tuner(triton.runtime.Autotuner):
    def run(self, *args, **keywords):
        self.nargs = dict(zip(self.arg_names, args))
        times = {config: self._bench(*args, config=config, **keywords)
                 for config in self.prune_configs(keywords)}
        self.best_config = min(times, key=times.get)
        print("tuner", len(times))
        return self.fn.run(*args, **keywords, **self.best_config.all_kwargs())


kernel = triton.jit(kernel)
configs = [triton.Config({"BLOCK": size}) for size in (32, 64, 128)]
x = array.array("i", [0])
triton.autotune(configs=configs[:2], key=[])(kernel)[(1,)](x)
print("autotune", x[0])
made = Tuner(kernel, kernel.arg_names, configs[1:], [], None, None)[(1,)](x)
print(made.asm.keys() == {"ir", "c"}, made.src.fn is kernel)
def told(when):
    def hook(*, key, repr, fn, compile, is_manual_warmup, already_compiled):
        print(when, fn.name, compile["signature"], compile["num_warps"], compile["is_warmup"], key == compile["key"])
        try:
            compile["specialization_data"]
        except Exception as error:
            print(type(error).__name__)
        return compile["constants"]["BLOCK"] == 512
    return hook


knobs.runtime.jit_cache_hook, knobs.runtime.jit_post_compile_hook = told("before"), told("after")
x[0] = 7
kernel.warmup(x, BLOCK=256, num_warps=8, grid=(1,))
print(kernel[(1,)](x, BLOCK=512), x[0])
knobs.runtime.jit_cache_hook = knobs.runtime.jit_post_compile_hook = None
for group, name, hook in ((knobs.compilation, "listener", print), (knobs.runtime, "kernel_load_end_hook", None)):
    before = getattr(group, name)
    if hook:
        setattr(group, name, hook)
    else:
        before.add(print)
    try:
        kernel[(1,)](x, BLOCK=1024)
    except Exception as error:
        print(str(error).partition(":")[0])
    if hook:
        setattr(group, name, before)
    else:
        before.remove(print)
knobs.runtime.launch_enter_hook.add(lambda data: print("enter", data["name"]))
knobs.runtime.launch_exit_hook.add(lambda data: print("exit", data["name"]))
kernel[(1,)](x, BLOCK=128)
print(x[0])
''')


# The precision of products that name none: 1 + 2**-13 has more bits than tf32.
PRODUCT = write("product.py", '''
import array

import triton
import triton.language as tl


@triton.jit
def kernel(x, y, T: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    one = tl.where(tl.arange(0, 16)[:, None] == tl.arange(0, 16)[None, :], 1.0, 0.0)
    tl.store(y + at, tl.dot(tl.load(x + at), one, input_precision=T))


x, y = array.array("f", [1 + 2**-13] * 256), array.array("f", bytes(1024))
for precision in (None, "tf32"):
    kernel[(1,)](x, y, precision)
    print(y[17] - 1)
''')


# What libraries that launch by themselves ask of a JITFunction: FlagGems' LibEntry and LibTuner.
ASKED = write("asked.py", '''
import array

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["n"], do_not_specialize_on_alignment=[0])
def kernel(x, n, BLOCK: tl.constexpr = 8):
    tl.store(x + n, BLOCK)


@triton.jit
def other(x):
    tl.store(x, 1)


class Entry(triton.KernelInterface):
    def run(self, *args, grid, warmup):
        return kernel.run(*args, grid=grid, warmup=warmup)


for p in kernel.params:
    print(p.num, p.name, p.is_constexpr, p.do_not_specialize, p.do_not_specialize_on_alignment)
print(isinstance(kernel, triton.runtime.JITFunction), kernel.constexprs, list(kernel.signature.parameters))
print(kernel.cache_key == kernel.cache_key != other.cache_key)
x = array.array("f", [0, 0])
made = Entry()[(1,)](x, 0)
made[(1, 1, 1)](x, 1)
print(list(x))
''')


# Processes that a program starts: tern is behind Triton there, too.
STARTED = write("started.py", '''
import array
import multiprocessing
import subprocess
import sys

import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, at * 2, mask=at < n)


def work(how):
    x = array.array("i", bytes(4 * 5000))
    made = kernel[(79,)](x, 5000, BLOCK=64)
    print(how, type(made).__module__, list(x) == list(range(0, 10000, 2)), flush=True)


if __name__ == "__main__":
    work("parent")
    for how in ("spawn", "forkserver", "fork"):
        process = multiprocessing.get_context(how).Process(target=work, args=(how,))
        process.start()
        process.join(120)
        print(how, process.exitcode, flush=True)
        process.kill()
    subprocess.run([sys.executable, "-c", "import started; started.work('command')"], check=True)
    subprocess.run([sys.executable, "-c", "import sys; print('triton' in sys.modules or 'tern' in sys.modules, sys.was_seen)"], check=True)
''')
os.mkdir(os.path.join(folder, "behind"))
write("behind/sitecustomize.py", "import sys; sys.was_seen = 1")


# A package that Python finds, and that does not lie beside the program.
os.makedirs(os.path.join(folder, "site", "elsewhere"))
write("site/elsewhere/__init__.py", "")
write("site/elsewhere/parts.py", '''
import triton


@triton.jit
def zero(x):
    return x + 0
''')


def program(words, more_path="", **more):
    here = os.pathsep.join([os.environ["PYTHONPATH"], os.path.join(folder, "site")])
    path = os.pathsep.join([more_path, here] if more_path else [here])
    return subprocess.run([sys.executable, "-m", "tern", *words], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": path, "TERN_DEVICE": "cpu", **more},
                          timeout=300)


def runs(name, path):
    done = program([PROGRAM, "a", "b"], path)
    lines = done.stdout.splitlines()
    same(f"{name}: exit code", (done.returncode, done.stderr[-600:]), (0, ""))
    same(f"{name}: what it asks", lines[:1], ["cpu 128 __main__ ['a', 'b']"])
    check(f"{name}: an even n", lines[1].endswith("right i32 True"), lines)
    check(f"{name}: an odd n", lines[2].endswith("right i32 False"), lines)
    lines = program([PROGRAM], path, TERN_TUNE="0").stdout.splitlines()
    same(f"{name}: the first config", lines[1:], ["100 BLOCK 32 right i32 True",
                                                  "101 BLOCK 32 right i32 False"])
    done = program([PROGRAM, "--mistake"], path)
    check(f"{name}: a mistake ends it", done.returncode == 1, done.returncode)
    check(f"{name}: with its place", "program.py:25:" in done.stderr and "power of 2" in done.stderr,
          done.stderr[-600:])


def starts(name, path):
    behind = os.path.join(folder, "behind")
    done = program([STARTED], os.pathsep.join(filter(None, [path, folder, behind])))
    want = [line for how in ("parent", "spawn", "forkserver", "fork", "command")
            for line in (f"{how} tern._tern True", f"{how} 0")][:9]
    del want[1]
    same(f"{name}: processes that it starts", (done.stdout.splitlines(), done.stderr[-600:]),
         ([*want, "False 1"], ""))


def asks(name, path):
    done = program([ASKED], path)
    same(f"{name}: what libraries ask", (done.stdout.splitlines(), done.stderr[-600:]),
         (["0 x False False True", "1 n False True False", "2 BLOCK True False False",
           "True [2] ['x', 'n', 'BLOCK']", "True", "[8.0, 8.0]"], ""))


HOOKED = ["before kernel {'x': '*i32:16', 'BLOCK': '256'} 8 True True", "Unsupported",
          "after kernel {'x': '*i32:16', 'BLOCK': '256'} 8 True True", "Unsupported",
          "before kernel {'x': '*i32:16', 'BLOCK': '512'} 4 False True", "Unsupported", "None 7",
          "triton.knobs.compilation.listener", "triton.knobs.runtime.kernel_load_end_hook",
          "enter kernel", "exit kernel", "128"]


def precision(name, path):
    for word, want in (("", ["0.0", "0.0"]), ("ieee", [str(2.0**-13), "0.0"])):
        done = program([PRODUCT], path, TERN_DEVICE="sim", TRITON_F32_DEFAULT=word)
        same(f"{name}: TRITON_F32_DEFAULT={word}", (done.stdout.splitlines(), done.stderr[-600:]),
             (want, ""))
    done = program([PRODUCT], path, TERN_DEVICE="sim", TRITON_F32_DEFAULT="fp19")
    check(f"{name}: a precision that there is not", "unknown input_precision 'fp19'" in done.stderr,
          done.stderr[-600:])


def with_stub():
    precision("stub", tern.triton.stub_path())
    decorated("stub", tern.triton.stub_path())
    runs("stub", tern.triton.stub_path())
    done = program([AROUND], tern.triton.stub_path(), TERN_TUNE="0")
    same("stub: around launches", (done.stdout.splitlines(), done.stderr[-600:]),
         (["autotune 64", "tuner 1", "True True", *HOOKED], ""))
    refused = program([write("private.py", "import triton._C.other, triton._not_of_triton")],
                      tern.triton.stub_path())
    check("stub: others' private modules are absent",
          "No module named 'triton._not_of_triton'" in refused.stderr, refused.stderr[-300:])
    asks("stub", tern.triton.stub_path())
    starts("stub", tern.triton.stub_path())


# Decorators around @triton.jit: the function as it is, Triton's own or another in its place, an object.
TAKEN = write("taken.py", '''
import array

import triton
import triton.language as tl
from shims import both, held, known, mod, shim, swapped

floor = shim.floor


@known
@triton.jit
def halves(x):
    return x / 2


@triton.jit
def kernel(x, WHICH: tl.constexpr):
    if WHICH == 0:
        tl.store(x, halves(7.0))
    elif WHICH == 1:
        tl.store(x, mod(7.0, 2.0))
    elif WHICH == 2:
        tl.store(x, both(7.0))
    elif WHICH == 3:
        tl.store(x, swapped(7.0))
    elif WHICH == 4:
        tl.store(x, tl.sum(tl.reduce(tl.arange(1, 5).to(tl.float32)[None, :], 1, swapped_sum)))
    elif WHICH == 5:
        tl.store(x, floor(2.5) + shim.ceil(3.5))
    else:
        tl.store(x, held(7.0))


@known
@triton.jit
def swapped_sum(a, b):
    return a + b


x = array.array("f", [0])
for which in range(7):
    kernel[(1,)](x, which)
    print(x[0])
''')
write("shims.py", '''
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def tripled(x):
    return x * 3


class Held:
    def __init__(self, fn):
        self.fn, self.arg_names = fn, fn.arg_names


def patched(module):
    return module


shim = patched(libdevice)


def known(function):
    return {"mod": libdevice.fmod, "swapped": tripled}.get(function.__name__, function)


@known
@triton.jit
def halves(x):
    return x / 2


@known
@triton.jit
def mod(x, y):
    return x + y


@known
@triton.jit
def swapped(x):
    return x + 1


@Held
@triton.jit
def held(x):
    return x


@triton.jit
def both(x):
    return mod(x, 4.0) + halves(x) + swapped(x)
''')


def decorated(name, path):
    done = program([TAKEN], path)
    same(f"{name}: what decorators chose", done.stdout.split(), ["3.5", "1.0", "27.5", "21.0", "10.0",
                                                              "6.0"])
    check(f"{name}: an object around a function is refused", "'held' is not supported: it is what the "
          "decorator 'Held' makes of its text" in done.stderr, done.stderr[-400:])


def with_triton():
    if have("triton", 19):
        decorated("Triton", "")
        starts("Triton", "")
        precision("Triton", "")
        runs("Triton", "")
        asks("Triton", "")
        for tune, timed in (("1", "tuner 2"), ("0", "tuner 1")):
            done = program([AROUND], TERN_TUNE=tune)
            same(f"around launches, TERN_TUNE={tune}", (done.stdout.splitlines(), done.stderr[-600:]),
                 (["autotune 64", timed, "True True", *HOOKED], ""))
        workers()
        same("Triton's class of errors", program([PROGRAM, "--caught"]).stdout.splitlines()[-1:],
             ["caught True 25 True"])


def workers():
    """pytest-xdist's, which Triton would compile for if tern were not behind it."""
    if not have("xdist", 1):
        return
    write("test_started.py", "import started\n\n\ndef test_kernel(capfd):\n    started.work('worker')\n"
          "    assert capfd.readouterr().out == 'worker tern._tern True\\n'\n")
    done = program(["-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", folder + "/test_started.py"], folder)
    check("a worker of pytest-xdist", "1 passed" in done.stdout, done.stdout[-900:])


def command():
    done = program(["--help"])
    check("help", done.returncode == 0 and "PROGRAM.py" in done.stdout, done.stdout)
    same("no words", program([]).returncode, 2)
    same("-m alone", program(["-m"]).returncode, 2)
    done = program(["-m", "platform"])
    same("a module", done.returncode, 0)


run([with_stub, with_triton, command])
