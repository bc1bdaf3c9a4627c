#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Matrix products of other types than f16 on an NVIDIA GPU, the text for sm_80, and what compiling takes.

    tools/bench_products.py [--lib build/libtern.so] [--samples N] [--size 4096] [--only types,sm80,compile]

types: kernels/matmul.py in bf16, i8, e4m3 and f32 as tf32, b row-major (nn) and transposed (tn), beside
cuBLAS (PyTorch) and Triton with the same file and settings; of i8 the sums are int32 in both.
sm80: the text for sm_80 on this GPU, tern's and Triton's, both loaded by the driver.
compile: milliseconds from source to PTX (our part), the median of several.

The implementations take turns, the L2 cache is overwritten before each sample. TFLOP/s of medians. Each
product is compared with float64 first: exit code 1 where one is wrong."""
import argparse
import ctypes
import importlib.util
import os
import re
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bench_matmul  # noqa: E402
import tern_ctypes  # noqa: E402
import torch  # noqa: E402
import triton  # noqa: E402

TYPES = {torch.bfloat16: ("bf16", 64), torch.int8: ("i8", 128), torch.float8_e4m3fn: ("fp8e4nv", 128),
         torch.float32: ("fp32", 32), torch.float16: ("fp16", 64), torch.int32: ("i32", 0)}
BOUND = {torch.float8_e4m3fn: 0.08}  # of the difference's length; the result is f16


class Wrong(Exception):
    pass


def kernel_of(dtype):
    """The file, and the function as Triton's."""
    path = bench_matmul.KERNEL
    if dtype is torch.int8:
        with open(path) as file:
            text = file.read().replace("tl.float32", "tl.int32")
        text = text.replace("input_precision=PRECISION)", "out_dtype=tl.int32)")
        path = os.path.join(tempfile.mkdtemp(), "matmul.py")
        with open(path, "w") as file:
            file.write(text)
    spec = importlib.util.spec_from_file_location("matmul_" + str(dtype)[6:], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return path, module.matmul_kernel


def matrices(size, dtype, transposed):
    shape = (size, size)
    if dtype is torch.int8:
        a, b = (torch.randint(-8, 8, shape, device="cuda", dtype=dtype) for _ in range(2))
    else:
        a, b = (torch.randn(shape, device="cuda").to(dtype) for _ in range(2))
    out = {torch.int8: torch.int32, torch.float8_e4m3fn: torch.float16}.get(dtype, dtype)
    return a, b.t() if transposed else b, torch.empty(shape, device="cuda", dtype=out)


def numbers(a, b, c):
    return [a.shape[0], b.shape[1], a.shape[1], *a.stride(), *b.stride(), *c.stride()]


def signature(a, b, c, setting):
    bm, bn, bk, _, _ = setting
    precision = '"tf32"' if a.dtype is torch.float32 else '"ieee"'
    return ",".join([f"*{TYPES[x.dtype][0]}:16" for x in (a, b, c)] +
                    [bench_matmul.integer(x) for x in numbers(a, b, c)] + [str(bm), str(bn), str(bk), "8", precision])


def grid_of(c, setting):
    return -(-c.shape[0] // setting[0]) * -(-c.shape[1] // setting[1])


def tern_call(tern, path, a, b, c, setting):
    kernel = tern.compile(path, "matmul_kernel", signature(a, b, c, setting), num_warps=setting[3],
                          num_stages=setting[4])
    return tern.launcher(kernel, [grid_of(c, setting)], [a, b, c] + [x for x in numbers(a, b, c) if x != 1])


def triton_call(jit, a, b, c, setting):
    bm, bn, bk, warps, stages = setting
    precision = "tf32" if a.dtype is torch.float32 else "ieee"
    return lambda: jit[(grid_of(c, setting),)](a, b, c, *numbers(a, b, c), BM=bm, BN=bn, BK=bk, GROUP=8,
                                               PRECISION=precision, num_warps=warps, num_stages=stages)


def cublas_call(a, b, c):
    if a.dtype is torch.int8:
        return lambda: torch._int_mm(a, b)
    if a.dtype is torch.float8_e4m3fn:
        one = torch.ones((), device="cuda")
        return lambda: torch._scaled_mm(a, b, one, one, out_dtype=torch.float16)
    peer = torch.empty_like(c)
    return lambda: torch.matmul(a, b, out=peer)


def check(name, call, a, b, c):
    c.zero_()
    call()
    want = a[:64].double() @ b.double()
    far = float((c[:64].double() - want).norm() / want.norm())
    if not far <= BOUND.get(a.dtype, 0.01):
        print("wrong:", name, far)
        raise Wrong


def report(title, calls, settings, size, options, flush):
    speed = {n: 2e-9 * size ** 3 / ms for n, ms in bench_matmul.times(calls, options.samples, flush).items()}
    print(title + (f": cublas {speed['cublas', None]:.1f}" if ("cublas", None) in speed else ":"))
    for setting in settings:
        row = [f"{who} {value:.1f}" for (who, s), value in speed.items() if s == setting]
        print("  %dx%dx%d w%d s%d:" % setting, ", ".join(row) or "none")
    sys.stdout.flush()


def attempt(calls, name, make):
    try:
        call = make()
        call()
        torch.cuda.synchronize()
        calls[name] = call
    except Exception as error:  # a peer that does not take the type
        print(name, str(error).strip().splitlines()[-1][:100] if str(error).strip() else repr(error))


def types(tern, options, flush):
    torch.backends.cuda.matmul.allow_tf32 = True
    for dtype in (torch.bfloat16, torch.int8, torch.float8_e4m3fn, torch.float32):
        path, jit = kernel_of(dtype)
        bk = TYPES[dtype][1]
        settings = [(128, 256, bk, 8, 3), (128, 128, bk, 4, 4), (128, 128, bk // 2, 4, 4)]
        for transposed in (False, True):
            a, b, c = matrices(options.size, dtype, transposed)
            calls = {}
            if transposed or dtype.itemsize > 1:
                attempt(calls, ("cublas", None), lambda: cublas_call(a, b, c))
            for s in settings:
                attempt(calls, ("tern", s), lambda: tern_call(tern, path, a, b, c, s))
                if ("tern", s) in calls:
                    check(f"{dtype} {s}", calls["tern", s], a, b, c)
                attempt(calls, ("triton", s), lambda: triton_call(jit, a, b, c, s))
            report(f"{str(dtype)[6:]} {'tn' if transposed else 'nn'} {options.size}", calls, settings,
                   options.size, options, flush)


# ---- the text for sm_80 ----

def driver(ptx, shared, grid, threads, values):
    cuda, module, function = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_void_p()
    name = re.search(r"\.entry\s+(\w+)", ptx).group(1)

    def asked(status):
        if status:
            raise RuntimeError(f"the driver says {status}")

    asked(cuda.cuModuleLoadData(ctypes.byref(module), ptx.encode() + b"\0"))
    asked(cuda.cuModuleGetFunction(ctypes.byref(function), module, name.encode()))
    asked(cuda.cuFuncSetAttribute(function, 8, shared))  # dynamic shared memory
    cells = [ctypes.c_uint64(x.data_ptr()) if hasattr(x, "data_ptr") else ctypes.c_uint64(0) if x is None
             else ctypes.c_int32(x) for x in values]
    array = (ctypes.c_void_p * len(cells))(*[ctypes.cast(ctypes.pointer(x), ctypes.c_void_p) for x in cells])
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    return lambda cells=cells: asked(cuda.cuLaunchKernel(function, grid, 1, 1, threads, 1, 1, shared, stream, array, None))


def tern_sm80(tern, a, b, c, setting):
    kernel = tern.compile(bench_matmul.KERNEL, "matmul_kernel", signature(a, b, c, setting),
                          num_warps=setting[3], num_stages=setting[4], target="sm_80")
    shared = re.search(r"shared memory: (\d+)", tern.text(kernel, tern_ctypes.STAGE_FACTS))
    return driver(tern.text(kernel, tern_ctypes.STAGE_PTX), int(shared.group(1)), grid_of(c, setting),
                  32 * setting[3], [a, b, c] + [x for x in numbers(a, b, c) if x != 1])


def triton_sm80(jit, a, b, c, setting):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    values, types_, constants, attributes = [a, b, c] + numbers(a, b, c), {}, {}, {}
    given = dict(zip(("BM", "BN", "BK"), setting), GROUP=8, PRECISION="ieee")
    for i, p in enumerate(jit.params):
        value = values[i] if i < len(values) else given[p.name]
        constant = i >= len(values) or (not hasattr(value, "data_ptr") and value == 1)
        types_[p.name] = "constexpr" if constant else "*fp16" if hasattr(value, "data_ptr") else "i32"
        if constant:
            constants[(i,)] = value
        else:
            attributes[(i,)] = [["tt.divisibility", 16]]
    made = triton.compile(ASTSource(jit, types_, constants, attributes), target=GPUTarget("cuda", 80, 32),
                          options={"num_warps": setting[3], "num_stages": setting[4]})
    ptx = made.asm["ptx"]
    passed = [x for x in values if hasattr(x, "data_ptr") or x != 1]
    scratch = ptx.split(".entry")[1].split(")")[0].count(".param") - len(passed)
    return driver(ptx, made.metadata.shared, grid_of(c, setting), 32 * setting[3], passed + [None] * scratch)


def sm80(tern, options, flush):
    _, jit = kernel_of(torch.float16)
    settings = [(128, 128, 64, 4, 3), (128, 128, 32, 4, 4), (128, 256, 32, 8, 3)]
    a, b, c = matrices(options.size, torch.float16, False)
    calls = {}
    for s in settings:
        attempt(calls, ("tern", s), lambda: tern_sm80(tern, a, b, c, s))
        if ("tern", s) in calls:
            check(f"sm_80 {s}", calls["tern", s], a, b, c)
        attempt(calls, ("triton", s), lambda: triton_sm80(jit, a, b, c, s))
    report(f"text for sm_80, float16 nn {options.size}", calls, settings, options.size, options, flush)


# ---- compiling ----

def compiling(options):
    """Our part: from source to PTX, without ptxas."""
    tern = tern_ctypes.Tern(options.lib, "interp")
    a, b, c = matrices(256, torch.float16, False)
    for setting in bench_matmul.SETTINGS:
        taken = []
        for _ in range(9):
            module = tern.module(bench_matmul.KERNEL, fresh=True)
            began = time.perf_counter()
            kernel = tern.compile(bench_matmul.KERNEL, "matmul_kernel", signature(a, b, c, setting),
                                  num_warps=setting[3], num_stages=setting[4], target="sm_90a", module=module)
            assert tern.text(kernel, tern_ctypes.STAGE_PTX)
            taken.append(1e3 * (time.perf_counter() - began))
        print("compile %dx%dx%d w%d s%d:" % setting, f"{statistics.median(taken):.2f} ms to PTX")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lib", default=os.path.join(bench_matmul.ROOT, "build", "libtern.so"))
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--only", default="types,sm80,compile")
    options = parser.parse_args()
    tern = tern_ctypes.Tern(options.lib, "cuda")
    tern.adopt_stream(torch.cuda.current_stream().cuda_stream)
    print(tern.description(), "torch", torch.__version__, "triton", triton.__version__)
    flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    only = options.only.split(",")
    try:
        if "types" in only:
            types(tern, options, flush)
        if "sm80" in only:
            sm80(tern, options, flush)
    except Wrong:
        return 1
    if "compile" in only:
        compiling(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
