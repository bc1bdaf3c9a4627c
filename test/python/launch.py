# SPDX-License-Identifier: Apache-2.0
"""tern.jit: launches on what has the buffer protocol, DLPack or a GPU's interface, the signatures
that arguments amount to, and what is refused. NumPy and torch are used where they are installed;
the rest needs Python alone."""
import array
import collections
import ctypes
import importlib.util
import math
import os
import random
import sys

from harness import check, have, refuses, run, same, write

import tern

SAXPY = write("saxpy.py", '''
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["kept"], do_not_specialize_on_alignment=["loose"])
def saxpy(x, y, n, a=2.0, kept=0, loose=0, BLOCK: tl.constexpr = 64):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, a * tl.load(x + at, at < n) + tl.load(y + at, at < n) + kept + loose, at < n)


@triton.jit
def typed(x, n: tl.int64, f: "fp64", i: int, C: tl.constexpr):
    tl.store(x, n + f + i)


@triton.jit
def broken(x, C: tl.constexpr):
    y = tl.arange(0, 4) + tl.arange(0, 8)
    tl.store(x, y)


@triton.jit
def warps(x, num_warps: tl.constexpr, num_stages: tl.constexpr = 2):
    tl.store(x, num_warps + 10 * num_stages)


@triton.jit
def any_kind(v):
    pass


@triton.jit
def pair(p, out, T: tl.constexpr):
    tl.store(out, tl.load(p[0]) + p[1] + T[1])
''')


# Of tuned kernels in a file that nobody imports.
HOOKED = '''
import triton
import triton.language as tl

def hook(arguments):
    arguments["x"].zero_()

@triton.autotune(configs=[triton.Config({"BLOCK": 8}, num_warps=2, pre_hook=None)], key=[])
@triton.jit
def plain(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1)

@triton.autotune(configs=[triton.Config({"BLOCK": 8}), triton.Config({"BLOCK": 16}, pre_hook=hook)],
                 key=[])
@triton.jit
def hooked(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1)
'''


def floats(count, value=None):
    made = array.array("f", bytes(4 * count))
    for i in range(count):
        made[i] = i if value is None else value
    return made


def saxpy(device="cpu"):
    return tern.jit(f"{SAXPY}:saxpy", device=device)


def results():
    for device in ("cpu", "interp"):
        kernel, x = saxpy(device), floats(1000)
        for grid in (16, (16,), [16, 1], (16, 1, 1), (16, 1, 1, 1), lambda meta: (-(-meta["n"] // meta["BLOCK"]),)):
            y = floats(1000, 1)
            kernel[grid](x, y, 1000)
            check(f"saxpy on {device}, grid {grid}", all(y[i] == 2 * i + 1 for i in range(1000)))
        y = floats(1000, 1)
        kernel[8](y=y, x=x, n=1000, kept=5, BLOCK=128, a=3.0)
        check(f"keywords on {device}", all(y[i] == 3 * i + 6 for i in range(1000)))
        y = floats(1000, 1)
        kernel[0](x, y, 1000)
        check("an empty grid launches nothing", set(y) == {1.0})
        one, two = (1,), (2,)
        with_one, with_two, y = kernel[one], kernel[two], floats(1000, 1)
        check("a grid of numbers is kept", kernel[two] is with_two and kernel[one] is not with_two)
        with_one(x, y, 1000)
        same("the grid of then", (y[63], y[64]), (127.0, 1.0))
    softmax = tern.jit("kernels/softmax.py", device="cpu")
    x, y = floats(100), floats(100)
    softmax[(4,)](x, y, 25, 25, 25, BLOCK=32)
    total = sum(math.exp(i - 24) for i in range(25))
    check("softmax", all(abs(y[25 * r + i] - math.exp(i - 24) / total) < 1e-6
                         for r in range(4) for i in range(25)))


def signatures():
    kernel, x, y = saxpy(), floats(64), floats(65)
    odd = memoryview(y)[1:]  # its address is 4 above one that 16 divides, or not
    at = (ctypes.addressof(ctypes.c_float.from_buffer(y)) + 4) % 16 == 0
    of_y = "*fp32:16" if not at else "*fp32"

    any_kind = tern.jit(f"{SAXPY}:any_kind", device="cpu")

    def signature(*args, **keywords):
        return kernel.launch(None, x, y, *args, **keywords).signature.split(",", 2)[2]

    same("defaults count", signature(1), "i32:1,fp32,i32,i32,64")
    same("a view", kernel.launch(None, x, odd, 3).signature.split(",")[1],
         "*fp32" if of_y == "*fp32:16" else "*fp32:16")
    for n, want in ((3, "i32"), (16, "i32:16"), (0, "i32:16"), (1, "i32:1"), (-1, "i32"),
                    (-16, "i32:16"), (2**31 - 1, "i32"), (2**31, "i64:16"), (-2**31 - 1, "i64"),
                    (2**63, "u64:16"), (2**64 - 1, "u64"), (True, "i1"), (2.5, "fp32"),
                    (None, "None")):
        same(f"n = {n}", any_kind.launch(None, n).signature, want)
    same("do_not_specialize", signature(3, kept=16).split(",")[2], "i32")
    same("do_not_specialize keeps 1", signature(3, kept=1).split(",")[2], "i32")
    same("on alignment", signature(3, loose=16).split(",")[3], "i32")
    same("on alignment, 1", signature(3, loose=1).split(",")[3], "i32:1")
    for value, want in ((True, "True"), (1, "1"), (1.0, "1.0"), (-0.0, "-0.0"), (0.0, "0.0"),
                        (float("inf"), "float('inf')"), (None, "None"), ("a,b'\"", repr("a,b'\"")),
                        (2**70, str(2**70)), ((1, (2.0,)), "(1, (2.0,))"), (1e-300, "1e-300"),
                        (0, "0"), (-1, "-1"), (1234567890, "1234567890"), (-2**63, str(-2**63)),
                        (2**63 - 1, str(2**63 - 1))):
        typed = tern.jit(f"{SAXPY}:typed", device="cpu")
        got = typed.launch(None, array.array("d", [0]), 3, 1, 2, value).signature.split(",", 4)[4]
        same(f"C = {value!r}", got, want)
    got = typed.launch(None, array.array("d", [0]), 1, 1, 16, 0).signature.split(",")[1:4]
    same("annotated types", got, ["i64", "fp64", "i32:16"])
    first = kernel[(1,)](x, y, 3)
    check("the same kernel again", kernel[(1,)](x, y, 5) is first)
    check("another for another class", kernel[(1,)](x, y, 16) is not first)
    check("another for other warps", kernel[(1,)](x, y, 5, num_warps=8) is not first)
    check("another for other numbers", kernel[(1,)](x, y, 5, enable_fp_fusion=False) is not
          kernel[(1,)](x, y, 5, enable_fp_fusion=True))
    same("its warps", kernel[(1,)](x, y, 5, num_warps=8).num_warps, 8)
    made = [kernel[(1,)](x, y, 3, BLOCK=2**k) for k in range(8)]
    check("each constant its own", len(set(map(id, made))) == 8)
    check("and all are kept", all(kernel[(1,)](x, y, 3, BLOCK=2**k) is made[k] for k in range(8)))


def compiled():
    """What is asked of Triton's CompiledKernel."""
    kernel, x, y = saxpy(), floats(64), floats(64, 0)
    made = kernel.warmup(x, y, 48, BLOCK=16, num_warps=2)
    made._init_handles()
    for name, args in (("without constants", (x, y, 48, 2.0, 0, 0)),
                       ("with all", (x, y, 48, 2.0, 0, 0, 16))):
        y[:] = floats(64, 0)
        made[(3, 1, 1)](*args)
        same(f"kernel[grid], {name}", list(y), [2.0 * i for i in range(48)] + [0.0] * 16)
    y[:] = floats(64, 0)
    hooks = []
    made.run(3, 1, 1, 0, made.function, made.packed_metadata, "data", hooks.append, hooks.append,
             x, y, 48, 2.0, 0, 0, 16)
    same("run", (y[47], y[48], hooks), (94.0, 0.0, ["data", "data"]))
    counted = tern.jit(f"{SAXPY}:warps", device="cpu")
    made_for = counted[(1,)](y, num_warps=8)
    same("a parameter called num_warps", (y[0], made_for.num_warps), (28.0, 8))
    y[0] = 0
    same("and launched again", (made_for[(1,)](y, 8, 2).num_warps, y[0]), (8, 28.0))
    y[:] = floats(64, 0)
    made[(4,)](x, y, 63, 2.0, 0, 0)  # compiled for a number that 16 divides, and this is none
    same("of another class", (y[62], y[63]), (124.0, 0.0))
    refuses(TypeError, "its 7 arguments, or the 6 that are no constants, not 2", made[(1,)], x, y)
    refuses(ValueError, "constant 'BLOCK' is 32, but it was compiled for 16", made[(1,)], x, y, 48,
            2.0, 0, 0, 32)
    same("metadata", (made.metadata.num_warps, made.metadata.name), (2, "saxpy"))
    same("packed", made.packed_metadata, (2, 1, made.metadata.shared))
    check("numbers to divide by", made.n_regs > 0 and made.metadata.shared > 0 == made.n_spills)
    same("texts", (list(made.asm), made.asm["c"] == made.text("c")), (["ir", "c"], True))
    refuses(tern.Unsupported, "kernel.asm['ttir']", made.asm.get, "ttir")
    refuses(KeyError, "nonsense", lambda: made.asm["nonsense"])
    refuses(tern.Unsupported, "no binary", lambda: made.kernel)
    refuses(AttributeError, "nonsense", lambda: made.nonsense)
    check("its source", made.src.fn is kernel.kernel and made.src.constants == {(6,): 16}, made.src)
    others = [kernel.warmup(x, y, 48, BLOCK=16, **more) for more in
              ({}, {"num_warps": 2, "enable_fp_fusion": False}, {"num_warps": 2, "debug": True})]
    same("each its hash", len({one.hash for one in (made, *others)}), 4)
    same("one hash for the same", saxpy().warmup(x, y, 48, BLOCK=16, num_warps=2).hash, made.hash)
    raw = kernel.context.load_file(SAXPY).compile("saxpy", made.signature)
    refuses(TypeError, "no launch made", lambda: raw[(1,)])


def tuples():
    pair = tern.jit(f"{SAXPY}:pair", device="cpu")
    x, out = array.array("f", [5]), array.array("f", [0])
    Named = collections.namedtuple("Named", "data n")
    kernel = pair[(1,)]((x, 7), out, (1, 30))
    same("a tuple", out[0], 42.0)
    check("its signature", "fp32:16, i32)" in kernel.signature or "fp32, i32)" in kernel.signature,
          kernel.signature)
    kernel = pair[(1,)](Named(x, 8), out, (1, 30))
    same("a named tuple", out[0], 43.0)
    check("its names", "(data=*fp32" in kernel.signature, kernel.signature)


def refused():
    kernel, x, y = saxpy(), floats(64), floats(64)
    refuses(TypeError, "missing argument 'n'", kernel[(1,)], x, y)
    refuses(TypeError, "unexpected keyword argument 'm'", kernel[(1,)], x, y, 3, m=1)
    refuses(TypeError, "multiple values for argument 'x'", kernel[(1,)], x, y, 3, x=x)
    refuses(TypeError, "takes 7 arguments but 8", kernel[(1,)], x, y, 3, 2.0, 0, 0, 64, 1)
    refuses(TypeError, "fourth dimension", kernel[(1, 1, 1, 2)], x, y, 3)
    refuses(TypeError, "", kernel[1.5], x, y, 3)
    refuses(TypeError, "", kernel[(1.5,)], x, y, 3)
    refuses(ValueError, "-1 programs", kernel[(-1,)], x, y, 3)
    refuses(tern.LaunchError, "dimension 1", kernel[(1, 70000)], x, y, 3)
    refuses(ValueError, "-1 programs", kernel[lambda meta: (-1,)], x, y, 3)
    refuses(ZeroDivisionError, "", kernel[lambda meta: 1 // 0], x, y, 3)
    refuses(TypeError, "parameter 'x': the array is read-only", kernel[(1,)], bytes(64), y, 3)
    refuses(TypeError, "parameter 'n': a object", kernel[(1,)], x, y, object())
    refuses(OverflowError, "", kernel[(1,)], x, y, 2**64)
    refuses(TypeError, "does not fit 64 bits", kernel[(1,)], x, y, -2**63 - 1)
    refuses(TypeError, "stream: there are none on cpu", kernel[(1,)], x, y, 3, stream=0)
    refuses(ValueError, "num_warps is -1", kernel[(1,)], x, y, 3, num_warps=-1)
    refuses(tern.Unsupported, "num_ctas=2", kernel[(1,)], x, y, 3, num_ctas=2)
    kernel[(1,)](x, y, 3, num_ctas=1, maxnreg=64)
    refuses(tern.CompileError, "power of 2", kernel[(1,)], x, y, 3, BLOCK=65)
    refuses(ValueError, "signature has over", kernel[(1,)], x, y, 3, BLOCK=tuple(range(5000)))
    refuses(TypeError, "expected 'file.py:name' or a function", tern.jit, 3)
    refuses(tern.LaunchError, "no kernel 'axpy', only: saxpy", tern.jit, f"{SAXPY}:axpy", device="cpu")
    refuses(tern.LaunchError, "name one of its kernels", tern.jit, SAXPY, device="cpu")
    refuses(OSError, "", tern.jit, "/nowhere/k.py:k", device="cpu")
    refuses(tern.DeviceError, "no device 'abacus'", tern.jit, f"{SAXPY}:saxpy", device="abacus")
    hooked = write("hooked.py", HOOKED)
    same("configs", tern.jit(f"{hooked}:plain", device="cpu").configs, [{"BLOCK": 8, "num_warps": 2}])
    refuses(tern.Unsupported, "config 1 has a pre_hook",
            lambda: tern.jit(f"{hooked}:hooked", device="cpu").configs)
    error = refuses(tern.CompileError, "shapes do not broadcast", tern.jit(
        f"{SAXPY}:broken", device="cpu")[(1,)], x, 1)
    same("its place", (error.file, error.line, error.column), (SAXPY, 19, 9))
    check("classes", issubclass(tern.CompileError, tern.Error) and issubclass(
        tern.LaunchError, ValueError) and issubclass(tern.OutOfMemory, MemoryError))
    error = refuses(tern.LaunchError, "undecorated", lambda: tern.jit(undecorated, device="cpu"))
    check("it says where", "launch.py" in str(error), error)
    refuses(tern.KernelError, "outside the buffer of 'x'", saxpy("interp")[(2,)], floats(64), y, 65)
    empty = tern.Function.__new__(tern.Function, "")
    refuses(TypeError, "was not made", empty.launch, None)


def undecorated(x):
    pass


def globals_count():
    module = write("scaled.py", '''
import triton
import triton.language as tl

SCALE = 2


@triton.jit
def inner(x):
    return x * SCALE


@triton.jit
def other(x):
    return x * 10


scaled_by_ten = other
del other


@triton.jit
def scaled(x):
    tl.store(x, inner(tl.load(x)))


def closed(FACTOR):
    @triton.jit
    def kernel(x):
        tl.store(x, tl.load(x) * FACTOR)
    return kernel
''')
    tern.install_stub()
    sys.path.insert(0, os.path.dirname(module))
    made, x = __import__("scaled"), array.array("f", [3])
    kernel = tern.jit(made.scaled, device="cpu")
    kernel[(1,)](x)
    same("as the file has it", x[0], 6.0)
    made.SCALE = 5
    kernel[(1,)](x)
    same("a global that changed, in a callee", x[0], 30.0)
    made.SCALE = 2
    kernel[(1,)](x)
    same("and back", x[0], 60.0)
    replaced = type("Replaced", (), {"fn": made.scaled, "arg_names": ["x"], "src":
                                     "def scaled(x):\n    tl.store(x, inner(inner(tl.load(x))))\n"})()
    x[0] = 1
    tern.jit(replaced, device="cpu")[(1,)](x)
    same("a text that was put in its place", x[0], 4.0)
    replaced.src = "def scaled(x):\n    tl.store(x, other(tl.load(x)))\n"
    made.other = made.scaled_by_ten
    tern.jit(replaced, device="cpu")[(1,)](x)
    same("with other names", x[0], 40.0)
    two, three = tern.jit(made.closed(2), device="cpu"), tern.jit(made.closed(3), device="cpu")
    x[0] = 1
    for step, want in ((two, 2.0), (three, 6.0), (two, 12.0), (three, 36.0)):
        step[(1,)](x)
        same("closures of one text", x[0], want)


def functions():
    """Names that the loader of a file, or an `if` in another file, binds to @triton.jit functions."""
    write("chosen.py", """
import triton


@triton.jit
def step_one(x):
    return x + 1

@triton.jit
def step_two(x):
    return x + 2

HAS_TWO = len(str(step_two)) > 0
step = step_two if HAS_TWO else step_one

@triton.jit
def added(x):
    return step(x) * 10
""")
    path = write("made_at_run_time.py", """
import triton
import triton.language as tl
from chosen import step as chosen

@triton.jit
def kernel(x):
    tl.store(x, chosen(scalar(tl.load(x))))
""")
    import chosen
    spec = importlib.util.spec_from_file_location("made", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    x = array.array("f", [1])
    for scalar, want in ((chosen.step_one, 4.0), (chosen.step_two, 8.0)):
        made.scalar = scalar
        tern.jit(made.kernel, device="cpu")[(1,)](x)
        same("a name that the loader gave the file", x[0], want)


def questions():
    x, y = floats(100), floats(100, 0)
    before = bytes(y)
    found = tern.check(saxpy(), (2,), x, y, 101, BLOCK=64)
    same("what is wrong", [one["kind"] for one in found.errors], ["out-of-bounds"])
    same("where", (found.errors[0]["file"], found.errors[0]["line"]), (SAXPY, 9))
    check("it is false, and readable", not found and "out-of-bounds" in repr(found)
          and "out-of-bounds" in found._repr_html_())
    check("nothing is wrong", tern.check(saxpy(), (2,), x, y, 100, BLOCK=64))
    same("arguments are as they were", bytes(y), before)
    timing = tern.bench(saxpy(), (2,), x, y, 100, hot=True, min_time_ms=1, max_samples=20)
    check("a time", 0 < timing["min_ms"] <= timing["median_ms"] <= timing["max_ms"], timing)
    same("bytes", timing["bytes"], 1200)
    check("samples", len(timing["samples_ms"]) <= 20 and "ms" in repr(timing))
    import xml.etree.ElementTree
    svg = xml.etree.ElementTree.fromstring(timing._repr_svg_())
    heights = [float(one.get("cy")) for one in svg.iter("{http://www.w3.org/2000/svg}circle")]
    same("a dot a sample", len(heights), len(timing["samples_ms"]))
    by_time = sorted(range(len(heights)), key=lambda i: timing["samples_ms"][i])
    check("longer ones higher", all(heights[a] >= heights[b] >= 15 for a, b in
                                    zip(by_time, by_time[1:])), heights)
    kernel = saxpy().warmup(x, y, 3)
    check("texts", "tern" in kernel.text("c") and "func" in kernel.text("ir"))
    refuses(tern.Unsupported, "no text 'ptx'", kernel.text, "ptx")
    refuses(ValueError, "no text 'ttir'", kernel.text, "ttir")
    same("devices", {one["name"] for one in tern.devices()} >= {"cpu", "interp"}, True)


def printing():
    path = write("prints.py", "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
                 "def k(n):\n    tl.device_print('saw', n)\n")
    import contextlib
    import io
    with contextlib.redirect_stdout(io.StringIO()) as out:
        tern.jit(path, device="cpu")[(1,)](41)
    check("device_print goes to sys.stdout", "saw" in out.getvalue() and "41" in out.getvalue(),
          out.getvalue())


def lifetimes():
    import gc
    import weakref
    kernel = tern.Function(f"{SAXPY}:saxpy", context=tern.context("cpu", num_threads=1))
    x, y = floats(1000), floats(1000)
    call = kernel.prepare(16, x, y, 1000)
    gone = weakref.ref(kernel)
    del kernel
    gc.collect()
    call.launch()
    same("a call keeps what it needs", y[999], 3 * 999.0)
    refuses(BufferError, "", x.append, 1.0)
    del call
    gc.collect()
    check("a Function and its kernels go", gone() is None)
    x.append(1.0)
    before = len(gc.get_objects())
    kernel = saxpy()
    for _ in range(300):
        kernel[(16,)](floats(1000), floats(1000), 1000)
        refuses_quietly(kernel)
    gc.collect()
    check("launches leave nothing behind", len(gc.get_objects()) - before < 250)
    pid = os.fork()
    if not pid:
        kernel[(16,)](x, y, 1000)
        os._exit(0 if y[999] == 5 * 999.0 else 1)
    same("a child of fork launches, too", os.waitpid(pid, 0)[1], 0)


def refuses_quietly(kernel):
    try:
        kernel[(1,)](floats(4), object(), 3)
    except TypeError:
        pass


class Capsule:
    """A DLPack producer that is nothing else."""

    def __init__(self, owner):
        self.owner = owner

    def __dlpack__(self, **keywords):
        return self.owner.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.owner.__dlpack_device__()


def with_numpy():
    np = have("numpy", 20)
    if not np:
        return
    rng, kernel = np.random.default_rng(1), saxpy()
    for dtype in ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
                  "uint16", "uint32", "uint64"):
        x = rng.integers(0, 20, 1000).astype(dtype)
        y = rng.integers(0, 20, 1000).astype(dtype)
        want = 2 * x.astype("float64") + y
        kernel[(16,)](x, y, np.int32(1000))
        same(f"NumPy's {dtype}", (y == want).all(), True)
    x = rng.standard_normal(1000).astype("float32")
    y = np.zeros((2, 1000), "float32")
    kernel[(16,)](Capsule(x), Capsule(y[1]), 1000)
    check("DLPack", (y[1] == 2 * x).all() and not y[0].any())
    x.flags.writeable = False
    refuses(TypeError, "read-only", kernel[(16,)], x, y, 1000)
    refuses(TypeError, "no type '>f'", kernel[(16,)], x.astype(">f4"), y, 1000)
    refuses(TypeError, "no type", kernel[(16,)], x.astype("complex64"), y, 1000)
    base = np.arange(64, dtype="float32")
    interp, y = saxpy("interp"), np.zeros(32, "float32")
    interp[(1,)](base[::-1][32:], y, 1)  # 64 lanes are masked but one
    same("a view backwards", y[0], 62.0)
    same("a number of NumPy's", kernel.launch(None, y, y, 3, np.float32(1.5)).signature.split(",")[3],
         "fp32")
    bf16 = have("ml_dtypes", 1)
    if bf16:
        y = np.zeros(4, bf16.bfloat16)
        kernel[(1,)](np.ones(4, bf16.bfloat16), y, 4)
        check("bfloat16", (y == 2).all())


def with_torch():
    torch = have("torch", 64)
    if not torch:
        return
    torch.manual_seed(1)
    kernel = saxpy()
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int32):
        x = torch.randint(0, 20, (1000,)).to(dtype)
        y = torch.randint(0, 20, (1000,)).to(dtype)
        want = 2 * x + y
        kernel[(16,)](x, y, 1000)
        check(f"torch's {dtype}", torch.equal(y, want))
    refuses(TypeError, "parameter 'x': a tensor on meta", kernel[(1,)], torch.empty(4, device="meta"),
            x, 3)
    any_kind = tern.jit(f"{SAXPY}:any_kind", device="cpu")
    for word, name in (("bool", "i1"), ("int8", "i8"), ("int16", "i16"), ("int32", "i32"),
                       ("int64", "i64"), ("uint8", "u8"), ("uint16", "u16"), ("uint32", "u32"),
                       ("uint64", "u64"), ("float16", "fp16"), ("bfloat16", "bf16"),
                       ("float32", "fp32"), ("float64", "fp64"), ("float8_e5m2", "fp8e5"),
                       ("float8_e4m3fn", "fp8e4nv")):
        tensor = torch.zeros(16, dtype=getattr(torch, word))
        same(f"{word}", any_kind.launch(None, tensor).signature, f"*{name}:16")
        if word.startswith(("float", "bfloat")) and "8" not in word:
            parameter = torch.nn.Parameter(tensor)
            same(f"a Parameter of {word}", any_kind.launch(None, parameter).signature,
                 f"*{name}:16")
    refuses(TypeError, "tern has no type torch.complex64", any_kind[(1,)], torch.zeros(2) * 1j)
    instead, y = torch.zeros(64), torch.zeros(64)
    other = type("Other", (torch.Tensor,), {"data_ptr": lambda self: instead.data_ptr()})
    kernel[(1,)](torch.ones(64), y.as_subclass(other), 64)
    same("a subclass' own data_ptr", (instead.sum().item(), y.sum().item()), (128.0, 0.0))
    others = [type(f"Other{i}", (torch.Tensor,), {"data_ptr": lambda self: instead.data_ptr()}) for i in range(6)]
    for kind in others * 2:  # more types than are known at a time
        y = torch.zeros(64)
        instead.zero_()
        kernel[(1,)](torch.nn.Parameter(torch.ones(64)), y.as_subclass(kind), 64)
        kernel[(1,)](torch.ones(64), y, 64)
        same("types in turn", (instead.sum().item(), y.sum().item()), (128.0, 128.0))
    gradient, y = torch.ones(64, requires_grad=True), torch.zeros(64)
    kernel[(1,)](gradient, y, 64)
    same("a tensor that wants a gradient", y.sum().item(), 128.0)
    base, y = torch.arange(64.), torch.zeros(64)
    view = base[1:9]
    saxpy("interp")[(1,)](view, y, 64 - 1)
    same("a view reaches into its storage", y[62].item(), 126.0)
    refuses(tern.KernelError, "outside", saxpy("interp")[(1,)], view, y, 64)
    for device in ("interp", "sim", "cpu"):  # an empty one has no address, whatever it is a view of
        y = torch.zeros(64)
        saxpy(device)[(1,)](base[:0], y, 0)
        same(f"an empty view on {device}", y.sum().item(), 0.0)
    refuses(tern.KernelError, "", saxpy("interp")[(1,)], base[:0], y, 64)
    wrapper = type("TensorWrapper", (), {"dtype": "fp32", "data_ptr": lambda self: y.data_ptr(),
                                         "base": y, "device": y.device})()
    refuses(tern.KernelError, "outside", saxpy("interp")[(2,)], torch.zeros(128), wrapper, 65)
    random.seed(1)
    for _ in range(20):  # whatever the offset, the promise holds
        at = random.randrange(16)
        x, y = torch.rand(64)[at:], torch.zeros(64)
        signature = kernel[(1,)](x, y, x.numel()).signature
        same("alignment", signature.startswith("*fp32:16,"), x.data_ptr() % 16 == 0)
    triton_impl = have("triton", 14)
    if not triton_impl:
        return
    from triton._C.libtriton import native_specialize_impl
    from triton.backends.compiler import BaseBackend
    for value in (0, 1, 2, 16, -16, 2**31, 2**31 - 1, -2**31 - 1, 2**63, True, 1.5, None,
                  torch.zeros(4), torch.zeros(9)[1:]):
        kind, key = native_specialize_impl(BaseBackend, value, False, True, True)
        want = kind.replace("u1", "i1") + (":16" if key == "D" else "")
        if kind == "constexpr":
            want = "None" if value is None else "i32:1"
        same(f"as Triton has {value!r}", any_kind.launch(None, value).signature, want)


run([results, signatures, compiled, tuples, refused, globals_count, functions, questions, printing, lifetimes,
     with_numpy, with_torch])
