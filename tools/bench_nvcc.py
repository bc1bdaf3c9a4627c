#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench_nvcc: tern's PTX of bench/cuda_gpu.cu beside that of nvcc -O3, on the GPU there is.

    bench_nvcc.py [--tern PATH] [--nvcc PATH] [--turns N] [--only WORD] [--check]

Both texts of a kernel are loaded by the driver and launched in turns (A B, B A), five launches a
turn, on the same data, timed by events; medians of the turns and of their ratios. The answers are
compared. --check: the PTX is made and nothing runs. Exit code 1: answers differ, or a ratio is
above 1.03."""
import argparse
import array
import ctypes
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = HERE + "/bench/cuda_gpu.cu"
N, SIDE, PRODUCT = 1 << 24, 4096, 1024
LAUNCHES, BOUND, TOLERANCE = 5, 1.03, 1e-4

# kernel: grid, block, floats in, floats out, numbers; two inputs where the product is
KERNELS = {
    "gelu": ((N // 256, 1), (256, 1), 1, N, [N]),
    "square": ((SIDE // 16, SIDE // 16), (16, 16), 1, N, [SIDE, SIDE]),
    "reduce_tree": ((1056, 1), (256, 1), 1, 1056, [N]),
    "reduce_warp": ((1056, 1), (256, 1), 1, 1056, [N]),
    "transpose": ((SIDE // 32, SIDE // 32), (32, 8), 1, N, [SIDE]),
    "matmul_tiled": ((PRODUCT // 16, PRODUCT // 16), (16, 16), 2, PRODUCT * PRODUCT, [PRODUCT]),
    "sgemm": ((PRODUCT // 128, PRODUCT // 128), (256, 1), 2, PRODUCT * PRODUCT, [PRODUCT]),
    "histogram": ((1056, 1), (256, 1), 1, 256, [N]),
    "scan": ((N // 256, 1), (256, 1), 1, N, [N]),
}


def ptx_of_tern(tern, kernel, block, arch):
    command = [tern, "show", f"{SOURCE}:{kernel}", "--block", ",".join(map(str, block)), "--stage", "ptx", "--target", arch]
    return subprocess.run(command, check=True, capture_output=True).stdout


def ptx_of_nvcc(nvcc, arch, folder):
    subprocess.run([nvcc, "-O3", "-ptx", f"-arch={arch}", SOURCE, "-o", folder + "/nvcc.ptx"], check=True)
    with open(folder + "/nvcc.ptx", "rb") as file:
        return file.read()


class Driver:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context, word = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", name, 100, device)
        self.call("cuDeviceGetAttribute", ctypes.byref(word), 75, device)
        self.arch, self.name = f"sm_{word.value}0", name.value.decode()
        if word.value == 9:
            self.arch = "sm_90a"

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code:
            raise SystemExit(f"bench_nvcc: {name}: error {code}")

    def memory(self, bytes_):
        at = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(bytes_))
        return at

    def function(self, text, kernel):
        module, function, word = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
        self.call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(text))
        self.call("cuModuleGetFunction", ctypes.byref(function), module, kernel.encode())
        facts = []
        for attribute in (4, 3):  # registers, bytes of local memory
            self.call("cuFuncGetAttribute", ctypes.byref(word), attribute, function)
            facts.append(word.value)
        return function, facts

    def launches(self, function, grid, block, words, count):
        pointers = (ctypes.c_void_p * len(words))(*[ctypes.cast(ctypes.byref(w), ctypes.c_void_p) for w in words])
        for _ in range(count):
            self.call("cuLaunchKernel", function, *grid, 1, *block, 1, 0, None, pointers, None)

    def microseconds(self, *launch):
        events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in events:
            self.call("cuEventCreate", ctypes.byref(event), 0)
        self.call("cuEventRecord", events[0], None)
        self.launches(*launch, LAUNCHES)
        self.call("cuEventRecord", events[1], None)
        self.call("cuEventSynchronize", events[1])
        time = ctypes.c_float()
        self.call("cuEventElapsedTime", ctypes.byref(time), *events)
        for event in events:
            self.call("cuEventDestroy_v2", event)
        return time.value * 1e3 / LAUNCHES


def answers(driver, launch, out, count, kind):
    driver.call("cuMemsetD32_v2", out, 0, ctypes.c_size_t(count))
    driver.launches(*launch, 1)
    words = array.array(kind, bytes(4 * count))
    driver.call("cuMemcpyDtoH_v2", ctypes.c_void_p(words.buffer_info()[0]), out, ctypes.c_size_t(4 * count))
    return words


def compared(a, b):
    if a.tobytes() == b.tobytes():
        return True, "bits equal"
    most, scale = max(abs(x - y) for x, y in zip(a, b)), max(abs(x) for x in b)
    return most <= TOLERANCE * scale, f"max difference {most:.3g} of {scale:.3g}"


def one(driver, kernel, texts, turns, inputs, out):
    grid, block, num_inputs, count, numbers = KERNELS[kernel]
    words = [inputs] + ([ctypes.c_uint64(inputs.value + 4 * PRODUCT * PRODUCT)] if num_inputs == 2 else []) + [out]
    words += [ctypes.c_int(n) for n in numbers]
    made = [driver.function(text, kernel) for text in texts]
    sides = [(function, grid, block, words) for function, _ in made]
    kind = "I" if kernel == "histogram" else "f"
    right, said = compared(*[answers(driver, side, out, count, kind) for side in sides])
    times = [[], []]
    for turn in range(turns):
        for side in (0, 1) if turn % 2 == 0 else (1, 0):
            times[side].append(driver.microseconds(*sides[side]))
    ratio = statistics.median(a / b for a, b in zip(*times))
    facts = " ".join(f"{r}/{l}" for _, (r, l) in made)
    a, b = map(statistics.median, times)
    print(f"{kernel:<14} {a:9.2f} {b:9.2f}  {ratio:.3f}  {facts:<14} {said}", flush=True)
    return right and ratio <= BOUND


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tern", default=os.environ.get("TERN", HERE + "/build/tern"))
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--turns", type=int, default=41)
    parser.add_argument("--only", default="")
    parser.add_argument("--check", action="store_true")
    o = parser.parse_args()
    driver = None if o.check else Driver()
    arch = driver.arch if driver else "sm_90a"
    with tempfile.TemporaryDirectory() as folder:
        theirs = ptx_of_nvcc(o.nvcc, arch, folder)
    ours = {k: ptx_of_tern(o.tern, k, KERNELS[k][1], arch) for k in KERNELS if o.only in k}
    for kernel, text in ours.items():
        if not re.search(rb"\.entry\s+" + kernel.encode(), text):
            sys.exit(f"bench_nvcc: no entry '{kernel}' in tern's PTX")
    if o.check:
        return print(f"{len(ours)} kernels compiled by both") or 0
    print(f"{driver.name}, {o.turns} turns of {LAUNCHES} launches; registers/bytes of local memory a thread")
    print("kernel           us tern   us nvcc  ratio  tern nvcc      answers")
    draw = random.Random(7)
    some = array.array("f", [draw.uniform(-2, 2) for _ in range(1 << 16)])
    inputs, out = driver.memory(4 * N), driver.memory(4 * N)
    for at in range(0, 4 * N, 4 << 16):
        driver.call("cuMemcpyHtoD_v2", ctypes.c_uint64(inputs.value + at), ctypes.c_void_p(some.buffer_info()[0]),
                    ctypes.c_size_t(4 << 16))
    return 0 if all([one(driver, k, (ours[k], theirs), o.turns, inputs, out) for k in ours]) else 1


if __name__ == "__main__":
    sys.exit(main())
