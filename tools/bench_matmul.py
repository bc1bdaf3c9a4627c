#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Matrix products (kernels/matmul.py, f16 and bf16) on an NVIDIA GPU: first are they right, for odd
sizes, both layouts of b and 1 to 5 stages, against float64; then how fast, beside cuBLAS (PyTorch)
and Triton with the same file and the same settings.

    tools/bench_matmul.py [--lib build/libtern.so] [--samples N] [--sizes 1024,4096] [--only-check]

The implementations take turns sample by sample; the L2 cache is overwritten before each. TFLOP/s of
the median, as text: one line a size, then one for each setting.
"""
import argparse
import importlib.util
import os
import statistics
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import tern_ctypes  # noqa: E402

try:
    import torch
except ImportError:
    sys.exit("bench_matmul: needs PyTorch")
try:
    import triton
except ImportError:
    triton = None

KERNEL = os.path.join(ROOT, "kernels", "matmul.py")
# BM, BN, BK, warps, stages
SETTINGS = [(128, 256, 64, 8, 3), (128, 128, 64, 4, 4), (128, 128, 64, 8, 4), (64, 128, 64, 4, 4),
            (64, 256, 64, 4, 4), (64, 128, 64, 8, 8)]
TYPES = {torch.float16: "fp16", torch.bfloat16: "bf16"}
GROUP = 8
# Clocks that the GPU waits before a call is timed, so that it is queued by then: no host time is counted.
HEAD_START = 400_000


def integer(value):
    return "1" if value == 1 else "i32:16" if value % 16 == 0 else "i32"


def product(tern, a, b, c, setting):
    """A callable that makes c = a @ b."""
    bm, bn, bk, warps, stages = setting
    (m, k), n = a.shape, b.shape[1]
    numbers = [m, n, k, *a.stride(), *b.stride(), *c.stride()]
    signature = ",".join([f"*{TYPES[a.dtype]}:16"] * 3 + [integer(x) for x in numbers] +
                         [str(bm), str(bn), str(bk), str(GROUP)])
    kernel = tern.compile(KERNEL, "matmul_kernel", signature, num_warps=warps, num_stages=stages)
    grid = [-(-m // bm) * -(-n // bn)]
    return tern.launcher(kernel, grid, [a, b, c] + [x for x in numbers if x != 1])


def tritons(jit, a, b, c, setting):
    bm, bn, bk, warps, stages = setting
    (m, k), n = a.shape, b.shape[1]
    grid = (-(-m // bm) * -(-n // bn),)
    return lambda: jit[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), BM=bm, BN=bn,
                             BK=bk, GROUP=GROUP, num_warps=warps, num_stages=stages)


def matrices(m, n, k, dtype, transposed):
    there = max(k, 16)  # so that a and b are somewhere where k is 0
    a = torch.randn((m, there), device="cuda", dtype=dtype)[:, :k]
    b = torch.randn((n, there) if transposed else (there, n), device="cuda", dtype=dtype)
    b = b[:, :k].t() if transposed else b[:k]
    return a, b, torch.full((m, n), 7.0, device="cuda", dtype=dtype)


def check(tern):
    wrong = count = 0
    for dtype in TYPES:
        for transposed in (False, True):
            for index, (m, n, k) in enumerate([(150, 208, 16), (64, 64, 48), (513, 400, 1040),
                                               (300, 272, 0), (1000, 1008, 4096)]):
                for setting in SETTINGS[index % 2::2] + [(32, 32, 32, 2, 3), (64, 64, 16, 4, 3)]:
                    for stages in range(1, 6):
                        a, b, c = matrices(m, n, k, dtype, transposed)
                        product(tern, a, b, c, setting[:4] + (stages,))()
                        want = a.double() @ b.double()
                        torch.cuda.synchronize()
                        bound = 0.02 if dtype == torch.bfloat16 else 0.003
                        error = (c.double() - want).abs().max().item() / (k ** 0.5 + 1)
                        count += 1
                        if not error <= bound:
                            wrong += 1
                            print("wrong:", TYPES[dtype], (m, n, k), transposed, setting, stages, error)
    print(f"{count} products, {wrong} wrong")
    return wrong


def times(calls, samples, flush):
    """Medians in ms, by name."""
    taken = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(samples):
        for name, call in calls.items():
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            flush.zero_()
            torch.cuda._sleep(HEAD_START)
            begin.record()
            call()
            end.record()
            torch.cuda.synchronize()
            taken[name].append(begin.elapsed_time(end))
    return {name: statistics.median(each) for name, each in taken.items()}


def bench(tern, jit, size, transposed, samples, flush):
    a, b, c = matrices(size, size, size, torch.float16, transposed)
    calls = {("cublas", None): lambda: torch.matmul(a, b, out=c)}
    for setting in SETTINGS:
        calls["tern", setting] = product(tern, a, b, c, setting)
        if jit is not None:
            calls["triton", setting] = tritons(jit, a, b, c, setting)
    speed = {name: 2e-9 * size ** 3 / ms for name, ms in times(calls, samples, flush).items()}
    best = {who: max(v for (w, _), v in speed.items() if w == who) for who in {w for w, _ in speed}}
    print(f"{size} {'tn' if transposed else 'nn'}: " +
          ", ".join(f"{who} {value:.0f}" for who, value in sorted(best.items())))
    for setting in SETTINGS:
        print("  %dx%dx%d w%d s%d:" % setting,
              ", ".join(f"{w} {v:.0f}" for (w, s), v in speed.items() if s == setting))
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lib", default=os.path.join(ROOT, "build", "libtern.so"))
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--sizes", default="1024,2048,4096,8192")
    parser.add_argument("--only-check", action="store_true")
    options = parser.parse_args()
    tern = tern_ctypes.Tern(options.lib, "cuda")
    tern.adopt_stream(torch.cuda.current_stream().cuda_stream)
    print(tern.description(), "torch", torch.__version__, "triton",
          triton.__version__ if triton else "none")
    wrong = check(tern)
    if wrong or options.only_check:
        return wrong > 0
    jit = None
    if triton:
        spec = importlib.util.spec_from_file_location("matmul", KERNEL)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        jit = module.matmul_kernel
    flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    for transposed in (False, True):
        for size in map(int, options.sizes.split(",")):
            bench(tern, jit, size, transposed, options.samples, flush)
    return 0


if __name__ == "__main__":
    sys.exit(main())
