#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tern build of several kernels by a file, as libraries, of CUDA C, and as operators of PyTorch.
. test/cli/lib.sh
# shellcheck disable=SC2086
TERN=$(realpath "$TERN")
have() { command -v "$1" >/dev/null 2>&1; }
have cc || { skip 20 'no C compiler'; finish; }
out=$work/out

# ---- several, all or none ----
cat >"$work/ship" <<END
# two kernels
kernels/softmax.py --name softmax --require 'columns <= BLOCK' --sig "*{fp32,fp16}:16?,*{0}:16?,i32:16?,i32:16?,i32:16?,{1024,4096}"

kernels/vector_add.py --name add --sig '*fp32,*fp32,*fp32,i32,256' --lib static # of this one
END
"$TERN" build --from "$work/ship" -o "$out" --target cpu:generic --lib shared >"$work/list" 2>&1
check 'both are built' test $? = 0
for file in softmax.c softmax.h libsoftmax.so add.c add.json libadd.a libadd.so; do
    check "$file is said, and there" sh -c 'grep -qxF "$0" "$1" && test -s "$0"' "$out/$file" "$work/list"
done
check 'nothing else lies about' test "$(find "$out" -type f | wc -l)" = "$(wc -l <"$work/list")"
cc -std=gnu11 -O1 -I"$out" test/build/softmax.c -o "$work/softmax" -L"$out" -lsoftmax -pthread -ldl -lm
check 'the shared one works' env LD_LIBRARY_PATH="$out" "$work/softmax"
check 'only its names are seen' sh -c "nm -D --defined-only '$out/libsoftmax.so' | grep -qv ' softmax_'; [ \$? = 1 ]"
cat >"$work/add.c" <<'END'
#include "add.h"
int main(void) {
    float x[300], y[300], out[300];
    for (int i = 0; i < 300; i++) x[i] = (float)i, y[i] = (float)i / 2;
    if (add(NULL, 2, x, y, out, 300)) return 1;
    for (int i = 0; i < 300; i++)
        if (out[i] != (float)i * 1.5f) return 2;
    return 0;
}
END
cc -std=c11 -I"$out" "$work/add.c" "$out/libadd.a" -o "$work/add" -pthread -ldl -lm
check 'the static one works' "$work/add"
sed 's/BLOCK/BLOK/' "$work/ship" >"$work/wrong"
exits 2 'wrong:2: nothing is written' "$TERN" build --from "$work/wrong" -o "$work/none"
sed 's/--sig .*fp32,i32/--sig "*fp99/' "$work/ship" >"$work/wrong"
exits 2 'a quote is not closed' "$TERN" build --from "$work/wrong" -o "$work/none"
printf '%s\n' "$(sed -n 4p "$work/ship")" "$(sed -n 4p "$work/ship")" >"$work/wrong"
exits 2 "none/add is another line's: --name" "$TERN" build --from "$work/wrong" -o "$work/none" --target cpu:generic
check 'nothing is there' test ! -e "$work/none"
exits 2 'no FILE beside it' "$TERN" build --from "$work/ship" kernels/softmax.py
exits 2 'none.txt:' "$TERN" build --from "$work/none.txt"
exits 2 'expected static or shared' "$TERN" build kernels/vector_add.py --sig '*fp32,*fp32,*fp32,i32,256' --lib dynamic
exits 2 'has no NAME.c' "$TERN" build kernels/vector_add.py --sig '*fp32,*fp32,*fp32,i32,256' --lib shared --header-only
exits 4 '/nowhere/cc: No such file' env TERN_CC=/nowhere/cc "$TERN" build kernels/vector_add.py --sig '*fp32,*fp32,*fp32,i32,256' -o "$work/cc" --lib static

# ---- CUDA C ----
cat >"$work/k.cu" <<'END'
__device__ int counter;
__global__ void reversed(const float *x, float *y, int n) {
    __shared__ float part[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] * 2 : 0;
    __syncthreads();
    if (i < n) y[i] = part[blockDim.x - 1 - threadIdx.x];
}
__global__ void counts() { atomicAdd(&counter, 1); }
END
check 'CUDA C is built' "$TERN" build "$work/k.cu:reversed" --block 64 -o "$work/cu"
check 'for GPUs, too' grep -q '"sm_90a"' "$work/cu/reversed.json"
cat >"$work/reversed.c" <<'END'
#include "reversed.h"
int main(void) {
    float x[128], y[128];
    for (int i = 0; i < 128; i++) x[i] = (float)i;
    if (reversed(NULL, 2, x, y, 128)) return 1;
    for (int i = 0; i < 128; i++)
        if (y[i] != x[i / 64 * 64 + 63 - i % 64] * 2) return 2;
    return 0;
}
END
check 'a C compiler takes it' cc -std=c11 -Wall -Wextra -Wpedantic -Werror -O1 -I"$work/cu" "$work/reversed.c" "$work/cu/reversed.c" -o "$work/reversed" -pthread -ldl -lm
# Its arrays are the host's: not on a GPU that is here.
check 'it computes what CUDA does' env REVERSED_LIBCUDA=/nonexistent "$work/reversed"
if have g++; then
    rm "$work/reversed"
    check 'so does g++ alone' g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -O1 -I"$work/cu" -x c++ "$work/reversed.c" "$work/cu/reversed.c" -o "$work/reversed" -pthread -ldl -lm
    check 'with the same results' env REVERSED_LIBCUDA=/nonexistent "$work/reversed"
else
    skip 2 'no g++'
fi
exits 3 'a variable outside of its functions' "$TERN" build "$work/k.cu:counts" --block 64 -o "$work/cu"
exits 2 "function 'none'" "$TERN" build "$work/k.cu:none" --block 64 -o "$work/cu"

# ---- PyTorch ----
python=${TORCH_PYTHON:-python3}
check 'operators are written' "$TERN" build kernels/softmax.py --name softmax -o "$work/torch" --torch --require 'columns <= BLOCK' \
    --sig '*{fp32,fp16}:16?,*{0}:16?,i32:16?,i32:16?,i32:16?,{1024,4096}' --lib static
printf '%s\n' 'import triton' 'import triton.language as tl' '@triton.jit' 'def same(x, y):' '    tl.store(y, tl.load(x))' >"$work/same.py"
exits 2 'no tensors of fp8e4b15' "$TERN" build "$work/same.py" -o "$work/none" --torch --sig '*fp8e4b15,*fp8e4b15' --target cpu:generic
if have g++ && "$python" -c 'import torch' 2>/dev/null; then
    cat >"$work/use.py" <<'END'
import os, subprocess, sys, sysconfig
import torch
from torch.utils.cpp_extension import include_paths, library_paths
where = sys.argv[1]
subprocess.run(["g++", "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-Wl,-z,nodelete", f"{where}/softmax_torch.cpp",
                f"{where}/libsoftmax.a", "-o", f"{where}/softmax_torch.so", f"-I{where}",
                f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}"]
               + [f"-isystem{p}" for p in include_paths()] + [f"-L{p}" for p in library_paths()]
               + ["-ltorch", "-ltorch_cpu", "-lc10", "-pthread", "-ldl", "-lm"], check=True)
torch.ops.load_library(f"{where}/softmax_torch.so")
x = torch.randn(7, 900)
y = torch.empty(7, 900)
softmax = torch.ops.softmax.softmax_fp32
softmax(7, x, y, 900, 900, 900, 1024)
assert torch.allclose(y, torch.softmax(x, 1), atol=1e-6)
half = torch.empty(7, 900, dtype=torch.float16)
torch.ops.softmax.softmax_fp16(7, x.half(), half, 900, 900, 900, 1024)
assert torch.allclose(half.float(), torch.softmax(x, 1), atol=1e-3)
def fails(words, *args):
    try:
        softmax(*args)
    except RuntimeError as e:
        assert words in str(e), e
    else:
        raise AssertionError(words)
fails("x_ptr is Half, expected Float", 7, x.half(), y, 900, 900, 900, 1024)
fails("needs columns <= BLOCK", 7, x, y, 900, 900, 1100, 1024)
fails("columns is 4294967296: the kernel has no room", 7, x, y, 900, 900, 1 << 32, 1024)
fails("grid_x is -1", -1, x, y, 900, 900, 900, 1024)
schema = str(softmax.default._schema)
assert "Tensor x_ptr, Tensor(t0!) out_ptr" in schema, schema
softmax(7, x.to("meta"), y.to("meta"), 900, 900, 900, 1024)
END
    check 'PyTorch takes them' "$python" "$work/use.py" "$work/torch"
else
    skip 1 'no PyTorch with a C++ compiler'
fi
finish
