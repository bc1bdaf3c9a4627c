#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cuda_suite: CUDA C kernels on every device against references in NumPy.

    cuda_suite.py MANIFEST SOURCES [--device D].. [--builder nvrtc] [--only WORD].. [--jobs N]
                  [--tern PATH] [-v]

MANIFEST is a Python file, or a folder of them. --builder: the kernels are compiled with NVIDIA's library. It calls what is given to it:

    case("reduce.cu:block_sum", grid, block, dict(x=x, out=empty(1), n=100), dict(out=x.sum()))

for each kernel: the file below SOURCES and the kernel as `tern run` takes them, the grid and the
block, the arguments by name (arrays of NumPy, which the kernel may write, numbers, `empty(shape,
dtype)`, of which the kernel writes all, `zeros(..)`, `bf16(array)`), and what some of them hold
afterwards, computed in float64. `normal(*shape, dtype=)` draws numbers, with `random` of NumPy;
`wide` makes them float64; `near(array)` rounds them as bfloat16, `low(arguments, *those that stay)`
gives them so. `tol=` is the error allowed, of the value plus the mean of all of
them; else 2e-5, 4e-3 for halves, and none for integers; `shared=` are the bytes of dynamic shared
memory, `only=` the devices that can run it. `refused=WORDS` says that tern refuses the kernel with
these words, `finds=dict(sim=WORDS)` that a device stops it with them, where the others give what is
wanted. A file that is not below SOURCES is skipped. The last line counts the launches that passed,
failed and were skipped."""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile
from collections import Counter

import numpy as np

TYPES = {"float16": "f16", "float32": "f32", "float64": "f64", "uint8": "u8", "int8": "i8", "int16": "i16",
         "int32": "i32", "int64": "i64", "uint32": "u32", "uint16": "u16", "uint64": "u64", "bool": "i1"}


class Made:
    """A tensor that the command makes: words of its dtype, or of an array as bfloat16."""

    def __init__(self, how, shape=None, dtype=np.float32, array=None):
        self.how, self.array = how, array
        self.shape = shape if isinstance(shape, tuple) else (shape,)
        self.dtype = dtype if isinstance(dtype, str) else TYPES[np.dtype(dtype).name]

    def text(self, folder, name):
        if self.array is None:
            return f"{self.how}({','.join(map(str, self.shape))},{self.dtype})"
        np.save(f"{folder}/{name}.npy", self.array)
        return f'load("{folder}/{name}.npy",bf16)'


def wide(array):
    return np.asarray(array).astype(np.float64)


def near(array):
    """The bfloat16 next to each number: the same in float32."""
    bits = array.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32)


def low(args, *floats):
    """Arguments with bfloat16 in float32's place, but those named."""
    def one(value):
        if isinstance(value, Made):
            return Made(value.how, value.shape, "bf16") if value.dtype == "f32" else value
        is_single = isinstance(value, np.ndarray) and value.dtype == np.float32
        return Made("load", dtype="bf16", array=value) if is_single else value
    return {name: value if name in floats else one(value) for name, value in args.items()}


class Case:
    def __init__(self, kernel, grid, block, args, want, tol=None, shared=0, only=None, refused=None,
                 finds=None):
        self.file, self.kernel = kernel.split(":", 1)
        self.grid, self.block, self.args, self.want = grid, block, args, want
        self.tol, self.shared, self.only = tol, shared, only
        self.refused, self.finds = refused, finds or {}

    def name(self):
        return f"{self.file}:{self.kernel}"

    def command(self, tern, sources, device, folder):
        words = [tern, "run", f"{sources}/{self.name()}", "--device", device, "-q",
                 "--grid", ",".join(map(str, np.atleast_1d(self.grid))),
                 "--block", ",".join(map(str, np.atleast_1d(self.block)))]
        words += ["--shared", str(self.shared)] if self.shared else []
        for name, value in self.args.items():
            if isinstance(value, np.ndarray):
                np.save(f"{folder}/{name}.npy", value)
                value = f"@{folder}/{name}.npy"
            elif isinstance(value, Made):
                value = value.text(folder, name)
            words += ["-a", f"{name}={value}"]
        for name in self.want:
            words += ["-o", f"{name}={folder}/{name}.out.npy"]
        return words

    def difference(self, folder):
        """What is wrong with what the kernel wrote; None: nothing."""
        for name, want in self.want.items():
            got = np.load(f"{folder}/{name}.out.npy").ravel()
            if getattr(self.args[name], "dtype", None) == "bf16":
                got = (got.astype(np.uint32) << 16).view(np.float32)
            want = np.asarray(want).ravel()
            if got.size != want.size:
                return f"{name} has {got.size} elements, not {want.size}"
            if got.dtype.kind in "iub":
                wrong = got.astype(object) != want.astype(object)
            else:
                tol = self.tol if self.tol is not None else 4e-3 if got.dtype == np.float16 else 2e-5
                scale = np.abs(want) + np.abs(want[np.isfinite(want)]).mean()
                with np.errstate(invalid="ignore"):
                    wrong = ~((got == want) | (np.abs(got.astype(np.float64) - want) <= tol * scale))
            if wrong.any():
                i = int(np.argmax(wrong))
                return f"{name}[{i}] is {got[i]}, not {want[i]}; {wrong.sum()} of {wrong.size} are wrong"
        return None


def first_words(text):
    """The first error, without the place of the sources."""
    lines = [line for line in text.splitlines() if "error" in line or "not supported" in line]
    return (lines or text.splitlines() or ["nothing said"])[0].strip()[-300:]


def run(case, options, device):
    """(outcome, words) of a case on a device; outcome: ok, failed or skipped."""
    if case.only and device.split(":")[0] not in case.only:
        return "skipped", f"for {' and '.join(case.only)} alone"
    if not os.path.exists(f"{options.sources}/{case.file}"):
        return "skipped", "the file is not there"
    with tempfile.TemporaryDirectory() as folder:
        command = case.command(options.tern, options.sources, device, folder)
        command += ["--builder", options.builder] if options.builder else []
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=options.limit)
        except subprocess.TimeoutExpired:
            return "failed", f"still running after {options.limit} s"
        said = done.stderr + done.stdout
        stopped = case.refused or case.finds.get(device.split(":")[0])
        if stopped:
            is_named = done.returncode == (3 if case.refused else 1) and stopped in said
            return ("ok", "") if is_named else ("failed", f"not stopped as it is to be: {first_words(said)}")
        if done.returncode:
            return "failed", f"exit code {done.returncode}: {first_words(said)}"
        words = case.difference(folder)
        return ("failed", words) if words else ("ok", "")


def read_manifest(path):
    cases = []
    with open(path) as file:
        code = compile(file.read(), path, "exec")
    random = np.random.default_rng(7)
    exec(code, {"np": np, "case": lambda *a, **k: cases.append(Case(*a, **k)), "random": random,
                "normal": lambda *shape, dtype=np.float32: random.standard_normal(shape).astype(dtype),
                "wide": wide, "near": near, "low": low,
                "empty": lambda shape, dtype=np.float32: Made("empty", shape, dtype),
                "zeros": lambda shape, dtype=np.float32: Made("zeros", shape, dtype),
                "bf16": lambda array: Made("load", dtype="bf16", array=array)})
    return cases


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("manifest")
    parser.add_argument("sources")
    parser.add_argument("--device", action="append")
    parser.add_argument("--builder")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--tern", default=os.environ.get("TERN", "build/tern"))
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("-v", action="store_true", dest="verbose")
    options = parser.parse_args()
    devices = options.device or ["interp", "cpu", "sim"]
    files = [options.manifest]
    if os.path.isdir(options.manifest):
        files = [f"{options.manifest}/{name}" for name in sorted(os.listdir(options.manifest)) if name.endswith(".py")]
    cases = [c for file in files for c in read_manifest(file) if all(word in c.name() for word in options.only)]
    counts = {device: Counter() for device in devices}
    wrong = set()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = [(c, d, pool.submit(run, c, options, d)) for c in cases for d in devices]
        for case, device, job in jobs:
            outcome, words = job.result()
            counts[device][outcome] += 1
            if outcome == "failed":
                wrong.add(case)
            if outcome == "failed" or options.verbose:
                print(f"{outcome} {device} {case.name()} {words}", flush=True)
    for device in devices:
        print(f"{device}: {', '.join(f'{n} {outcome}' for outcome, n in sorted(counts[device].items()))}")
    print(f"{len(cases)} kernels, {len(cases) - len(wrong)} right wherever they ran")
    total = sum(counts.values(), Counter())
    print(f"{total['ok']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 1 if total["failed"] or not total["ok"] else 0


if __name__ == "__main__":
    sys.exit(main())
