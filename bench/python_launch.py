# SPDX-License-Identifier: Apache-2.0
"""What a launch from Python costs, in nanoseconds, beside Triton's own binder and key: an empty kernel
of three tensors and two integers on the cpu device, one program. The least of 20 rounds of 20,000.

    PYTHONPATH=build/python python3 bench/python_launch.py      (needs torch; Triton for its rows)
"""
import os
import tempfile
import time

import torch

import tern

SOURCE = '''
import triton
import triton.language as tl


@triton.jit
def empty(a, b, c, n, m, BLOCK: tl.constexpr):
    pass
'''


def nanoseconds(call, count=20000, rounds=20):
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter_ns()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter_ns() - start) / count)
    return best


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "empty_kernel.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        a, b, c = (torch.zeros(64) for _ in range(3))
        kernel = tern.jit(f"{path}:empty", context=tern.context("cpu", num_threads=1))
        call, grid = kernel.prepare((1,), a, b, c, 100, 3, BLOCK=1024), (1,)
        bound = kernel[grid]
        rows = [("an empty Python function", lambda: None),
                ("a prepared call", call.launch),
                ("bound(a, b, c, n, m, BLOCK=1024)", lambda: bound(a, b, c, 100, 3, BLOCK=1024)),
                ("kernel[grid](a, b, c, n, m, BLOCK=1024)",
                 lambda: kernel[grid](a, b, c, 100, 3, BLOCK=1024))]
        try:
            rows += triton_rows(path, a, b, c)
        except ImportError:
            print("(no Triton here)")
        for name, run in rows:
            run()
            print(f"{nanoseconds(run):8.0f} ns  {name}")


def triton_rows(path, a, b, c):
    import importlib.util
    from triton.backends.compiler import BaseBackend
    from triton.runtime.jit import compute_cache_key, create_function_from_signature
    spec = importlib.util.spec_from_file_location("empty_kernel", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel, keys = module.empty, {}
    binder = create_function_from_signature(kernel.signature, kernel.params, BaseBackend)

    def bind():
        _, specialization, options = binder(a, b, c, 100, 3, BLOCK=1024)
        compute_cache_key(keys, specialization, options)

    tern.as_triton("cpu")
    return [("Triton's binder and key alone", bind),
            ("as_triton: kernel[grid](a, b, c, n, m, BLOCK=1024)",
             lambda: kernel[(1,)](a, b, c, 100, 3, BLOCK=1024))]


main()
