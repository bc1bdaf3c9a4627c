#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the cpu device beside PyTorch's CPU code: products of matrices (oneDNN, MKL; of f32 OpenBLAS,
too, where it is installed), attention, and softmax, norms and activations (also by torch.compile).

    tools/bench_cpu.py [--library build/libtern.so] [--device cpu:avx512] [--threads 1,2]
                       [--samples N] [--seconds S] [--only WORD,..] [--no-inductor] [--before LIBRARY]

Each number of threads is a process of its own, bound to as many cores. Within it all take turns
sample by sample, of several threads burst by burst; each of tern's kernels gets the best of a few
tiles, found before. Results are compared with float64; a wrong one is said and not timed. A row has
the medians, their ratio to the best peer's, the ratios of the least samples and of the CPU time
(of several threads what waits for work, too), and how far the middle half of each one's samples
lies apart, in percent of its median. --before times another build of tern in the same turns.
"""
import argparse
import ctypes
import math
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import tern_ctypes  # noqa: E402

try:
    import torch
except ImportError:
    sys.exit("bench_cpu: needs PyTorch (python3 -m pip install torch)")

KERNELS = os.path.join(ROOT, "bench", "cpu_kernels.py")
MATMUL, SOFTMAX, LAYER_NORM = (os.path.join(ROOT, "kernels", name + ".py")
                               for name in ("matmul", "softmax", "layer_norm"))
NAMES = {torch.float32: "fp32", torch.bfloat16: "bf16", torch.float16: "fp16", torch.int8: "i8",
         torch.int32: "i32"}
TILES = [(64, 64, 32), (128, 128, 64), (128, 256, 128), (256, 256, 128), (256, 512, 128),
         (512, 512, 128)]
SIZE, ROWS, HEADS, LENGTH, DEPTH = 1024, 4096, 8, 2048, 64


class Work:
    """tern: settings to try -> callables; peers: name -> callable; wrong() looks at tern's result."""

    def __init__(self, name, calls, peers, wrong):
        self.name, self.calls, self.peers, self.wrong = name, calls, peers, wrong


def kernel(tern, path, function, grid, values, constants):
    parts = []
    for value in values:
        if hasattr(value, "data_ptr"):
            parts.append("*" + NAMES[value.dtype] + ":16")
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


def openblas(a, b, c):
    """Calls cblas_sgemm; None: it is not installed. bench/cpu_bench.c says why its core is named."""
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    if "AVX512" in torch.backends.cpu.get_cpu_capability():
        os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
    try:
        library = ctypes.CDLL("libopenblas.so.0")
    except OSError:
        return None
    library.openblas_set_num_threads(torch.get_num_threads())
    row_major, as_is, one, zero = 101, 111, ctypes.c_float(1), ctypes.c_float(0)
    x, y, z = (ctypes.c_void_p(t.data_ptr()) for t in (a, b, c))
    return lambda: library.cblas_sgemm(row_major, as_is, as_is, SIZE, SIZE, SIZE, one, x, SIZE, y,
                                       SIZE, zero, z, SIZE)


def product(tern, dtype):
    whole = dtype == torch.int8
    draw = (lambda: torch.randint(-128, 128, (SIZE, SIZE), dtype=dtype)) if whole else \
        (lambda: torch.randn(SIZE, SIZE).to(dtype))
    a, b = draw(), draw()
    c = torch.zeros(SIZE, SIZE, dtype=torch.int32 if whole else dtype)
    want, other = a.double() @ b.double(), torch.empty_like(c)
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
    blas = openblas(a, b, other) if dtype == torch.float32 else None
    if blas:
        peers["openblas"] = blas
    # The result's last place, for which |want| is below 256, and for f32 the sums'.
    allowed = {torch.int8: 0, torch.float32: 2e-3, torch.float16: 0.13, torch.bfloat16: 1}[dtype]
    return Work(f"matmul {NAMES[dtype]} {SIZE}^3", calls, peers,
                lambda: is_far(c, want, allowed))


def attention(tern, dtype):
    q, k, v = (torch.randn(1, HEADS, LENGTH, DEPTH).to(dtype) for _ in range(3))
    out, eager = torch.empty_like(q), torch.nn.functional.scaled_dot_product_attention
    want = eager(q.double(), k.double(), v.double())
    scale = math.log2(math.e) / DEPTH ** 0.5
    calls = {(bm, bn): kernel(tern, KERNELS, "attention", [LENGTH // bm, HEADS],
                              [q, k, v, out, LENGTH, scale], [bm, bn, DEPTH])
             for bm, bn in [(64, 64), (128, 64), (128, 128), (64, 256)]}
    return Work(f"attention {NAMES[dtype]} 1x{HEADS}x{LENGTH}x{DEPTH}", calls,
                {"eager": lambda: eager(q, k, v)},
                lambda: is_far(out, want, 2e-5 if dtype == torch.float32 else 0.01))


def rms_norm(tern, dtype):
    x, weight = torch.randn(ROWS, ROWS).to(dtype), torch.randn(ROWS).to(dtype)
    out, eps = torch.empty_like(x), 1e-6
    function = lambda x, w: torch.nn.functional.rms_norm(x, (ROWS,), w, eps)  # noqa: E731
    want = function(x.double(), weight.double())
    calls = {ROWS: kernel(tern, KERNELS, "rms_norm", [ROWS], [x, weight, out, ROWS, eps], [ROWS])}
    compiled = torch.compile(function)
    return Work(f"rms norm {NAMES[dtype]} {ROWS}^2", calls,
                {"eager": lambda: function(x, weight), "inductor": lambda: compiled(x, weight)},
                lambda: is_far(out, want, 1e-4 if dtype == torch.float32 else 0.07))


def swiglu(tern, dtype):
    a, b = torch.randn(ROWS, ROWS).to(dtype), torch.randn(ROWS, ROWS).to(dtype)
    out, function = torch.empty_like(a), lambda a, b: torch.nn.functional.silu(a) * b
    want = function(a.double(), b.double())
    calls = {block: kernel(tern, KERNELS, "swiglu", [a.numel() // block], [a, b, out, a.numel()],
                           [block]) for block in (1024, 4096)}
    compiled = torch.compile(function)
    return Work(f"swiglu {NAMES[dtype]} {ROWS}^2", calls,
                {"eager": lambda: function(a, b), "inductor": lambda: compiled(a, b)},
                lambda: is_far(out, want, 1e-4 if dtype == torch.float32 else 0.13))


def softmax(tern, dtype):
    columns = 1000
    x = torch.randn(ROWS, columns).to(dtype)
    out, function = torch.empty_like(x), lambda x: torch.softmax(x, 1)
    want = function(x.double())
    calls = {1024: kernel(tern, SOFTMAX, "softmax_kernel", [ROWS],
                          [x, out, columns, columns, columns], [1024])}
    compiled = torch.compile(function)
    return Work(f"softmax {NAMES[dtype]} {ROWS}x{columns}", calls,
                {"eager": lambda: function(x), "inductor": lambda: compiled(x)},
                lambda: is_far(out, want, 1e-5 if dtype == torch.float32 else 1e-3))


def layer_norm(tern, dtype):
    x, weight, bias = (torch.randn(*shape).to(dtype) for shape in [(ROWS, ROWS), (ROWS,), (ROWS,)])
    out, mean, rstd, eps = torch.empty_like(x), torch.zeros(ROWS), torch.zeros(ROWS), 1e-5
    function = lambda x, w, b: torch.nn.functional.layer_norm(x, (ROWS,), w, b, eps)  # noqa: E731
    want = function(x.double(), weight.double(), bias.double())
    calls = {ROWS: kernel(tern, LAYER_NORM, "layer_norm_kernel", [ROWS],
                          [x, out, weight, bias, mean, rstd, ROWS, ROWS, eps], [ROWS])}
    compiled = torch.compile(function)
    return Work(f"layer norm {NAMES[dtype]} {ROWS}^2", calls,
                {"eager": lambda: function(x, weight, bias),
                 "inductor": lambda: compiled(x, weight, bias)},
                lambda: is_far(out, want, 1e-4 if dtype == torch.float32 else 0.07))


def timed_ms(call):
    """Wall and CPU time."""
    busy, start = time.process_time(), time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3, (time.process_time() - busy) * 1e3


def best_call(calls):
    """The setting whose least of a few samples is least."""
    if len(calls) == 1:
        return next(iter(calls.items()))
    return min(calls.items(), key=lambda one: min(timed_ms(one[1])[0] for _ in range(5)))


def take_turns(calls, samples, seconds, threads):
    """Name -> times. Of several threads a turn is a burst, after all have gone to sleep: threads of
    the one that ended spin (OpenMP's for 5 to 20 ms) on the cores that the next one needs."""
    got = {name: [] for name in calls}
    burst, end = 4 if threads > 1 else 1, time.perf_counter() + seconds
    for turn in range(max(2, -(-samples // burst))):
        for name in list(calls) if turn % 2 else reversed(list(calls)):
            if threads > 1:
                time.sleep(0.04)
                calls[name]()
            got[name] += [timed_ms(calls[name]) for _ in range(burst)]
        if time.perf_counter() > end and turn > 1:
            break
    return got


class Times:
    def __init__(self, samples):
        wall, busy = zip(*samples)
        self.median, self.least = statistics.median(wall), min(wall)
        self.busy, self.count = statistics.median(busy), len(wall)
        low, _, high = statistics.quantiles(wall, n=4)
        self.spread = (high - low) / self.median * 100


def run(works, options, threads):
    """The ratio of tern's median to the best peer's, or None; prints the row. works: of --library,
    and of --before."""
    work, calls, settings = works[0], dict(works[0].peers), {}
    for which, one in zip(("tern", "before"), works):
        for setting, call in one.calls.items():
            call()
            if one.wrong():
                print(f"{one.name:26} {which}: wrong with {setting}", flush=True)
                return None
        settings[which], calls[which] = best_call(one.calls)
    for peer in work.peers.values():
        for _ in range(3):
            peer()
    got = {name: Times(samples) for name, samples in
           take_turns(calls, options.samples, options.seconds, threads).items()}
    ours, peer = got["tern"], min(work.peers, key=lambda name: got[name].median)
    theirs = got[peer]
    setting = settings["tern"]
    tile = "x".join(map(str, setting if isinstance(setting, tuple) else (setting,)))
    before = got.get("before")
    beside = f"; before {before.median:.3f} ms, {ours.median / before.median:.2f}x, least " \
        f"{ours.least / before.least:.2f}x" if before else ""
    print(f"{work.name:26} {ours.median:8.3f} ms  {peer:9} {theirs.median:8.3f} ms  "
          f"{ours.median / theirs.median:5.2f}x  least {ours.least / theirs.least:5.2f}x  "
          f"cpu {ours.busy / theirs.busy:5.2f}x  spread {ours.spread:2.0f} {theirs.spread:2.0f} %  "
          f"of {ours.count}  tile {tile}{beside}", flush=True)
    return ours.median / theirs.median


def keep_memory():
    """Peers allocate their results: of memory that the process keeps, else they would be timed for
    page faults (31 ms of 64 MB), which a kernel with a result of its own does not have."""
    trim_threshold, mmap_max = -1, -4  # of malloc.h
    mallopt = ctypes.CDLL(None).mallopt
    if not (mallopt(mmap_max, 0) and mallopt(trim_threshold, 2**31 - 1)):
        sys.exit("bench_cpu: mallopt refuses: peers would be timed for page faults")


def cores(threads):
    """The last of those that this process may use: interrupts mostly go to the first."""
    mine = sorted(os.sched_getaffinity(0))
    return mine[-threads:]


def measure(options, threads):
    torch.set_num_threads(threads)
    libraries = [options.library] + ([options.before] if options.before else [])
    terns = [tern_ctypes.Tern(path, options.device, num_threads=threads) for path in libraries]
    print(f"\n{terns[0].description()}; PyTorch {torch.__version__}, "
          f"{torch.backends.cpu.get_cpu_capability()}; medians of at most {options.samples} samples")
    floats = (torch.float32, torch.bfloat16, torch.float16)
    rows = [(product, d) for d in floats + (torch.int8,)] + [(attention, d) for d in floats] + \
        [(make, d) for make in (softmax, layer_norm, rms_norm, swiglu) for d in floats[:2]]
    ratios = {}
    for make, dtype in rows:
        if not any(word in f"{make.__name__} {NAMES[dtype]}" for word in options.only.split(",")):
            continue
        works = []
        for tern in terns:
            torch.manual_seed(7)
            works.append(make(tern, dtype))
        if options.no_inductor:
            works[0].peers.pop("inductor", None)
        ratio = run(works, options, threads)
        if ratio:
            ratios[works[0].name] = ratio
    if ratios:
        mean = math.exp(statistics.fmean(map(math.log, ratios.values())))
        worst = sorted(ratios, key=ratios.get, reverse=True)[:3]
        print(f"geometric mean {mean:.2f}x; worst: " +
              ", ".join(f"{name} {ratios[name]:.2f}x" for name in worst))


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
    options = parser.parse_args()
    counts = list(map(int, options.threads.split(",")))
    if len(counts) == 1:
        os.sched_setaffinity(0, cores(counts[0]))
        keep_memory()
        measure(options, counts[0])
        return 0
    return max(subprocess.call([sys.executable, *sys.argv, "--threads", str(count)])
               for count in counts)


if __name__ == "__main__":
    sys.exit(main())
