#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""versus: public programs run under Triton, and each kernel they launch is held against tern.

    tools/versus.py [--lib PATH].. [--only WORD].. [--out FILE] [--samples N] [--limit S] [--one-memory]
        SUITE=FOLDER..

    tools/versus.py tutorials=~/triton/python/tutorials liger=~/Liger-Kernel fla=~/flash-linear-attention

Each launch of a jit function that was not seen before (in a step of tools/versus_suites.py, with these
constants and options) is taken aside: tern compiles the same source with the same arguments and
options, both run on copies of what the arguments' memory holds, what they leave is compared, and both
are timed: by events, the L2 cache overwritten before each sample, sample by sample in turns. Further
libraries (--lib) take turns, too. Each has memory of its own; where that lies makes up to 8 % of a
kernel that goes down columns. --one-memory: all are timed on the same. Where a kernel has an autotuner,
a step says which configs are taken; else the one in the middle is, so that nothing is tuned.

One line a kernel; at the end, the geometric mean of tern's time over Triton's for kernels with
products (tl.dot), without, and for all. --out: what was measured, a JSON object a line. --samples 0
only compares. Exit code: 1 where what they leave differs by more than 2 % (as a vector)."""
import argparse
import json
import math
import numbers
import os
import re
import statistics
import sys
import time

import torch
import triton
import triton.language as tl
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tern_ctypes  # noqa: E402
import versus_suites  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TYPES = {torch.float32: "fp32", torch.float16: "fp16", torch.bfloat16: "bf16", torch.float64: "fp64",
         torch.int8: "i8", torch.uint8: "u8", torch.int16: "i16", torch.int32: "i32",
         torch.int64: "i64", torch.bool: "i1", torch.float8_e4m3fn: "fp8e4nv",
         torch.float8_e5m2: "fp8e5", torch.uint16: "u16", torch.uint32: "u32", torch.uint64: "u64"}
WORST = 0.02  # of the difference's length to what Triton's has
# Of a launch; one that is a parameter of the kernel, too, is both.
OPTIONS = {"num_warps", "num_stages", "num_ctas", "maxnreg"}


class Unknown(Exception):
    """An argument that this tool cannot pass to tern."""


# ---- a launch as tern takes it ----

def literal(value):
    """A constant of a signature."""
    if isinstance(value, tl.constexpr):
        value = value.value
    if isinstance(value, str):
        return json.dumps(value)
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, tl.dtype):
        return str(value)
    if isinstance(value, torch.dtype):
        return TYPES[value]
    if isinstance(value, (tuple, list)):
        return "(" + "".join(literal(x) + ", " for x in value) + ")"
    raise Unknown(f"a constant of {type(value).__name__}")


def argument(value, special=True):
    """The text of a signature, and the values that are passed. special: Triton looks whether it is
    1, or a multiple of 16."""
    if isinstance(value, torch.Tensor):
        divisible = special and value.data_ptr() % 16 == 0
        return "*" + TYPES[value.dtype] + (":16" if divisible else ""), [value]
    if value is None or isinstance(value, tl.constexpr):
        return literal(value), []
    if isinstance(value, bool):
        return "i1", [int(value)]
    if isinstance(value, numbers.Integral):
        value = int(value)
        name = "i32" if -2**31 <= value < 2**31 else "i64"
        what = ":1" if value == 1 else ":16" if value % 16 == 0 else ""
        return name + (what if special else ""), [value]
    if isinstance(value, numbers.Real):
        return "fp32", [float(value)]
    if isinstance(value, tuple):
        parts = [argument(x) for x in value]
        return "(" + ", ".join(p for p, _ in parts) + ")", [x for _, xs in parts for x in xs]
    if type(value).__name__ == "TensorDescriptor":
        shape = ",".join(map(str, value.block_shape))
        whole = value.shape[-1] * value.base.element_size() % 16 == 0
        return (f"tensordesc<{TYPES[value.base.dtype]}[{shape}]{':16' if whole else ''}>",
                [value.base, *map(int, value.shape), *map(int, value.strides[:-1])])
    raise Unknown(f"an argument of {type(value).__name__}")


def plain(value):
    """FlagGems' view of a tensor, as the tensor that it is; one that runs backwards stays."""
    if type(value).__name__ != "StridedBuffer" or min(value.stride(), default=0) < 0:
        return value
    base = value.unwrap()
    skipped = value.data_ptr() - base.data_ptr()
    begin = base.storage_offset() * base.element_size() + skipped
    return torch.empty(0, dtype=value.dtype, device=base.device).set_(
        base.untyped_storage(), begin // value.dtype.itemsize, value.shape, value.stride())


def copied(bound):
    """The arguments on memory of their own, shared as the originals share it."""
    made = {}

    def copy(value):
        if isinstance(value, torch.Tensor):
            storage = value.untyped_storage()
            if storage.data_ptr() not in made:
                made[storage.data_ptr()] = storage.clone()
            return torch.empty(0, dtype=value.dtype, device=value.device).set_(
                made[storage.data_ptr()], value.storage_offset(), value.size(), value.stride())
        if isinstance(value, tuple):
            return tuple(copy(x) for x in value)
        if type(value).__name__ == "TensorDescriptor":
            return type(value)(copy(value.base), value.shape, value.strides, value.block_shape)
        return value

    return {name: copy(value) for name, value in bound.items()}


def tensors(bound):
    for value in bound.values():
        value = getattr(value, "base", value) if type(value).__name__ == "TensorDescriptor" else value
        if isinstance(value, torch.Tensor):
            yield value


def distance(mine, theirs):
    """Of floats the largest relative distance as vectors, of others whether any differs."""
    worst = 0.0
    for a, b in zip(tensors(mine), tensors(theirs)):
        if not a.is_floating_point():
            worst = max(worst, float((a != b).any()))
            continue
        a, b = a.float(), b.float()
        if bool((torch.isnan(a) != torch.isnan(b)).any()):
            return math.inf
        good = torch.isfinite(a) & torch.isfinite(b)
        worst = max(worst, float((a - b)[good].norm() / b[good].norm().clamp_min(1e-30)))
    return worst


# ---- one kernel ----

def compiled(tern, function, signature, options):
    """The kernel; where the text alone does not tell what a name of the module is, Python does."""
    path, told = function.fn.__code__.co_filename, set()
    while True:
        try:
            return tern.compile(path, function.fn.__qualname__, signature,
                                num_warps=options.get("num_warps") or 4,
                                num_stages=options.get("num_stages") or 3)
        except tern_ctypes.TernError as error:
            name = re.search(r"the value of '(\w+)', bound on line|'(\w+)' is not defined", str(error))
            name = name and (name.group(1) or name.group(2))
            if not name or name in told or name not in function.fn.__globals__:
                raise
            value = function.fn.__globals__[name]
            if isinstance(value, JITFunction):
                code = value.fn.__code__
                text = f"{code.co_filename}:{code.co_name}@{code.co_firstlineno}"
            else:
                text = literal(value)
            told.add(name)
            tern.set_global(path, name, text)


class Versus:
    def __init__(self, options):
        self.options, self.rows, self.seen = options, [], set()
        self.step, self.busy, self.began = "", False, time.time()
        self.wanted = []  # of an autotuner's config: {"BLOCK_M": 128, "num_warps": 8}
        self.out = open(options.out, "a") if options.out else None
        folders = [os.path.expanduser(suite.partition("=")[2]) for suite in options.suites]
        folders = [os.path.join(folder, inside) for folder in folders for inside in ("src", "")]
        self.terns = [tern_ctypes.Tern(path, "cuda", include_dirs=folders) for path in options.lib]
        for tern in self.terns:
            tern.adopt_stream(torch.cuda.current_stream().cuda_stream)
        self.flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
        self.run, self.tune = JITFunction.run, Autotuner.run

    def times(self, calls):
        """Medians in us; the calls take turns, the first one at another one each time."""
        events = [[] for _ in calls]
        for index in range(self.options.samples + 2):
            for k in range(len(calls)):
                which = (k + index) % len(calls)
                begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                self.flush.zero_()
                torch.cuda._sleep(20000)  # what the host takes for the launch is hidden
                begin.record()
                calls[which]()
                end.record()
                events[which].append((begin, end))
            if index % 8 == 7:
                torch.cuda.synchronize()
        torch.cuda.synchronize()
        return [statistics.median(b.elapsed_time(e) * 1e3 for b, e in each[2:]) for each in events]

    def launcher(self, tern, function, names, bound, grid, options):
        constants = {p.name for p in function.params if p.is_constexpr}
        special = {p.name: not p.do_not_specialize for p in function.params}
        signature = [literal(bound[n]) if n in constants else argument(bound[n], special[n])[0]
                     for n in names]
        kernel = compiled(tern, function, ",".join(signature), options)
        values = [x for i, n in enumerate(names)
                  if n not in constants and not tern.is_constant(kernel, i)
                  for x in argument(bound[n])[1]]
        return tern.launcher(kernel, grid, values), kernel

    def compare(self, function, bound, options, grid):
        names = [p.name for p in function.params]
        theirs = copied(bound)
        calls, kernels, mine = [], [], []
        for tern in self.terns:
            mine.append(copied(bound))
            call, kernel = self.launcher(tern, function, names, mine[-1], grid, options)
            calls.append(call), kernels.append(kernel)

        def triton_call():
            named = {n: theirs[n] for n in names}
            self.run(function, grid=tuple(grid), warmup=False, **{**named, **options})

        for call in calls + [triton_call]:
            call()
        torch.cuda.synchronize()
        far = [distance(m, theirs) for m in mine]
        facts = self.terns[0].text(kernels[0], tern_ctypes.STAGE_FACTS)
        row = {"far": far, "dots": "product of" in facts,
               "units": [line.split(": ", 1)[1] for line in facts.splitlines()
                         if line.startswith("product of") and ": " in line]}
        if self.options.one_memory:
            calls = [self.launcher(tern, function, names, theirs, grid, options)[0]
                     for tern in self.terns]
        if self.options.samples:
            *us, row["triton"] = self.times(calls + [triton_call])
            row["tern"] = us
        return row

    def judge(self, function, bound, options, grid):
        row = {"step": self.step, "kernel": function.fn.__qualname__, "grid": grid,
               "options": {k: v for k, v in options.items() if k.startswith("num_")}}
        self.busy = True
        try:
            row.update(self.compare(function, bound, options, grid))
        except Unknown as error:
            row["skipped"] = str(error)
        except tern_ctypes.TernError as error:
            row["refused"] = str(error)[:300]
        except Exception as error:  # a program's own, or no memory: the others go on
            row["error"] = repr(error)[:300]
        finally:
            self.busy = False
        self.rows.append(row)
        if self.out:
            self.out.write(json.dumps(row, default=str) + "\n")
            self.out.flush()
        print(line_of(row), flush=True)

    # ---- Triton's launches ----

    def launched(self, function, args, grid, warmup, kwargs):
        if self.busy or warmup:
            return self.run(function, *args, grid=grid, warmup=warmup, **kwargs)
        names = [p.name for p in function.params]
        bound, options = dict(zip(names, args)), {}
        for name, value in kwargs.items():
            if name in names:
                bound[name] = value
            if name not in names or name in OPTIONS:
                options[name] = value
        for p in function.params:
            if p.name not in bound and p.has_default:
                bound[p.name] = p.default
        bound = {name: plain(value) for name, value in bound.items()}
        constants = [(p.name, repr(bound.get(p.name))) for p in function.params if p.is_constexpr]
        key = (self.step, function.fn.__qualname__, str(constants), str(sorted(options.items(), key=str)))
        if key not in self.seen:
            self.seen.add(key)
            places = grid(bound) if callable(grid) else grid
            places = [int(x) for x in (places if isinstance(places, (tuple, list)) else [places])]
            self.judge(function, bound, options, places)
        return self.run(function, *args, grid=grid, warmup=warmup, **kwargs)

    def tuned(self, tuner, args, kwargs):
        """With one config only, so that nothing is tuned."""
        every = tuner.configs
        tuner.nargs = dict(zip(tuner.arg_names, args))
        left = tuner.prune_configs(kwargs) if len(every) > 1 else every
        for wanted in self.wanted:
            fit = [c for c in left if all({**c.kwargs, **vars(c)}.get(k) == v for k, v in wanted.items())]
            if fit:
                left = fit
                break
        try:
            tuner.configs = [left[len(left) // 2]]
            return self.tune(tuner, *args, **kwargs)
        finally:
            tuner.configs = every

    def hook(self):
        me = self
        JITFunction.run = lambda self, *args, grid, warmup, **kwargs: me.launched(
            self, args, grid, warmup, kwargs)
        Autotuner.run = lambda self, *args, **kwargs: me.tuned(self, args, kwargs)

    def call(self, name, function):
        """A step of a suite."""
        only = self.options.only
        if only and not any(word in name for word in only):
            return
        if time.time() - self.began > self.options.limit:
            print("no time:", name)
            return
        self.step = name
        torch.manual_seed(0)  # the same numbers whatever other steps there are
        try:
            function()
            torch.cuda.synchronize()
        except Exception as error:  # the program's own
            print(f"{name}: {repr(error)[:300]}")
        torch.cuda.empty_cache()


# ---- reports ----

def line_of(row):
    text = f"{row['step']:<34} {row['kernel']:<44} "
    for word in ("skipped", "refused", "error"):
        if word in row:
            return f"{text}{word}: {row[word].splitlines()[0] if row[word] else ''}"
    far = " ".join(f"{x:.1e}" for x in row["far"])
    if "tern" not in row:
        return f"{text}far {far}  {row['options']}"
    us = " ".join(f"{x:9.1f}" for x in row["tern"])
    ratio = " ".join(f"{x / row['triton']:.3f}" for x in row["tern"])
    return f"{text}tern {us}  triton {row['triton']:9.1f} us  {ratio}  far {far}  {row['options']}"


def summary(rows, libraries):
    good = [r for r in rows if "tern" in r]
    for what, some in (("with products", [r for r in good if r["dots"]]),
                       ("without", [r for r in good if not r["dots"]]), ("all", good)):
        if not some:
            continue
        for k in range(libraries):
            ratios = sorted(r["tern"][k] / r["triton"] for r in some)
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f"{what}, library {k}: {len(ratios)} kernels, geometric mean {mean:.3f}, "
                  f"above 1.05: {sum(x > 1.05 for x in ratios)}, worst {ratios[-1]:.2f}")
    for word in ("skipped", "refused", "error"):
        count = sum(word in r for r in rows)
        if count:
            print(f"{word}: {count}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lib", action="append")
    parser.add_argument("--only", action="append")
    parser.add_argument("--out")
    parser.add_argument("--samples", type=int, default=24)
    parser.add_argument("--limit", type=float, default=1e9)
    parser.add_argument("--one-memory", action="store_true")
    parser.add_argument("suites", nargs="+", metavar="SUITE=FOLDER")
    options = parser.parse_args()
    options.lib = options.lib or [os.path.join(ROOT, "build", "libtern.so")]
    versus = Versus(options)
    print(versus.terns[0].description(), "torch", torch.__version__, "triton", triton.__version__)
    versus.hook()
    for suite in options.suites:
        name, _, folder = suite.partition("=")
        versus_suites.SUITES[name](versus, os.path.expanduser(folder))
    summary(versus.rows, len(options.lib))
    return any(x > WORST for r in versus.rows for x in r.get("far", []))


if __name__ == "__main__":
    sys.exit(main())
