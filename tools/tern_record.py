# SPDX-License-Identifier: Apache-2.0
"""Records Triton kernel launches of a running PyTorch program, for `tern replay`.

    python3 -m tern_record --out cases [--limit-mb 4] [--per-kernel 3] [--match REGEX] program.py args ..
    python3 -m tern_record --out cases -m pytest tests/test_softmax.py

or, from inside a program:

    import tern_record
    with tern_record.recording("cases", root="."):
        softmax(x)

Each launch becomes a folder NAME-HASH with case.json (function, grid, arguments) and the bytes of
every storage before (sN.in.bin) and after (sN.out.bin, where it changed) the launch; doc/replay.md
has the format. A launch whose storages exceed the limit is written as NAME-HASH-nodata: it says
only what was compiled. The same function with the same signature is recorded once.

Only launches are recorded: the source text stays in its repository, and replay takes --root.
Needs torch and triton >= 3.0, and nothing of tern.
"""

import argparse
import contextlib
import hashlib
import inspect
import json
import os
import re
import runpy
import sys
import textwrap

_state = None


class _Recorder:
    def __init__(self, out, root, limit_bytes, per_kernel, match, test_name):
        self.out, self.root = os.path.abspath(out), os.path.abspath(root)
        self.limit_bytes, self.per_kernel = limit_bytes, per_kernel
        self.match = re.compile(match) if match else None
        self.test_name = test_name
        self.seen, self.counts = set(), {}
        self.written = self.skipped = 0
        os.makedirs(self.out, exist_ok=True)

    def wants(self, function):
        name = function.__name__
        if self.match and not self.match.search(name):
            return False
        return self.counts.get(name, 0) < self.per_kernel


class _Storages:
    """The distinct storages behind the tensors of one launch, numbered s0, s1 .."""

    def __init__(self):
        self.by_pointer, self.list = {}, []

    def add(self, tensor):
        storage = tensor.untyped_storage()
        key = storage.data_ptr()
        if key not in self.by_pointer:
            self.by_pointer[key] = len(self.list)
            self.list.append(storage)
        return self.by_pointer[key], storage

    def total_bytes(self):
        return sum(storage.nbytes() for storage in self.list)

    def snapshot(self):
        import torch
        torch.cuda.synchronize()
        result = []
        for storage in self.list:
            view = torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)
            result.append(view.cpu().numpy().tobytes())
        return result


def _alignment(pointer):
    return pointer & -pointer if pointer else 1 << 30


def _tensor_entry(tensor, storages):
    index, storage = storages.add(tensor)
    return {"kind": "tensor", "dtype": str(tensor.dtype).replace("torch.", ""), "shape": list(tensor.shape),
            "strides": list(tensor.stride()), "offset": tensor.storage_offset(), "storage": f"s{index}",
            "nbytes": storage.nbytes(), "align": _alignment(tensor.data_ptr())}


def _item(value, storages):
    """In a tuple a tl.constexpr stays a constant, which nothing else says there."""
    import triton.language as tl
    entry = _entry(value, storages)
    return {"kind": "constexpr", "value": entry} if entry and isinstance(value, tl.constexpr) else entry


def _entry(value, storages):
    """One argument as it goes into case.json; None when there is no form for it."""
    import triton.language as tl
    if isinstance(value, tl.constexpr):
        return _entry(value.value, storages)
    if value is None:
        return {"kind": "none"}
    if isinstance(value, bool):
        return {"kind": "bool", "value": value}
    if isinstance(value, int):
        return {"kind": "int", "value": value if abs(value) < 1 << 63 else str(value)}
    if isinstance(value, float):
        return {"kind": "float", "value": repr(value)}
    if isinstance(value, str):
        return {"kind": "str", "value": value}
    if isinstance(value, tl.dtype):
        return {"kind": "dtype", "value": str(value)}
    if isinstance(value, (tuple, list)):
        items = [_item(item, storages) for item in value]
        names = {"names": list(value._fields)} if hasattr(value, "_fields") else {}
        return None if None in items else {"kind": "tuple", "items": items, **names}
    if hasattr(value, "untyped_storage"):
        return _tensor_entry(value, storages)
    if hasattr(value, "block_shape") and hasattr(value, "base"):
        return {"kind": "desc", "base": _tensor_entry(value.base, storages), "shape": list(value.shape),
                "strides": list(value.strides), "block_shape": list(value.block_shape),
                "padding": getattr(value, "padding", "zero")}
    if hasattr(value, "base") and hasattr(value, "dtype"):
        return {"kind": "reinterpret", "dtype": str(value.dtype), "base": _tensor_entry(value.base, storages)}
    if hasattr(value, "fn") and hasattr(value, "arg_names"):
        return {"kind": "jit", "value": value.fn.__name__}
    return None


def _globals_entry(function):
    import triton.language as tl
    result = {}
    for (name, _), (value, _) in getattr(function, "used_global_vals", {}).items():
        if isinstance(value, tl.constexpr):
            result[name] = {"kind": "constexpr", "value": _entry(value, _Storages())}
        else:
            entry = _entry(value, _Storages())
            if entry:
                result[name] = entry
    return result


def _source(function):
    """Text from `def` on, dedented, and the line of the def."""
    lines, first = inspect.getsourcelines(function.fn)
    text = textwrap.dedent("".join(lines))
    start = re.search(r"^def\s+\w+\s*\(", text, re.MULTILINE).start()
    return text[start:], first + text[:start].count("\n")


def _describe(recorder, function, args, kwargs, grid):
    storages = _Storages()
    names = list(function.arg_names)
    given = dict(zip(names, args))
    options = {key: value for key, value in kwargs.items() if key not in names}
    given.update({key: value for key, value in kwargs.items() if key in names})
    entries = []
    for parameter in function.params:
        if parameter.name not in given:
            if not parameter.has_default:
                return None
            given[parameter.name] = parameter.default
        entry = _entry(given[parameter.name], storages)
        if entry is None:
            return None
        entries.append({"name": parameter.name, "constexpr": parameter.is_constexpr, **entry})
    if callable(grid):
        grid = grid(given)
    source, line = _source(function)
    keep = ("num_warps", "num_stages", "num_ctas", "maxnreg")
    case = {"file": os.path.relpath(inspect.getsourcefile(function.fn), recorder.root), "function": function.__name__,
            "line": line, "src_sha1": hashlib.sha1(source.encode()).hexdigest(),
            "grid": [int(size) for size in grid],
            "options": {key: value for key, value in options.items() if key in keep and value is not None},
            "args": entries, "test": recorder.test_name(), "globals": _globals_entry(function)}
    return case, storages


def _signature(case):
    """What makes two launches the same case: everything but pointers and big sizes' exact bytes."""
    return hashlib.sha1(json.dumps(case, sort_keys=True).encode()).hexdigest()[:12]


def _write_case(recorder, case, before, after):
    final = os.path.join(recorder.out, case["id"])
    folder = f"{final}.part{os.getpid()}"
    os.makedirs(folder)
    changed = []
    for i, data in enumerate(before or []):
        with open(os.path.join(folder, f"s{i}.in.bin"), "wb") as file:
            file.write(data)
        if after[i] != data:
            changed.append(f"s{i}")
            with open(os.path.join(folder, f"s{i}.out.bin"), "wb") as file:
                file.write(after[i])
    if before is not None:
        case["changed"] = changed
    with open(os.path.join(folder, "case.json"), "w") as file:
        json.dump(case, file, indent=1)
    os.rename(folder, final)
    recorder.written += 1


def _compiled_entry(kernel):
    metadata = getattr(kernel, "metadata", None)
    return {key: getattr(metadata, key) for key in ("num_warps", "num_stages", "num_ctas", "shared")
            if hasattr(metadata, key)}


def _recorded_run(original):
    def run(self, *args, grid, warmup, **kwargs):
        recorder = _state
        described = None
        if recorder and not warmup and recorder.wants(self):
            described = _describe(recorder, self, args, kwargs, grid)
            if described is None:
                recorder.skipped += 1
        if not described:
            return original(self, *args, grid=grid, warmup=warmup, **kwargs)
        case, storages = described
        case["data"] = storages.total_bytes() <= recorder.limit_bytes
        signature = _signature(case)
        case["id"] = f"{case['function']}-{signature}" + ("" if case["data"] else "-nodata")
        if signature in recorder.seen or os.path.exists(os.path.join(recorder.out, case["id"])):
            return original(self, *args, grid=grid, warmup=warmup, **kwargs)
        recorder.seen.add(signature)
        recorder.counts[self.__name__] = recorder.counts.get(self.__name__, 0) + 1
        before = storages.snapshot() if case["data"] else None
        kernel = original(self, *args, grid=grid, warmup=warmup, **kwargs)
        case["compiled"] = _compiled_entry(kernel)
        _write_case(recorder, case, before, storages.snapshot() if case["data"] else None)
        return kernel

    return run


@contextlib.contextmanager
def recording(out, root=".", limit_mb=4, per_kernel=3, match=None, test_name=lambda: os.environ.get(
        "PYTEST_CURRENT_TEST", "")):
    """Records every launch inside the with block into the folder `out`."""
    global _state
    from triton.runtime.jit import JITFunction
    original = JITFunction.run
    _state = _Recorder(out, root, int(limit_mb * (1 << 20)), per_kernel, match, test_name)
    JITFunction.run = _recorded_run(original)
    try:
        yield _state
    finally:
        JITFunction.run = original
        print(f"tern_record: {_state.written} cases in {_state.out}, "
              f"{_state.skipped} launches had an argument without a recorded form", file=sys.stderr)
        _state = None


def main():
    parser = argparse.ArgumentParser(prog="tern_record", description=__doc__.split("\n")[0])
    parser.add_argument("--out", required=True, help="folder for the cases")
    parser.add_argument("--root", default=".", help="repository root: `file` in a case is relative to it")
    parser.add_argument("--limit-mb", type=float, default=4, help="most bytes kept of a launch (default 4)")
    parser.add_argument("--per-kernel", type=int, default=3, help="most cases of one function (default 3)")
    parser.add_argument("--match", help="record only functions whose name matches this pattern")
    parser.add_argument("-m", dest="module", action="store_true", help="the program is a module")
    parser.add_argument("program")
    parser.add_argument("args", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    sys.argv = [options.program] + options.args
    with recording(options.out, options.root, options.limit_mb, options.per_kernel, options.match):
        if options.module:
            runpy.run_module(options.program, run_name="__main__", alter_sys=True)
        else:
            sys.path.insert(0, os.path.dirname(os.path.abspath(options.program)))
            runpy.run_path(options.program, run_name="__main__")


if __name__ == "__main__":
    main()
