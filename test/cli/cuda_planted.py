# SPDX-License-Identifier: Apache-2.0
"""Mistakes planted into the kernels of test/cuda/kernels.cu, one at a time: `tern check` finds each, and
says of it what it is. Unchanged, nothing is found.

    cuda_planted.py TERN
"""
import json
import os
import subprocess
import sys
import tempfile

SOURCE = "test/cuda/kernels.cu"
LAUNCHES = {
    "vectorAdd": "--block 96 --grid cdiv(n,96) -x n=200 -a A=randn(n) -a B=randn(n) -a C=empty(n) -a numElements=n",
    "saxpy": "--block 64 --grid 3 -a n=700 -a a=2 -a x=randn(n) -a y=randn(n)",
    "block_sum": "--block 256 --grid cdiv(n,256) -a n=700 -a x=randn(n) -a out=zeros(1)",
    "transpose": "--block 16,16 --grid cdiv(width,16),cdiv(height,16) -a width=20 -a height=36 "
    "-a idata=randn(height,width) -a odata=empty(width,height)",
    "matmul": "--block 16,16 --grid cdiv(N,16),cdiv(M,16) -a M=20 -a N=36 -a K=24 "
    "-a A=randn(M,K) -a B=randn(K,N) -a C=empty(M,N)",
}
OUT, RACE, READ, LEFT, STOP = "out-of-bounds", "race", "uninitialised", "not-written", "stopped"

# kernel, the text and which of them from 0, what stands there instead, what is found
PLANTED = [
    ("vectorAdd", "if (i < numElements) ", 0, "", OUT),
    ("vectorAdd", "i < numElements", 0, "i <= numElements", OUT),
    ("vectorAdd", "A[i]", 0, "A[i + 1]", OUT),
    ("vectorAdd", "B[i]", 0, "B[i - 1]", OUT),
    ("vectorAdd", "C[i] =", 0, "C[i + 1] =", OUT),
    ("vectorAdd", "C[i] =", 0, "C[i / 2] =", RACE),
    ("vectorAdd", "i < numElements", 0, "i + 1 < numElements", LEFT),
    ("vectorAdd", "i < numElements", 0, "i > 0 && i < numElements", LEFT),
    ("vectorAdd", "B[i]", 0, "C[i]", READ),
    ("saxpy", "i < n;", 0, "i <= n;", OUT),
    ("saxpy", "i < n;", 0, "i < n + 3;", OUT),
    ("saxpy", "a * x[i]", 0, "a * x[i + gridDim.x]", OUT),
    ("saxpy", "y[i] = a", 0, "y[i - i % 2] = a", RACE),
    ("saxpy", "y[i] = a", 0, "y[0] = a", RACE),
    ("saxpy", "+ y[i];", 0, "+ y[n - 1 - i];", RACE),
    ("saxpy", "blockIdx.x * blockDim.x + threadIdx.x", 0, "threadIdx.x", RACE),
    ("block_sum", "i < n ? x[i] : 0", 0, "x[i]", OUT),
    ("block_sum", "i < n ?", 0, "i <= n ?", OUT),
    ("block_sum", "    __syncthreads();\n", 0, "", STOP),  # what another warp has not written is read
    ("block_sum", "s[t + k]; __syncthreads();", 0, "s[t + k];", RACE),
    ("block_sum", "if (t < k) s[t] += s[t + k]; __syncthreads();", 0,
     "if (t < k) { s[t] += s[t + k]; __syncthreads(); }", STOP),
    ("block_sum", "if (t < k)", 0, "if (t <= k)", OUT),
    ("block_sum", "s[t + k]", 0, "s[t + k + 1]", OUT),
    ("block_sum", "s[BLOCK]", 0, "s[BLOCK - 1]", OUT),
    ("block_sum", "atomicAdd(out, s[0])", 0, "*out += s[0]", RACE),
    ("block_sum", "if (t == 0) atomicAdd", 0, "if (t == 0) out[t] = 1; else atomicAdd", RACE),
    ("transpose", "if (x < width && y < height) ", 0, "", OUT),
    ("transpose", "if (x < height && y < width) ", 0, "", READ),
    ("transpose", "x < width && y < height", 0, "x < width", OUT),
    ("transpose", "y < height)", 0, "y <= height)", OUT),
    ("transpose", "    __syncthreads();\n", 0, "", RACE),
    ("transpose", "y * height + x", 0, "y * (height + 1) + x", OUT),
    ("transpose", "y * height + x", 0, "y * (height - 1) + x", RACE),
    ("transpose", "[TILE][TILE + 1]", 0, "[TILE][TILE - 1]", RACE),
    ("transpose", "tile[threadIdx.y][threadIdx.x] =", 0, "tile[threadIdx.y][threadIdx.x / 2] =", RACE),
    ("matmul", "        __syncthreads();\n", 0, "", RACE),
    ("matmul", "        __syncthreads();\n", 1, "", RACE),
    ("matmul", "row < M && a < K ?", 0, "a < K ?", OUT),
    ("matmul", "b < K && col < N ?", 0, "col < N ?", OUT),
    ("matmul", "k < TILE", 0, "k <= TILE", OUT),
    ("matmul", "if (row < M && col < N) ", 0, "", OUT),
    ("matmul", "row < M && col < N", 0, "row < M && col < N - 1", LEFT),
    ("matmul", "C[row * N + col]", 0, "C[row * N + col / 2]", RACE),
]


def of_kernel(text, kernel):
    start = text.index(f"void {kernel}(")
    end = text.find("\n}\n", start) + 3
    return start, end


def planted(text, kernel, old, which, new):
    start, end = of_kernel(text, kernel)
    at = start - 1
    for _ in range(which + 1):
        at = text.index(old, at + 1, end)
    return text[:at] + new + text[at + len(old):]


def found(tern, path, kernel):
    """The kinds of the errors, or None where check did not come to an end."""
    run = subprocess.run([tern, "check", f"{path}:{kernel}", "--json", *LAUNCHES[kernel].split()],
                         capture_output=True, text=True)
    if run.returncode > 1:
        print(f"{kernel}: exit code {run.returncode}: {run.stderr}")
        return None
    findings = json.loads(run.stdout)[0]["findings"]
    return {f["kind"] for f in findings if f["level"] == "error"}


def main():
    tern, missed = sys.argv[1], 0
    with open(SOURCE) as file:
        text = file.read()
    for kernel in LAUNCHES:
        kinds = found(tern, SOURCE, kernel)
        if kinds or kinds is None:
            print(f"{kernel}: nothing is planted, found {kinds}")
            missed += 1
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "planted.cu")
        for kernel, old, which, new, want in PLANTED:
            with open(path, "w") as file:
                file.write(planted(text, kernel, old, which, new))
            kinds = found(tern, path, kernel)
            if kinds is None or want not in kinds:
                print(f"{kernel}: '{old}' -> '{new}': wanted {want}, found {kinds}")
                missed += 1
    print(f"{len(PLANTED)} planted, {missed} not as they should be")
    return 1 if missed or len(PLANTED) < 40 else 0


sys.exit(main())
