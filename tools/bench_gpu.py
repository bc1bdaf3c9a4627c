#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times tern's kernels on an NVIDIA GPU beside PyTorch, torch.compile and Triton.

    tools/bench_gpu.py [--only NAME[,NAME]] [--peers NAME[,NAME]] [--samples N] [--out FILE.json] [--quick]

All in one process: the same tensors, the same events, the same flush of the L2 cache before each
sample, implementations taking turns. Triton compiles the very file that tern compiles; each of the
two gets the best of the same candidate settings. Every result is compared with PyTorch in float64
before it is timed; a wrong one is reported and not timed. With each work stands a copy of the same
number of bytes. The raw samples go to bench/results/.
"""
import argparse
import datetime
import importlib.util
import json
import math
import os
import platform
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
    sys.exit("bench_gpu: needs PyTorch (python3 -m pip install torch); without it use: tern bench")
if not torch.cuda.is_available():
    sys.exit("bench_gpu: PyTorch sees no CUDA device")
try:
    import triton
except ImportError:
    triton = None

PEERS = {"triton": "Triton", "torch": "PyTorch", "compile": "torch.compile"}
DTYPES = {torch.float32: "fp32", torch.float16: "fp16", torch.bfloat16: "bf16",
          torch.int32: "i32", torch.int64: "i64"}


# ---- one kernel call, for both compilers ----

class Call:
    """function(values in parameter order) over a grid, with constants and a number of warps."""

    def __init__(self, file, function, values, constants, grid, warps):
        self.path, self.function = os.path.join(ROOT, file), function
        self.values, self.constants, self.grid, self.warps = values, constants, grid, warps

    def signature(self):
        parts = []
        for value in self.values:
            if hasattr(value, "data_ptr"):
                parts.append("*" + DTYPES[value.dtype] + (":16" if value.data_ptr() % 16 == 0 else ""))
            elif isinstance(value, float):
                parts.append("fp32")
            else:
                parts.append("i32" + (":1" if value == 1 else ":16" if value % 16 == 0 else ""))
        return ",".join(parts + [f"{k}={v}" for k, v in self.constants.items()])

    def tern(self, tern):
        kernel = tern.compile(self.path, self.function, self.signature(), self.warps)
        passed = [v for i, v in enumerate(self.values) if not tern.is_constant(kernel, i)]
        return tern.launcher(kernel, self.grid, passed), kernel

    def triton(self):
        function = triton_function(self.path, self.function)
        values, constants, warps, grid = self.values, self.constants, self.warps, self.grid
        return lambda: function[grid](*values, **constants, num_warps=warps)


_triton_modules = {}


def triton_function(path, name):
    if path not in _triton_modules:
        spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
        _triton_modules[path] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(_triton_modules[path])
    return getattr(_triton_modules[path], name)


# ---- timing ----

class Clock:
    def __init__(self):
        self.buffer = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
        self.words = self.buffer.view(torch.int32)
        self.sink = torch.empty((), dtype=torch.int32, device="cuda")

    def flush(self, how):
        if how == "memset":
            self.buffer.zero_()
        elif how == "read":
            torch.amax(self.words, dim=0, out=self.sink)

    def samples(self, call, count, how):
        starts = [torch.cuda.Event(enable_timing=True) for _ in range(count)]
        ends = [torch.cuda.Event(enable_timing=True) for _ in range(count)]
        for start, end in zip(starts, ends):
            self.flush(how)
            start.record()
            call()
            end.record()
        torch.cuda.synchronize()
        return [s.elapsed_time(e) * 1e3 for s, e in zip(starts, ends)]  # us

    def turns(self, calls, count, how):
        """calls: name -> callable. Rounds in alternating order, so that drift hits all alike."""
        names, got, rounds = list(calls), {name: [] for name in calls}, 5
        for name in names:
            self.samples(calls[name], 3, how)
        for turn in range(rounds):
            for name in names if turn % 2 == 0 else reversed(names):
                got[name] += self.samples(calls[name], max(1, count // rounds), how)
        return got


def quantile(values, q):
    values = sorted(values)
    at = q * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


# ---- the work ----

class Work:
    """candidates: settings to try -> list of Calls; outputs are compared with reference()."""

    def __init__(self, name, moved_bytes, candidates, outputs, reference, tolerance, eager=None,
                 compiled=None, after=None):
        self.name, self.moved_bytes, self.candidates = name, moved_bytes, candidates
        self.outputs, self.reference, self.tolerance = outputs, reference, tolerance
        self.eager, self.compiled, self.after = eager, compiled, after
        self.before = None  # makes what the kernel changes as it was, before a result is checked


def randn(*shape, dtype=torch.float32):
    generator = torch.Generator(device="cuda").manual_seed(1)
    return torch.randn(*shape, device="cuda", generator=generator).to(dtype)


def elementwise(file, function, n, before, after, blocks=((1024, 4), (1024, 8), (2048, 8), (4096, 8))):
    return {f"BLOCK={b} warps={w}": [Call(file, function, before + [n] + after, {"BLOCK": b},
                                          (-(-n // b),), w)] for b, w in blocks}


def gelu():
    x = randn(16384, 16384)
    out = torch.empty_like(x)
    f = torch.nn.functional.gelu
    return Work("gelu f32 16384x16384", 2 * x.nbytes,
                elementwise("kernels/gelu.py", "gelu_kernel", x.numel(), [x, out], []), [out],
                lambda rows: [f(x[rows].double(), approximate="tanh")], 1e-5,
                lambda: f(x, approximate="tanh"), lambda: f(x, approximate="tanh"))


def vector_add():
    n = 1 << 26
    x, y = randn(n), randn(n).flip(0)
    out = torch.empty_like(x)
    return Work("vector add f32 2^26", 3 * x.nbytes,
                elementwise("kernels/vector_add.py", "vector_add_kernel", n, [x, y, out], []), [out],
                lambda rows: [x.double() + y.double()], 1e-6, lambda: torch.add(x, y, out=out))


def dropout():
    n = 1 << 26
    x = randn(n)
    out = torch.empty_like(x)

    def check(rows):
        # Which elements fall is the generator's choice; the values and the share are not.
        kept = out != 0
        share = kept.double().mean().item()
        if abs(share - 0.5) > 1e-3:
            raise ValueError(f"kept {share:.4f} of the elements, not 0.5")
        return [torch.where(kept, x.double() * 2, 0.0)]

    return Work("dropout f32 2^26", 2 * x.nbytes,
                elementwise("kernels/dropout.py", "dropout_kernel", n, [x, out], [0.5, 123]), [out],
                check, 1e-6, lambda: torch.nn.functional.dropout(x, 0.5))


def softmax(columns):
    x = randn(16384, columns)
    out = torch.empty_like(x)
    block = max(16, 1 << (columns - 1).bit_length())
    return Work(f"softmax f32 16384x{columns}", 2 * x.nbytes,
                {f"warps={w}": [Call("kernels/softmax.py", "softmax_kernel",
                                     [x, out, columns, columns, columns], {"BLOCK": block}, (16384,), w)]
                 for w in (1, 2, 4, 8, 16, 32) if 4 <= block // (w * 32) <= 128}, [out],
                lambda rows: [torch.softmax(x[rows].double(), -1)], 1e-5,
                lambda: torch.softmax(x, -1), lambda: torch.softmax(x, -1))


def mean():
    x = randn(10000, 10000)
    n = x.numel()
    parts = torch.empty(1024, device="cuda")
    count = torch.zeros(1, dtype=torch.int32, device="cuda")
    out = torch.empty(1, device="cuda")
    sms = torch.cuda.get_device_properties(0).multi_processor_count
    return Work("mean f32 10000x10000", x.nbytes,
                {f"BLOCK={b} warps={w} grid={k}xSM":
                 [Call("kernels/mean.py", "mean_kernel", [x, parts, count, out, n],
                       {"BLOCK": b, "PARTS": 1024}, (sms * k,), w)]
                 for b, w, k in ((4096, 8, 4), (8192, 8, 2), (8192, 8, 4), (8192, 16, 2), (16384, 16, 2))},
                [out], lambda rows: [x.double().mean().reshape(1)], 1e-4, lambda: x.mean(),
                lambda: x.mean())


def layer_norm():
    rows_, columns = 4096, 8192
    x, weight, bias = randn(rows_, columns, dtype=torch.float16), randn(columns).half(), randn(columns).half()
    out = torch.empty_like(x)
    mean_, rstd = torch.empty(rows_, device="cuda"), torch.empty(rows_, device="cuda")
    f = torch.nn.functional.layer_norm
    return Work("layer norm f16 4096x8192", 2 * x.nbytes,
                {f"warps={w}": [Call("kernels/layer_norm.py", "layer_norm_kernel",
                                     [x, out, weight, bias, mean_, rstd, columns, columns, 1e-5],
                                     {"BLOCK": 8192}, (rows_,), w)] for w in (4, 8, 16, 32)}, [out],
                lambda rows: [f(x[rows].double(), (columns,), weight.double(), bias.double(), 1e-5)],
                2e-3, lambda: f(x, (columns,), weight, bias, 1e-5),
                lambda: f(x, (columns,), weight, bias, 1e-5))


def layer_norm_backward():
    rows_, columns = 4096, 8192
    x, dy = randn(rows_, columns, dtype=torch.float16), randn(rows_, columns).flip(0).half()
    weight, bias = randn(columns).half(), randn(columns).half()
    wide = x.double()
    mean_ = wide.mean(1).float()
    rstd = (1 / torch.sqrt(wide.var(1, unbiased=False) + 1e-5)).float()
    dx, dweight, dbias = torch.empty_like(x), torch.empty_like(weight), torch.empty_like(bias)
    sms = torch.cuda.get_device_properties(0).multi_processor_count
    del wide

    def calls(warps, k):
        programs = sms * k
        parts = [torch.empty(programs, columns, device="cuda") for _ in range(2)]
        file = "kernels/layer_norm_backward.py"
        return [Call(file, "layer_norm_backward_kernel",
                     [dy, x, weight, mean_, rstd, dx, *parts, columns, rows_, columns],
                     {"BLOCK": 8192}, (programs,), warps),
                Call(file, "sum_parts_kernel", [*parts, dweight, dbias, programs, columns],
                     {"PARTS": 32, "BLOCK": 64}, (-(-columns // 64),), 4)]

    def gradients(to):
        a, w, b = (t.detach().to(to).requires_grad_() for t in (x, weight, bias))
        y = torch.nn.functional.layer_norm(a, (columns,), w, b, 1e-5)
        return a, w, b, y

    def reference(rows):
        a, w, b, y = gradients(torch.float64)
        return list(torch.autograd.grad(y, (a, w, b), dy.double()))

    a, w, b, y = gradients(torch.float16)
    return Work("layer norm backward f16 4096x8192", 3 * x.nbytes,
                {f"warps={n} grid={k}xSM": calls(n, k) for n, k in ((8, 1), (8, 2), (16, 1), (16, 2), (32, 1))},
                [dx, dweight, dbias], reference, 4e-3,
                lambda: torch.autograd.grad(y, (a, w, b), dy, retain_graph=True))


WORKS = {"gelu": gelu, "add": vector_add, "dropout": dropout, "mean": mean, "norm": layer_norm,
         "normback": layer_norm_backward}
for _width in (1024, 4096, 16384, 781, 5000, 12345):
    WORKS[f"softmax{_width}"] = lambda width=_width: softmax(width)

import bench_classes  # noqa: E402

CLASSES = bench_classes.works(Work, Call, randn)
WORKS.update(CLASSES)


# ---- running it ----

def check(work):
    """The worst difference over the reference's root mean square; NaN and poison never pass."""
    worst = 0.0
    slices = [slice(None)] if work.outputs[0].numel() < 1 << 26 or work.outputs[0].dim() == 1 else \
        [slice(i, i + 1024) for i in range(0, work.outputs[0].shape[0], 1024)]
    for rows in slices:
        wanted = work.reference(rows)
        for got, want in zip(work.outputs, wanted):
            part, want = (got[rows] if len(slices) > 1 else got).double(), want.double()
            scale = want.square().mean().sqrt().item() or 1.0
            error = ((part - want).abs() / (scale + want.abs())).max().item()
            worst = max(worst, error) if error == error else math.inf
    return worst


def poison(work):
    for out in work.outputs:
        out.fill_(float("nan") if out.is_floating_point() else -1)


def prepare(work, make, row):
    """The best of the candidates, each checked: (callable, its name) or None."""
    best = None
    for name, calls in work.candidates.items():
        try:
            launches = [make(call) for call in calls]
            run = launches[0] if len(launches) == 1 else lambda ls=launches: [f() for f in ls]
            poison(work)
            if work.before:
                work.before()
            run()
            torch.cuda.synchronize()
            error = check(work)
        except Exception as problem:  # one setting that fails must not end the others
            row["failed"][name] = f"{type(problem).__name__}: {problem}"[:600]
            if "start the process again" in str(problem):
                raise
            continue
        if not error <= work.tolerance:
            row["failed"][name] = f"WRONG: error {error:.3g}, allowed {work.tolerance:g}"
            continue
        time_us = statistics.median(CLOCK.samples(run, 8, "memset"))
        row["tried"][name] = {"us": time_us, "error": error}
        if best is None or time_us < best[2]:
            best = (run, name, time_us)
    return best


def bench_work(work, tern, samples, flushes, peers):
    rows, calls = {}, {}

    def row_of(name):
        return rows.setdefault(name, {"tried": {}, "failed": {}})

    kernels = {}

    def make_tern(call):
        launch, kernel = call.tern(tern)
        kernels[id(call)] = kernel
        return launch

    best = prepare(work, make_tern, row_of("tern"))
    if best:
        calls["tern"] = best[0]
        rows["tern"]["setting"] = best[1]
        rows["tern"]["facts"] = [tern.text(kernels[id(c)], tern_ctypes.STAGE_FACTS)
                                 for c in work.candidates[best[1]]]
    if triton and "triton" in peers:
        best = prepare(work, Call.triton, row_of("triton"))
        if best:
            calls["triton"] = best[0]
            rows["triton"]["setting"] = best[1]
    if work.eager and "torch" in peers:
        calls["torch"] = work.eager
    if work.compiled and "compile" in peers:
        try:
            torch._dynamo.reset()
            compiled = torch.compile(work.compiled)
            compiled()
            calls["compile"] = compiled
        except Exception as problem:
            row_of("compile")["failed"]["compile"] = f"{type(problem).__name__}: {problem}"[:600]
    half = torch.empty(work.moved_bytes // 2, dtype=torch.int8, device="cuda")
    into = torch.empty_like(half)
    calls["copy of the same bytes"] = lambda: into.copy_(half)
    for how in flushes:
        for name, us in CLOCK.turns(calls, samples, how).items():
            row_of(name)[how] = {"us": us, "median": quantile(us, 0.5), "q20": quantile(us, 0.2),
                                 "q80": quantile(us, 0.8), "minimum": min(us),
                                 "GB/s": work.moved_bytes / quantile(us, 0.5) / 1e3}
    return rows


def show(work, rows, flushes):
    print(f"\n{work.name}: {work.moved_bytes / 1e6:.1f} MB moved")
    for name, row in rows.items():
        for how in flushes:
            if how not in row:
                continue
            r = row[how]
            print(f"  {name:24s} {how:7s} {r['median']:10.2f} us  [{r['q20']:.2f} .. {r['q80']:.2f}]"
                  f"  {r['GB/s']:8.0f} GB/s  {row.get('setting', '')}")
        for setting, words in row.get("failed", {}).items():
            print(f"  {name:24s} {setting}: {words}")
    tern, peer = rows.get("tern", {}), rows.get("triton", {})
    for how in flushes:
        if how in tern:
            ratios = [f"{how}: tern takes"]
            if how in peer:
                ratios.append(f"{tern[how]['median'] / peer[how]['median']:.3f} of Triton's time,")
            copy = rows["copy of the same bytes"][how]["median"]
            ratios.append(f"{tern[how]['median'] / copy:.3f} of the copy's")
            print("  " + " ".join(ratios))
    sys.stdout.flush()


def summary(works):
    """The geometric mean of tern's time over each peer's, and over the best's, and the worst three."""
    times = {name: {who: row["memset"]["median"] for who, row in work.get("rows", {}).items()
                    if who in ("tern", *PEERS) and "memset" in row} for name, work in works.items()}
    told = {}
    for who in (*PEERS, "best peer"):
        ratios = []
        for name, us in times.items():
            others = {k: t for k, t in us.items() if k != "tern" and who in (k, "best peer")}
            if "tern" in us and others:
                best = min(others, key=others.get)
                ratios.append((us["tern"] / others[best], name if who == best else f"{name}, {best}"))
        if not ratios:
            continue
        mean = math.exp(sum(math.log(r) for r, _ in ratios) / len(ratios))
        worst = sorted(ratios, reverse=True)[:3]
        print(f"\ntern's time over {PEERS.get(who, 'the ' + who)}'s: {mean:.3f}, geometric mean of {len(ratios)}; worst: " +
              ", ".join(f"{r:.3f} ({name})" for r, name in worst))
        told[who] = {"geometric mean": mean, "works": len(ratios), "worst": worst}
    return told


# ---- floors, launches, compile time ----

def bursts(call, burst=256, rounds=40):
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        start = time.perf_counter_ns()
        for _ in range(burst):
            call()
        times.append((time.perf_counter_ns() - start) / burst / 1e3)
    torch.cuda.synchronize()
    return {"us": times, "median": statistics.median(times), "minimum": min(times)}


def bench_launch(tern):
    rows = {}
    tensors = [torch.empty(64, device="cuda") for _ in range(8)]
    for function, values in (("nothing3", tensors[:2] + [5]),
                             ("nothing19", tensors + [2, 3, 4, 5, 6, 7, 0.5, 1.5, 2.5, 3.5, 5])):
        call = Call("bench/launch_kernels.py", function, values, {}, (1,), 4)
        for name, make in (("tern through ctypes", lambda c: c.tern(tern)[0]), ("triton", Call.triton)):
            if name == "triton" and not triton:
                continue
            try:
                run = make(call)
                run()
                rows[f"{name}, {function}"] = bursts(run)
            except Exception as problem:
                rows[f"{name}, {function}"] = {"failed": f"{type(problem).__name__}: {problem}"[:600]}
    small = tensors[0]
    rows["torch add_"] = bursts(lambda: small.add_(1))
    binary = os.path.join(os.path.dirname(os.path.abspath(tern.path)), "bench", "launch_bench")
    if os.path.exists(binary):
        done = subprocess.run([binary, os.path.join(ROOT, "bench/launch_kernels.py"), "--json"],
                              capture_output=True, text=True, timeout=120)
        try:
            rows["C"] = json.loads(done.stdout)
        except ValueError:
            rows["C"] = {"failed": (done.stdout + done.stderr)[-600:]}
    else:
        rows["C"] = {"failed": f"{binary} is not built: make bench-gpu builds it"}
    print("\nhost time of a launch, bursts of 256")
    for name, row in rows.items():
        if "median" in row:
            print(f"  {name:32s} {row['median']:8.2f} us (fastest burst {row['minimum']:.2f})")
        elif "failed" in row:
            print(f"  {name:32s} {row['failed']}")
        else:
            for inner, value in row.items():
                print(f"  C: {inner:29s} {value}")
    return rows


def bench_compile(tern, target):
    """Source text to PTX text, nothing cached."""
    rows = {}
    for name, file, function, signature, source in (
            ("softmax", "kernels/softmax.py", "softmax_kernel", "*fp32:16,*fp32:16,i32:16,i32:16,i32:16,BLOCK=1024", None),
            ("layer norm backward", "kernels/layer_norm_backward.py", "layer_norm_backward_kernel",
             "*fp16:16,*fp16:16,*fp16:16,*fp32:16,*fp32:16,*fp16:16,*fp32:16,*fp32:16,i32:16,i32:16,i32:16,BLOCK=8192", None)):
        path, times = os.path.join(ROOT, file), []
        try:
            for _ in range(20):
                start = time.perf_counter_ns()
                module = tern.module(path, fresh=True)
                kernel = tern.compile(path, function, signature, 8, target=target, module=module)
                times.append((time.perf_counter_ns() - start) / 1e6)
                tern.lib.tern_kernel_free(kernel)
                tern.lib.tern_module_free(module)
            rows[f"tern, {name}"] = {"ms": times, "median": statistics.median(times), "first": times[0]}
        except tern_ctypes.TernError as problem:
            rows[f"tern, {name}"] = {"failed": str(problem)[:600]}
        if not triton:
            continue
        try:
            rows[f"triton, {name}"] = triton_compile(path, function, signature)
        except Exception as problem:
            rows[f"triton, {name}"] = {"failed": f"{type(problem).__name__}: {problem}"[:600]}
    print(f"\nsource text to PTX text for {target} (Triton: to machine code, which it does not tell apart)")
    for name, row in rows.items():
        print(f"  {name:32s} " + (f"{row['median']:8.2f} ms (first {row['first']:.2f})" if "median" in row
                                  else row["failed"]))
    return rows


def triton_compile(path, function, signature):
    from triton.compiler import ASTSource
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    kernel, types, constants, attributes, times = triton_function(path, function), {}, {}, {}, []
    for index, (name, part) in enumerate(zip(kernel.arg_names, signature.split(","))):
        if "=" in part:
            types[name], constants[(index,)] = "constexpr", int(part.split("=")[1])
        else:
            types[name] = part.split(":")[0]
            if part.endswith(":16"):
                attributes[(index,)] = [["tt.divisibility", 16]]
    for _ in range(3):
        source = ASTSource(fn=kernel, signature=types, constexprs=constants, attrs=attributes)
        start = time.perf_counter_ns()
        triton.compile(source, options={"num_warps": 8})
        times.append((time.perf_counter_ns() - start) / 1e6)
    return {"ms": times, "median": statistics.median(times), "first": times[0]}


def floors():
    nothing = CLOCK.samples(lambda: None, 50, "memset")
    big = torch.empty(1 << 30, dtype=torch.int8, device="cuda")
    into = torch.empty_like(big)
    copy = CLOCK.samples(lambda: into.copy_(big), 20, "memset")
    fill = CLOCK.samples(lambda: into.zero_(), 20, "memset")
    rows = {"empty event pair us": quantile(nothing, 0.5),
            "copy of 1 GiB GB/s": 2 * big.nbytes / quantile(copy, 0.5) / 1e3,
            "memset of 1 GiB GB/s": big.nbytes / quantile(fill, 0.5) / 1e3}
    print("floors and ceilings: " + ", ".join(f"{k} {v:.2f}" for k, v in rows.items()))
    return rows


def command_output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=20, cwd=ROOT).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def about(tern):
    properties = torch.cuda.get_device_properties(0)
    return {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "command": " ".join(["tools/bench_gpu.py"] + sys.argv[1:]),
            "commit": command_output("git", "rev-parse", "--short", "HEAD"),
            "device": torch.cuda.get_device_name(0), "sms": properties.multi_processor_count,
            "memory_bytes": properties.total_memory, "tern": tern.version(),
            "tern_device": tern.description(),
            "driver": command_output("nvidia-smi", "--query-gpu=driver_version,clocks.sm,clocks.mem,"
                                     "power.draw,temperature.gpu", "--format=csv,noheader"),
            "python": platform.python_version(), "torch": torch.__version__,
            "cuda_of_torch": torch.version.cuda, "triton": triton.__version__ if triton else None,
            "method": "CUDA events; 256 MiB written (memset) or read (read) before each sample; "
                      "implementations alternate in 5 rounds; median"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="names from: classes,launch,compile," + ",".join(WORKS))
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--peers", default=",".join(PEERS), help="what takes turns with tern, of these")
    parser.add_argument("--quick", action="store_true", help="20 samples, one way to flush")
    parser.add_argument("--out", help="default: bench/results/gpu-DEVICE-DATE.json")
    parser.add_argument("--library", default=os.path.join(ROOT, "build", "libtern.so"))
    options = parser.parse_args()
    samples = 20 if options.quick else options.samples
    flushes = ["memset"] if options.quick else ["memset", "read"]
    asked = options.only.split(",") if options.only else list(WORKS) + ["launch", "compile"]
    names = [n for name in asked for n in (CLASSES if name == "classes" else [name])]
    unknown = [n for n in names if n not in WORKS and n not in ("launch", "compile")]
    if unknown:
        parser.error(f"unknown work {', '.join(unknown)}")
    tern = tern_ctypes.Tern(options.library, "cuda:0")
    tern.adopt_stream(torch.cuda.current_stream().cuda_stream)
    result = {"about": about(tern), "floors": floors(), "work": {}}
    print(json.dumps(result["about"], indent=1))
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    device = "".join(c if c.isalnum() else "-" for c in torch.cuda.get_device_name(0)).lower()
    out = options.out or os.path.join(ROOT, "bench", "results", f"gpu-{device}-{stamp}.json")
    os.makedirs(os.path.dirname(out) or ".", exist_ok=True)
    target = "sm_90a" if torch.cuda.get_device_capability() == (9, 0) else \
        "sm_%d%d" % torch.cuda.get_device_capability()
    bad = 0
    for name in names:
        try:
            if name == "launch":
                result["launch"] = bench_launch(tern)
            elif name == "compile":
                result["compile"] = bench_compile(tern, target)
            else:
                work = WORKS[name]()
                rows = bench_work(work, tern, samples, flushes, options.peers.split(","))
                show(work, rows, flushes)
                bad += "setting" not in rows["tern"]
                result["work"][work.name] = {"bytes": work.moved_bytes, "rows": rows}
                del work, rows
                torch.cuda.empty_cache()
        except Exception as problem:
            print(f"\n{name}: {type(problem).__name__}: {problem}")
            result["work"][name] = {"failed": f"{type(problem).__name__}: {problem}"[:2000]}
            bad += 1
        with open(out, "w") as file:  # after each, so that a crash loses nothing
            json.dump(result, file, indent=1)
    result["summary"] = summary(result["work"])
    with open(out, "w") as file:
        json.dump(result, file, indent=1)
    print(f"\nraw rows: {os.path.relpath(out, ROOT)}" + (f"; {bad} of {len(names)} without a tern row" if bad else ""))
    return 1 if bad else 0


CLOCK = Clock()
if __name__ == "__main__":
    sys.exit(main())
