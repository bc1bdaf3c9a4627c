#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tern_do_bench against triton.testing.do_bench: the same tern kernel on the same tensors.

    tools/bench_agree.py [--library build/libtern.so]

Prints both medians for kernels of about 10 us to 10 ms and exits 1 when they differ by over 3 %.
"""
import argparse
import ctypes as C
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import tern_ctypes  # noqa: E402

try:
    import torch
    from triton.testing import do_bench
except ImportError as error:
    sys.exit(f"bench_agree: {error}; needs PyTorch and Triton")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", default="build/libtern.so")
    tern = tern_ctypes.Tern(parser.parse_args().library, "cuda")
    run_type = C.CFUNCTYPE(C.c_int, C.c_void_p, C.c_void_p)
    timer = tern.lib.tern_do_bench
    timer.argtypes = [C.c_void_p, run_type, C.c_void_p, C.c_double, C.c_double,
                      C.POINTER(C.c_double), C.c_int, C.c_int, C.POINTER(C.c_double)]
    path = os.path.join(ROOT, "kernels", "vector_add.py")
    kernel = tern.compile(path, "vector_add_kernel", "*fp32:16,*fp32:16,*fp32:16,i32:16,1024")
    worst = 0
    print(f"{'n':>11} {'tern ms':>10} {'triton ms':>10} {'ratio':>7}")
    for exponent in (20, 22, 24, 26, 28, 30):
        n = 1 << exponent
        x, y, out = (torch.rand(n, device="cuda") for _ in range(3))
        tern.stream = None
        own = tern.launcher(kernel, [n // 1024], [x, y, out, n])
        tern.adopt_stream(torch.cuda.current_stream().cuda_stream)
        shared = tern.launcher(kernel, [n // 1024], [x, y, out, n])

        def run(user, stream, call=own):
            call()
            return 0

        theirs, ours = [], []
        result = C.c_double()
        half = (C.c_double * 1)(0.5)
        for _ in range(5):
            if timer(tern.context, run_type(run), None, 25, 100, half, 1, 0, C.byref(result)):
                tern.fail()
            ours.append(result.value)
            theirs.append(do_bench(shared, warmup=25, rep=100, quantiles=[0.5]))
        a, b = sorted(ours)[2], sorted(theirs)[2]
        worst = max(worst, abs(a / b - 1))
        print(f"{n:>11} {a:>10.5f} {b:>10.5f} {a / b:>7.4f}")
    print(f"largest difference {100 * worst:.2f} %")
    return worst > 0.03


if __name__ == "__main__":
    sys.exit(main())
