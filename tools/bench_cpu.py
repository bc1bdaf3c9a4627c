#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the cpu device beside PyTorch's CPU code: products of matrices (oneDNN, MKL; of f32
OpenBLAS, too, where it is installed), attention, and softmax, norms and activations (also by
torch.compile).

    tools/bench_cpu.py [--library build/libtern.so] [--device cpu:avx512] [--threads 1,2]
                       [--samples N] [--seconds S] [--only WORD,..] [--no-inductor]
                       [--tile 256x512x128,..] [--before LIBRARY] [--wait FILE]

Each number of threads is bound to as many cores, of which none shares its units with another while
there are enough. Each side (tern, eager, torch.compile, OpenBLAS) is a process of its own, because
the threads of one keep looking for work on the cores that the next one needs; they take turns burst
by burst, each after a call that is not timed. Each of tern's kernels gets the best of a few tiles,
found before, or of --tile's: two builds are compared with the same. Results are compared with
float64; a wrong one is said and not timed. A row has the medians, their ratio to the best peer's,
the ratios of the least samples and of the first quartiles, and how far the middle half of each
one's samples lies apart, in percent of its median. --before times another build of tern in the same
turns; with --wait all rows are made (Inductor compiles), the libraries may still be built, and the
timing begins when FILE is there.
"""
import argparse
import ctypes
import functools
import glob
import importlib.util
import json
import math
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import tern_ctypes  # noqa: E402

torch = None  # of a side's process

KERNELS = os.path.join(ROOT, "bench", "cpu_kernels.py")
MATMUL, SOFTMAX, LAYER_NORM = (os.path.join(ROOT, "kernels", name + ".py")
                               for name in ("matmul", "softmax", "layer_norm"))
DTYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16", "i8": "int8", "i32": "int32"}
TILES = [(64, 64, 32), (128, 128, 64), (128, 256, 128), (256, 256, 128), (256, 512, 128),
         (512, 512, 128)]
SIZE, ROWS, HEADS, LENGTH, DEPTH = 1024, 4096, 8, 2048, 64
COMPILED = ["softmax", "layer_norm", "rms_norm", "swiglu"]
PEERS = {"eager": lambda row: True, "inductor": lambda row: row.split()[0] in COMPILED,
         "openblas": lambda row: row == "product fp32"}  # of which rows


class Work:
    """tern: settings to try -> callables; peers: name -> callable; wrong() looks at tern's result."""

    def __init__(self, name, calls, peers, wrong):
        self.name, self.calls, self.peers, self.wrong = name, calls, peers, wrong


def name_of(dtype):
    return next(name for name, of_torch in DTYPES.items() if getattr(torch, of_torch) == dtype)


def kernel(tern, path, function, grid, values, constants):
    if not tern:
        return None
    parts = []
    for value in values:
        if hasattr(value, "data_ptr"):
            parts.append("*" + name_of(value.dtype) + ":16")
        else:
            parts.append("fp32" if isinstance(value, float) else
                         "i32:1" if value == 1 else "i32:16" if value % 16 == 0 else "i32")
    compiled = tern.compile(path, function, ",".join(parts + list(map(str, constants))))
    passed = [v for i, v in enumerate(values) if not tern.is_constant(compiled, i)]
    launch = tern.launcher(compiled, grid, passed)
    synchronize = tern.lib.tern_synchronize

    def call(kept=values):  # tensors live as long as what is launched with them
        launch()
        if synchronize(tern.context):
            tern.fail()

    return call


def is_far(result, want, allowed):
    return not (result.double() - want).abs().max().item() <= allowed


def openblas_found():
    """Its cblas_sgemm, what sets its threads, and the type of its sizes: the system's, or NumPy's
    own, whose names and sizes are others."""
    try:
        library = ctypes.CDLL("libopenblas.so.0")
        return library.cblas_sgemm, library.openblas_set_num_threads, ctypes.c_int
    except OSError:
        spec = importlib.util.find_spec("numpy")
        paths = glob.glob(os.path.join(spec.submodule_search_locations[0] + ".libs",
                                       "libscipy_openblas64_*.so")) if spec else []
        if not paths:
            raise
        library = ctypes.CDLL(paths[0])
        return (library.scipy_cblas_sgemm64_, library.scipy_openblas_set_num_threads64_,
                ctypes.c_int64)


def openblas(a, b, c):
    """Calls cblas_sgemm. bench/cpu_bench.c says why its core is named."""
    row_major, as_is, one, zero = 101, 111, ctypes.c_float(1), ctypes.c_float(0)
    x, y, z = (ctypes.c_void_p(t.data_ptr()) for t in (a, b, c))
    library = []

    def call(kept=(a, b, c)):
        if not library:
            os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
            if "AVX512" in torch.backends.cpu.get_cpu_capability():
                os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
            library.extend(openblas_found())
            library[1](torch.get_num_threads())
        size = library[2](SIZE)
        library[0](row_major, as_is, as_is, size, size, size, one, x, size, y, size, zero, z, size)

    return call


def product(tern, dtype):
    whole = dtype == torch.int8
    draw = (lambda: torch.randint(-128, 128, (SIZE, SIZE), dtype=dtype)) if whole else \
        (lambda: torch.randn(SIZE, SIZE).to(dtype))
    a, b = draw(), draw()
    c = torch.zeros(SIZE, SIZE, dtype=torch.int32 if whole else dtype)
    want, other = functools.cache(lambda: a.double() @ b.double()), torch.empty_like(c)
    calls = {}
    for bm, bn, bk in TILES:
        grid = [SIZE // bm * (SIZE // bn)]
        numbers = [SIZE, SIZE, SIZE] + ([] if whole else [SIZE, 1] * 3)
        constants = [bm, bn, bk] + ([] if whole else [8])
        calls[bm, bn, bk] = kernel(tern, KERNELS if whole else MATMUL,
                                   "matmul_int8" if whole else "matmul_kernel", grid,
                                   [a, b, c] + numbers, constants)
    eager = (lambda: torch._int_mm(a, b)) if whole else (lambda: torch.mm(a, b, out=other))
    peers = {"eager": eager}
    if dtype == torch.float32:
        peers["openblas"] = openblas(a, b, other)
    # The result's last place, for which |want| is below 256, and for f32 the sums'.
    allowed = {torch.int8: 0, torch.float32: 2e-3, torch.float16: 0.13, torch.bfloat16: 1}[dtype]
    return Work(f"matmul {name_of(dtype)} {SIZE}^3", calls, peers,
                lambda: is_far(c, want(), allowed))


def attention(tern, dtype):
    q, k, v = (torch.randn(1, HEADS, LENGTH, DEPTH).to(dtype) for _ in range(3))
    out, eager = torch.empty_like(q), torch.nn.functional.scaled_dot_product_attention
    want = functools.cache(lambda: eager(q.double(), k.double(), v.double()))
    scale = math.log2(math.e) / DEPTH ** 0.5
    calls = {(bm, bn): kernel(tern, KERNELS, "attention", [LENGTH // bm, HEADS],
                              [q, k, v, out, LENGTH, scale], [bm, bn, DEPTH])
             for bm, bn in [(64, 64), (128, 64), (128, 128), (64, 256), (256, 128)]}
    return Work(f"attention {name_of(dtype)} 1x{HEADS}x{LENGTH}x{DEPTH}", calls,
                {"eager": lambda: eager(q, k, v)},
                lambda: is_far(out, want(), 2e-5 if dtype == torch.float32 else 0.01))


def rms_norm(tern, dtype):
    x, weight = torch.randn(ROWS, ROWS).to(dtype), torch.randn(ROWS).to(dtype)
    out, eps = torch.empty_like(x), 1e-6
    function = lambda x, w: torch.nn.functional.rms_norm(x, (ROWS,), w, eps)  # noqa: E731
    want = functools.cache(lambda: function(x.double(), weight.double()))
    calls = {ROWS: kernel(tern, KERNELS, "rms_norm", [ROWS], [x, weight, out, ROWS, eps], [ROWS])}
    compiled = torch.compile(function)
    return Work(f"rms norm {name_of(dtype)} {ROWS}^2", calls,
                {"eager": lambda: function(x, weight), "inductor": lambda: compiled(x, weight)},
                lambda: is_far(out, want(), 1e-4 if dtype == torch.float32 else 0.07))


def swiglu(tern, dtype):
    a, b = torch.randn(ROWS, ROWS).to(dtype), torch.randn(ROWS, ROWS).to(dtype)
    out, function = torch.empty_like(a), lambda a, b: torch.nn.functional.silu(a) * b
    want = functools.cache(lambda: function(a.double(), b.double()))
    calls = {block: kernel(tern, KERNELS, "swiglu", [a.numel() // block], [a, b, out, a.numel()],
                           [block]) for block in (1024, 4096)}
    compiled = torch.compile(function)
    return Work(f"swiglu {name_of(dtype)} {ROWS}^2", calls,
                {"eager": lambda: function(a, b), "inductor": lambda: compiled(a, b)},
                lambda: is_far(out, want(), 1e-4 if dtype == torch.float32 else 0.13))


def softmax(tern, dtype):
    columns = 1000
    x = torch.randn(ROWS, columns).to(dtype)
    out, function = torch.empty_like(x), lambda x: torch.softmax(x, 1)
    want = functools.cache(lambda: function(x.double()))
    calls = {1024: kernel(tern, SOFTMAX, "softmax_kernel", [ROWS],
                          [x, out, columns, columns, columns], [1024])}
    compiled = torch.compile(function)
    return Work(f"softmax {name_of(dtype)} {ROWS}x{columns}", calls,
                {"eager": lambda: function(x), "inductor": lambda: compiled(x)},
                lambda: is_far(out, want(), 1e-5 if dtype == torch.float32 else 1e-3))


def layer_norm(tern, dtype):
    x, weight, bias = (torch.randn(*shape).to(dtype) for shape in [(ROWS, ROWS), (ROWS,), (ROWS,)])
    out, mean, rstd, eps = torch.empty_like(x), torch.zeros(ROWS), torch.zeros(ROWS), 1e-5
    function = lambda x, w, b: torch.nn.functional.layer_norm(x, (ROWS,), w, b, eps)  # noqa: E731
    want = functools.cache(lambda: function(x.double(), weight.double(), bias.double()))
    calls = {ROWS: kernel(tern, LAYER_NORM, "layer_norm_kernel", [ROWS],
                          [x, out, weight, bias, mean, rstd, ROWS, ROWS, eps], [ROWS])}
    compiled = torch.compile(function)
    return Work(f"layer norm {name_of(dtype)} {ROWS}^2", calls,
                {"eager": lambda: function(x, weight, bias),
                 "inductor": lambda: compiled(x, weight, bias)},
                lambda: is_far(out, want(), 1e-4 if dtype == torch.float32 else 0.07))


def timed_ms(call):
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def best_call(calls):
    """The setting whose least of a few samples is least."""
    if len(calls) == 1:
        return next(iter(calls.items()))
    return min(calls.items(), key=lambda one: min(timed_ms(one[1]) for _ in range(5)))


def keep_memory():
    """Peers allocate their results: of memory that the process keeps, else they would be timed for
    page faults (31 ms of 64 MB), which a kernel with a result of its own does not have."""
    trim_threshold, mmap_max = -1, -4  # of malloc.h
    mallopt = ctypes.CDLL(None).mallopt
    if not (mallopt(mmap_max, 0) and mallopt(trim_threshold, 2**31 - 1)):
        sys.exit("bench_cpu: mallopt refuses: peers would be timed for page faults")


# ---- a side: a process that is told which row to make, and how often to run it ----


def row_made(options, tern, row):
    """The call that is timed, tern's by their tiles, and what the asking process is told of it."""
    torch.manual_seed(7)
    make, dtype = row.split()
    work = globals()[make](tern, getattr(torch, DTYPES[dtype]))
    told = {"name": work.name}
    if not tern:
        call = work.peers[options.side]
        try:
            for _ in range(3):
                call()
        except OSError:  # it is not installed
            call = None
        return call, dict(told, there=call is not None)
    for setting, call in work.calls.items():
        call()
        if work.wrong():
            return None, dict(told, wrong=f"{options.side}: wrong with {setting}")
    named = {"x".join(map(str, setting if isinstance(setting, tuple) else (setting,))): call
             for setting, call in work.calls.items()}
    wanted = {tile: named[tile] for tile in options.tile.split(",") if tile in named}
    return wanted or named, dict(told, there=True)


def side_main(options, threads):
    global torch
    import torch
    keep_memory()
    torch.set_num_threads(threads)
    library = {"tern": options.library, "before": options.before}.get(options.side)
    tern = tern_ctypes.Tern(library, options.device, num_threads=threads) if library else None
    print(json.dumps(tern.description() if tern else
                     f"PyTorch {torch.__version__}, {torch.backends.cpu.get_cpu_capability()}"),
          flush=True)
    call, made = None, {}
    for line in sys.stdin:
        if line.startswith("burst "):
            call()
            told = [timed_ms(call) for _ in range(int(line.split()[1]))]
        else:
            if line not in made:
                made[line] = row_made(options, tern, line)
            call, told = made[line]
            if isinstance(call, dict):
                tile, call = best_call(call)
                told = dict(told, tile=tile)
        print(json.dumps(told), flush=True)
    return 0


class Side:
    def __init__(self, name, threads):
        self.name = name
        self.process = subprocess.Popen(
            [sys.executable, *sys.argv, "--threads", str(threads), "--side", name], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"bench_cpu: {self.name} ended early")
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


# ---- the process that asks them ----


def take_turns(sides, options):
    """Name -> times. A pause before each, after which the threads of the one before are asleep:
    OpenMP's look for work for 5 to 20 ms."""
    got, burst, end = {side.name: [] for side in sides}, 4, time.perf_counter() + options.seconds
    for turn in range(max(2, -(-options.samples // burst))):
        for side in sides if turn % 2 else reversed(sides):
            time.sleep(0.03)
            side.ask(f"burst {burst}")
            got[side.name] += side.answer()
        if time.perf_counter() > end and turn > 1:
            break
    return got


class Times:
    def __init__(self, samples):
        self.median, self.least, self.count = statistics.median(samples), min(samples), len(samples)
        self.low, _, high = statistics.quantiles(samples, n=4)
        self.spread = (high - self.low) / self.median * 100


def run(sides, row, options):
    """The name and the ratio of tern's median to the best peer's, or None; prints the row."""
    sides = [side for side in sides if PEERS.get(side.name, lambda row: True)(row)]
    peers = [side for side in sides if side.name in PEERS]
    for side in peers:
        side.ask(row)
    told = {side.name: side.answer() for side in peers}
    for side in sides:  # tern's look for their best tiles, one after the other
        if side not in peers:
            side.ask(row)
            told[side.name] = side.answer()
    name = told["tern"]["name"]
    for one in told.values():
        if "wrong" in one:
            print(f"{name:26} {one['wrong']}", flush=True)
            return None
    there = [side for side in sides if told[side.name]["there"]]
    got = {side: Times(samples) for side, samples in take_turns(there, options).items()}
    ours, peer = got["tern"], min((side for side in got if side in PEERS),
                                  key=lambda side: got[side].median)
    theirs, before = got[peer], got.get("before")
    beside = f"; before {before.median:.3f} ms, {ours.median / before.median:.2f}x, least " \
        f"{ours.least / before.least:.2f}x, quartile {ours.low / before.low:.2f}x" if before else ""
    print(f"{name:26} {ours.median:8.3f} ms  {peer:9} {theirs.median:8.3f} ms  "
          f"{ours.median / theirs.median:5.2f}x  least {ours.least / theirs.least:5.2f}x  "
          f"quartile {ours.low / theirs.low:5.2f}x  spread {ours.spread:2.0f} {theirs.spread:2.0f} %  of {ours.count}  "
          f"tile {told['tern']['tile']}{beside}", flush=True)
    return name, ours.median / theirs.median


def cores_first(cpus):
    """Those that have units of their own, then their siblings."""
    first, rest = {}, []
    for cpu in cpus:
        try:
            with open(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list") as file:
                core = file.read()
        except OSError:
            core = cpu
        if first.setdefault(core, cpu) != cpu:
            rest.append(cpu)
    return list(first.values()) + rest


def started(names, threads):
    mine = sorted(os.sched_getaffinity(0), reverse=True)
    os.sched_setaffinity(0, cores_first(mine)[:threads])  # interrupts mostly go to the first CPUs
    sides = [Side(name, threads) for name in names]
    os.sched_setaffinity(0, mine)
    for side in sides:
        side.said = side.answer()
    return sides


def make_all(sides, rows):
    for row in rows:
        for side in sides:
            if PEERS.get(side.name, lambda row: True)(row):
                side.ask(row)
                side.answer()


def measure(options, threads):
    floats = ["fp32", "bf16", "fp16"]
    rows = [f"product {d}" for d in floats + ["i8"]] + [f"attention {d}" for d in floats] + \
        [f"{make} {d}" for make in COMPILED for d in floats[:2]]
    rows = [row for row in rows if any(word in row for word in options.only.split(","))]
    tern = ["tern"] + (["before"] if options.before else [])
    peers = [peer for peer in PEERS if any(map(PEERS[peer], rows)) and
             (peer != "inductor" or not options.no_inductor)]
    sides = started(peers, threads)
    if options.wait:
        make_all(sides, rows)  # Inductor compiles; the library may still be built
        while not os.path.exists(options.library):
            time.sleep(0.1)
    sides = started(tern, threads) + sides
    if options.wait:
        make_all(sides, rows)
        while not os.path.exists(options.wait):
            time.sleep(0.1)
    said = {side.name: side.said for side in sides}
    print(f"\n{said['tern']}; {said['eager']}; medians of at most {options.samples} samples",
          flush=True)
    ratios = dict(filter(None, (run(sides, row, options) for row in rows)))
    for side in sides:
        side.end()
    if ratios:
        mean = math.exp(statistics.fmean(map(math.log, ratios.values())))
        worst = sorted(ratios, key=ratios.get, reverse=True)[:3]
        print(f"geometric mean {mean:.2f}x; worst: " +
              ", ".join(f"{name} {ratios[name]:.2f}x" for name in worst), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", default=os.path.join(ROOT, "build", "libtern.so"))
    parser.add_argument("--before")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=4, help="at most, for the samples of a row")
    parser.add_argument("--only", default="")
    parser.add_argument("--no-inductor", action="store_true")
    parser.add_argument("--tile", default="", help="of the kernels that have one of them, no others")
    parser.add_argument("--wait", metavar="FILE", help="make all rows, then wait until it is there")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    options = parser.parse_args()
    counts = list(map(int, options.threads.split(",")))
    if options.side:
        return side_main(options, counts[0])
    if not importlib.util.find_spec("torch"):
        sys.exit("bench_cpu: needs PyTorch (python3 -m pip install torch)")
    for threads in counts:
        measure(options, threads)
    return 0


if __name__ == "__main__":
    sys.exit(main())
