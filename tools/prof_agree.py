#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tern's profiles against torch.profiler: the same kernels in one run, by both.

    tools/prof_agree.py [--library build/libtern.so] [--size 2048] [--rounds 5]

CUPTI serves one at a time, and torch.profiler keeps it: tern comes first. a + b and a @ b of PyTorch,
and tern's kernels on the same tensors, 40 calls a round. Prints both tables of the last round, the
kernels' mean times, and exits 1 when the medians over the rounds differ by over 2 %.
"""
import argparse
import csv
import ctypes as C
import io
import os
import statistics
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import tern_ctypes  # noqa: E402

try:
    import torch
    from torch.profiler import ProfilerActivity, profile
except ImportError as error:
    sys.exit(f"prof_agree: {error}; needs PyTorch")

CALLS, OWN, TORCH, CSV = 40, 0, 1, 2


class TableOptions(C.Structure):
    _fields_ = [("size", C.c_size_t), ("style", C.c_int), ("sort_by", C.c_char_p), ("row_limit", C.c_int),
                ("max_name_column_width", C.c_int), ("group_by_shape", C.c_bool), ("group_by_stack", C.c_int),
                ("time_unit", C.c_int), ("top_level_only", C.c_bool)]


class Profiles:
    def __init__(self, tern):
        self.tern, lib = tern, tern.lib
        for name, result, arguments in [
            ("tern_profile_start", C.c_void_p, [C.c_void_p, C.c_void_p]),
            ("tern_profile_stop", C.c_int, [C.c_void_p]), ("tern_profile_free", None, [C.c_void_p]),
            ("tern_profile_table", C.c_void_p, [C.c_void_p, C.POINTER(TableOptions)]),
            ("tern_free", None, [C.c_void_p]),
        ]:
            function = getattr(lib, name)
            function.restype, function.argtypes = result, arguments

    def table(self, handle, style):
        options = TableOptions(size=C.sizeof(TableOptions), style=style, row_limit=8,
                               sort_by=b"self_cuda_time_total" if style == TORCH else None)
        text = self.tern.lib.tern_profile_table(handle, C.byref(options))
        words = C.string_at(text).decode(errors="replace")
        self.tern.lib.tern_free(text)
        return words

    def run(self, call):
        """The kernels' mean times in us, and both tables."""
        lib = self.tern.lib
        handle = lib.tern_profile_start(self.tern.context, None) or self.tern.fail()
        for _ in range(CALLS):
            call()
        torch.cuda.synchronize()
        if lib.tern_profile_stop(handle):
            self.tern.fail()
        rows = csv.DictReader(io.StringIO(self.table(handle, CSV)))
        times = {}
        for row in rows:
            side, count = row["side"], int(row["calls"])
            if side == "device" and count == CALLS:
                times[row["name"]] = int(row["self_device_ns"]) / count / 1e3
        tables = self.table(handle, TORCH), self.table(handle, OWN)
        lib.tern_profile_free(handle)
        return times, tables


def by_torch(call):
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as seen:
        for _ in range(CALLS):
            call()
        torch.cuda.synchronize()
    times = {}
    for row in seen.key_averages():
        if row.device_type == torch.autograd.DeviceType.CUDA and row.count == CALLS:
            times[row.key] = row.self_device_time_total / row.count
    return times, seen.key_averages().table(sort_by="self_cuda_time_total", row_limit=8)


def cases(tern, size):
    a, b = (torch.rand(size, size, device="cuda") for _ in range(2))
    out = torch.empty_like(a)
    tern.adopt_stream(torch.cuda.current_stream().cuda_stream)
    kernels = os.path.join(ROOT, "kernels")
    add = tern.compile(os.path.join(kernels, "vector_add.py"), "vector_add_kernel", "*fp32:16,*fp32:16,*fp32:16,i32:16,1024")
    yield "torch: a + b", lambda: torch.add(a, b, out=out)
    yield "torch: a @ b", lambda: torch.matmul(a, b, out=out)
    yield "tern: a + b", tern.launcher(add, [size * size // 1024], [a, b, out, size * size])
    matmul = tern.compile(os.path.join(kernels, "matmul.py"), "matmul_kernel",
                          "*fp16:16,*fp16:16,*fp32:16," + "i32:16," * 4 + "1,i32:16,1,i32:16,1,128,128,64,8", num_warps=8)
    half_a, half_b = a.half(), b.half()
    yield "tern: a @ b, f16", tern.launcher(
        matmul, [(size // 128) ** 2], [half_a, half_b, out, size, size, size, size, size, size])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", default="build/libtern.so")
    parser.add_argument("--size", type=int, default=2048)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    tern = tern_ctypes.Tern(args.library, "cuda")
    profiles, worst, rows = Profiles(tern), 0, []
    runs, ours, theirs, tables = list(cases(tern, args.size)), {}, {}, {}
    for name, call in runs:
        for _ in range(20):
            call()
        torch.cuda.synchronize()
        ours[name] = []
        for _ in range(args.rounds):
            times, tables[name] = profiles.run(call)
            ours[name].append(max(times.values(), default=0))
    for name, call in runs:
        theirs[name] = []
        for _ in range(args.rounds):
            times, torch_table = by_torch(call)
            theirs[name].append(max(times.values(), default=0))
        print(f"\n==== {name}, torch.profiler's table\n{torch_table}\n==== {name}, tern's\n" + "\n".join(tables[name]))
    for name, _ in runs:
        a, b = statistics.median(ours[name]), statistics.median(theirs[name])
        difference = a / b - 1 if a and b else float("nan")
        worst = max(worst, abs(difference)) if difference == difference else float("inf")
        rows.append(f"{name:<18} {a:>10.3f} {b:>10.3f} {100 * difference:>+7.2f} %   "
                    f"{min(ours[name]):.3f} .. {max(ours[name]):.3f}, {min(theirs[name]):.3f} .. {max(theirs[name]):.3f}")
    print(f"\n{'kernel':<18} {'tern us':>10} {'torch us':>10}")
    print("\n".join(rows))
    print(f"largest difference {100 * worst:.2f} %")
    return worst > 0.02


if __name__ == "__main__":
    sys.exit(main())
