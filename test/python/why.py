# SPDX-License-Identifier: Apache-2.0
"""tern.why: what the command is asked is the launch that was given (a kernel that writes only if its
arguments are what they were shows that), the answer is the command's, and what has no form in a command
line is refused. NumPy and torch are used where they are installed."""
import array
import json
import os
import subprocess
import sys

from harness import check, folder, have, refuses, run, same, write

import tern
from tern import command

os.environ["TERN_CACHE_DIR"] = os.path.join(folder, "cache")

SUMS = write("sums.py", '''
import triton
import triton.language as tl
SCALE = 3


@triton.jit
def sums(x, out, n, add, mode: tl.constexpr, flag: tl.constexpr, kind: tl.constexpr, B: tl.constexpr):
    tl.static_assert(mode == "sum" and flag and kind == tl.float32)
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + at, SCALE * tl.load(x + at, at < n).to(kind) + add, at < n)


@triton.jit
def guards(x, n, last, WANT: tl.constexpr):
    tl.static_assert(WANT == SCALE)
    total = tl.sum(tl.load(x + tl.arange(0, 64), tl.arange(0, 64) < n, other=0.0).to(tl.float32))
    # What changes nothing is not timed: the command refuses it.
    tl.store(x, (tl.load(x).to(tl.float32) + 1).to(x.dtype.element_ty), total == last)


@triton.jit
def adds(pair, out, n, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(out + at, tl.load(pair[0] + at, at < n) + pair[1], at < n)
''')


def floats(*values):
    return array.array("f", values)


def the_answer():
    x, out = floats(*range(1000)), floats(*[0] * 1000)
    kernel = tern.jit(SUMS + ":sums", device="cpu")
    found = tern.why(kernel, lambda meta: (meta["n"] // meta["B"] + 1,), x, out, 1000, 0.5, "sum", True,
                     B=256, kind=tern_dtype(), num_warps=2)
    same("the grid", found["grid"], [4, 1, 1])
    same("what must move, as the compiler counts it", found["resources"]["memory"]["work"], 8000)
    check("a time, and a share of it", found["time_s"] > 0 and
          0 < found["resources"]["memory"]["share"] < 2, found.data)
    check("readable", f"bound by {found.bound}" in repr(found) and "8000 [c]" in repr(found), repr(found))
    html = found._repr_html_()
    check("a table for notebooks", "<table>" in html and "8000 [c]" in html and html.count("<tr>") >= 3, html)
    check("the tensors are left alone", list(x) == list(map(float, range(1000))) and not any(out))
    model = tern.why(kernel, 4, x, out, 1000, 0.5, "sum", True, tern_dtype(), 256, device="sim:h100")
    same("of a GPU that is not here there is no time", (model["time_s"], model["device"][:3]),
         (None, "sim"))
    same("but what it takes at least", model["resources"]["memory"]["ceiling_from"], "p")


class Dtype:
    """As torch and Triton write theirs: what it is says its text."""
    itemsize = 4

    def __str__(self):
        return "float32"


def tern_dtype():
    return Dtype()


def stops(kernel, *args):
    """Whether its time could not be taken."""
    try:
        tern.why(kernel, 1, *args)
    except tern.Error as error:
        return str(error) or "without a word"
    return None


def the_arguments():
    kernel = tern.jit(SUMS + ":guards", device="cpu")
    x = floats(*range(10))
    same("the elements are those given", stops(kernel, x, 10, 45.0, 3), None)
    check("others are noticed", "changed none" in (stops(kernel, x, 10, 44.0, 3) or ""))
    check("a constant is the one given", "static assertion" in (stops(kernel, x, 10, 45.0, 4) or ""))
    pair = tern.why(SUMS + ":adds", 1, (x, 2.0), floats(*[0] * 10), 10, B=16, device="cpu")
    check("tuples", pair["resources"]["memory"]["work"] > 0, pair.data)


def globals_of_the_process():
    stub = tern.install_stub()
    sys.path.insert(0, folder)
    import sums
    if not stub:
        sums.SCALE = __import__("triton").language.constexpr(5)
    else:
        sums.SCALE = 5
    x = floats(*range(10))
    same("a global has the value that it has here", stops(tern.jit(sums.guards, device="cpu"), x, 10, 45.0, 5),
         None)


def arrays():
    numpy = have("numpy", 4)
    if not numpy:
        return
    kernel = tern.jit(SUMS + ":guards", device="cpu")
    for kind in ("float16", "int8", "uint16", "float64"):
        same(f"NumPy's {kind}", stops(kernel, numpy.arange(10).astype(kind), numpy.int64(10), 45.0, 3), None)


def tensors():
    torch = have("torch", 6)
    if not torch:
        return
    kernel = tern.jit(SUMS + ":guards", device="cpu")
    for kind in (torch.bfloat16, torch.float8_e5m2, torch.int64):
        same(f"torch's {kind}", stops(kernel, torch.arange(8).float().to(kind), 8, 28.0, 3), None)
    x = torch.arange(64.)
    same("a view is what it begins at", stops(kernel, x[16:], 2, 33.0, 3), None)
    same("with its gaps", stops(kernel, x[::8], 10, 45.0, 3), None)
    out = tern.why(SUMS + ":adds", 1, (x, 2.0), x, 10, B=16, device="cpu")
    check("twice the same tensor", out["resources"]["memory"]["work"] <= 2 * 40, out.data)
    refuses(tern.Unsupported, "overlaps another's", tern.why, SUMS + ":adds", 1, (x, 2.0), x[16:], 10, B=16)
    refuses(tern.Unsupported, "not aligned", tern.why, kernel, 1, x[1:], 8, 1.0, 3)


def refusals():
    kernel = tern.jit(SUMS + ":guards", device="cpu")
    x = floats(*range(10))
    refuses(TypeError, "'last', 'WANT'", tern.why, kernel, 1, x, 10)
    refuses(TypeError, "takes 4 arguments but 5", tern.why, kernel, 1, x, 10, 1.0, 3, 3)
    refuses(TypeError, "multiple values for argument 'x'", tern.why, kernel, 1, x, 10, 1.0, 3, x=x)
    refuses(TypeError, "unexpected keyword argument 'fast'", tern.why, kernel, 1, x, 10, 1.0, 3, fast=1)
    refuses(tern.Unsupported, "'x': a object", tern.why, kernel, 1, object(), 10, 1.0, 3)
    refuses(tern.Unsupported, "'n': 'a\\nb' has no form", tern.why, kernel, 1, x, "a\nb", 1.0, 3)
    refuses(tern.Unsupported, "with gaps", tern.why, kernel, 1, memoryview(x)[::2], 10, 1.0, 3)
    refuses(tern.Unsupported, "nothing bounds it", tern.why, kernel, 1, x, 10, 45.0, 3, device="interp")


def the_command():
    same("of the same version", subprocess.run([command.path(), "--version"], capture_output=True,
                                               text=True).stdout.split()[:2], ["tern", tern.__version__])
    said = json.loads(command.ask(["devices", "--json"]))
    check("it answers", any(one.get("device", one.get("name")) == "cpu" for one in said["devices"]
                            if isinstance(one, dict)) if isinstance(said, dict) else bool(said), said)


run([the_answer, the_arguments, globals_of_the_process, arrays, tensors, refusals, the_command])
