# SPDX-License-Identifier: Apache-2.0
# Whole CUDA programs: their host's side is evaluated, their kernels run on each device that needs no
# GPU. What C++ alone says is what a C++ compiler makes of the same text.
. test/cli/lib.sh
for device in cpu interp sim; do
    exits 0 'sum 189718.0, wanted 189718.0: PASSED' "$TERN" exec --device $device test/cuda/programs/vectors.cu
    exits 0 'sum 6485.0, wanted 6485.0: PASSED' "$TERN" exec --device $device test/cuda/programs/vectors.cu -- 100
    for name in boxes collectives special; do
        exits 0 'PASSED' "$TERN" exec --device $device test/cuda/programs/$name.cu
    done
    exits 0 'no error, 5000' "$TERN" exec --device $device test/cuda/programs/counts.cu -- 5000
    exits 1 'the launch timed out and was terminated, 0' "$TERN" exec --device $device --timeout 300 test/cuda/programs/counts.cu
    exits 7 '7 13 1' "$TERN" exec --device $device test/cuda/programs/defined.cu -D REAL=double -D N=7 -DSAY -D 'TWICE(x)=((x) * 2)'
    exits 0 'PASSED' "$TERN" exec --device $device test/cuda/programs/objects.cu
done
for device in cpu interp sim cuda; do
    TERN_CUDA_DRIVER=$BUILD/test/mock/libcuda_mock.so
    [ -e "$TERN_CUDA_DRIVER" ] || [ $device != cuda ] || { skip 2 'no mock of a driver'; continue; }
    export TERN_CUDA_DRIVER
    exits 4 '49 50000, 0 2 99000, 9' "$TERN" exec --device $device test/cuda/programs/shared.cu
    case $device in # the mock has 1 GiB
    cuda) memory='1073741824 bytes, 1 1, 67108864 taken' ;;
    *) memory="$(($(getconf _PHYS_PAGES) * $(getconf PAGESIZE))) bytes, 1 1, " ;;
    esac
    exits 0 "$memory" "$TERN" exec --device $device test/cuda/programs/memory.cu
    unset TERN_CUDA_DRIVER
done
exits 0 'cudaErrorInvalidConfiguration, then no error' "$TERN" exec --device sim test/cuda/programs/objects.cu

# same NAME CODE ARGUMENT..: a program in C++ alone prints what a compiler makes of it.
same() {
    name=$1 code=$2
    shift 2
    cp "test/cuda/programs/$name.cpp" "$work/$name.cu"
    "$TERN" exec --device interp "$work/$name.cu" -- "$@" >"$work/got"
    check "the exit code is that of main of $name" test $? = "$code"
    if command -v g++ >"$work/.out"; then
        check "a C++ compiler takes $name" g++ -w -o "$work/$name" "test/cuda/programs/$name.cpp"
        "$work/$name" "$@" >"$work/want"
        check "$name as a C++ compiler has it" diff "$work/want" "$work/got"
    else
        skip 2 'no g++'
    fi
}
same plain 7
same random 0
same library 3 -a -b 5 -ab7 -c -x -abc -- rest -b

# A program of several files.
mkdir "$work/below"
printf '#pragma once\n#define SIDE 3\nint sum(int, int);\nint launched(int);\n' >"$work/all.h"
printf '#include <cstdio>\n#include "all.h"\nint main(int argc, char **argv) { printf("%%d %%d\\n", sum(argc, 5), launched(7)); return SIDE; }\n' >"$work/first.cu"
printf '#include "all.h"\nint sum(int a, int b) { return a + b; }\n' >"$work/sum.cpp"
printf '#include "../all.h"\n__global__ void k(int *p, int x) { *p = x * SIDE; }\nint launched(int x) { int *p, q; cudaMalloc(&p, 4); k<<<1, 1>>>(p, x); cudaMemcpy(&q, p, 4, cudaMemcpyDeviceToHost); return q; }\n' >"$work/below/k.cu"
exits 3 '7 21' "$TERN" exec --device sim "$work/first.cu" --with "$work/sum.cpp" --with "$work/below/k.cu" -- more
exits 3 "the function 'launched', whose body is not in this file" "$TERN" exec --device sim "$work/first.cu" --with "$work/sum.cpp"
exits 2 "none.cpp' cannot be read" "$TERN" exec --device sim "$work/first.cu" --with "$work/none.cpp"
exits 2 'in the folder of the first one, or below it' "$TERN" exec --device sim "$work/below/k.cu" --with "$work/sum.cpp"
exits 2 'of a FILE.cu alone' "$TERN" exec x.py --with "$work/sum.cpp"

# program CODE WORDS: main is what follows; nothing may come of it before it is refused.
program() {
    { echo '#include <cstdio>'
      echo '#include <vector>'
      echo '__global__ void one(int *p, int n) { p[threadIdx.x] = n; }'
      echo '__global__ void odd(int *p, int n) { throw 1; }'
      echo 'int deep(int n) { return n ? deep(n - 1) : 0; }'
      echo 'int main() {'
      echo '    int n = 4, *p = (int *)malloc(4 * n), *d;'
      echo '    cudaMalloc(&d, 4 * n);'
      printf '    %s\n' "$3"
      echo '}'; } >"$work/p.cu"
    exits "$1" "$2" "$TERN" exec --device sim "$work/p.cu"
}
program 1 "p.cu:9:5: error: writes 4 bytes at byte 16 of memory of 'malloc', which has 16" 'p[n] = 1;'
program 1 "reads 4 bytes, 4 bytes before memory of 'malloc'" 'int x = p[-1]; printf("%d", x);'
program 1 "writes memory of 'malloc' that was freed" 'free(p); p[0] = 1;'
program 1 'p.cu:9:5: note: it was freed here' 'free(p); p[0] = 1;'
program 1 "'free' of memory that was freed before" 'free(p); free(p);'
program 1 "'free' of an address that no allocation gave" 'free(p + 1);'
program 1 "'free' of memory that 'new' gave" 'free(new int);'
program 1 "'delete' of what 'new[]' made" 'delete new int[3];'
program 1 'at a null pointer' 'p = nullptr; *p = 1;'
program 1 "of the variable 'a', which has 12" 'int a[3]; for (int i = 0; i <= 3; i++) a[i] = i; printf("%d", a[n - 3]);'
program 0 '7 0 0 64' 'int a[1 << 23]; a[n] = 7; static char b[1 << 25]; alignas(64) char c[1 << 25];
    printf("%d %d %d %d", a[n], b[n], (int)((size_t)c % 64), (int)(sizeof c >> 19));'
program 1 "writes 4 bytes at byte 33554432 of memory of" 'int a[1 << 23]; a[n << 21] = 7;'
program 3 'an initialised array of more than 65536 elements' 'char text[65537] = "ab";'
program 3 'a variable of 33554432 bytes with alignas(128)' 'alignas(128) char a[1 << 25];'
program 1 'index 4 of a std::vector of 4' 'std::vector<int> v(4); v[n] = 1;'
program 1 "the host reads the device's memory of 'cudaMalloc'" 'printf("%d", d[0]);'
program 1 "cudaMemcpy writes 20 bytes at byte 0 of the device's memory of 'cudaMalloc', which has 16" \
    'int q[5]; cudaMemcpy(d, q, 20, cudaMemcpyHostToDevice);'
program 1 "cudaMemcpy reads 20 bytes at byte 0 of memory of 'malloc'" 'cudaMemcpy(d, p, 20, cudaMemcpyHostToDevice);'
program 1 "cudaMemcpyDeviceToHost from 'malloc', which is the host's" 'cudaMemcpy(d, p, 16, cudaMemcpyDeviceToHost);'
program 1 "argument 1 of kernel 'one' points to the host's 'malloc'" 'one<<<1, 4>>>(p, n);'
program 1 "points to no memory that there is" 'cudaFree(d); one<<<1, 4>>>(d, n);'
program 1 'cudaFree of an address that no allocation of CUDA gave' 'cudaFree(d); cudaFree(d);'
program 1 'an event that was never made' 'cudaEvent_t e = 0; cudaEventRecord(e);'
program 1 "printf's conversion '%d' of a floating-point number" 'printf("%d", 1.5);'
program 1 'printf has more conversions than values' 'printf("%d %d", n);'
program 1 'a text in memory of' 'memset(p, 65, 16); printf("%s", (char *)p);'
program 1 'memcpy between places that overlap' 'memcpy(p, p + 1, 8);'
program 1 "assertion 'n == 5' failed" 'assert(n == 5);'
program 1 'p.cu:3:38: error' 'one<<<1, 5>>>(d, n); cudaDeviceSynchronize();'
program 1 'an illegal memory access' \
    'one<<<1, 5>>>(d, n); printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));'
program 3 "p.cu:9:19: not supported: function 'system'" 'printf("no"); system("ls");'
program 3 "help: a C++ compiler makes the host's part: --host c++" 'system("ls");'
program 3 'recursion' 'printf("no"); return deep(n);'
program 3 "p.cu:4:38: not supported: 'throw'" 'printf("no"); odd<<<1, 1>>>(d, n);'
program 3 'only a kernel has it' 'printf("no"); n = threadIdx.x; __syncthreads();'
program 2 "no function 'one' takes (int *)" 'one<<<1, 1>>>(d);'
program 2 "'<<<' without '>>>'" 'one<<<1, 1>>(d, n);'
program 2 "'deep' is launched and no kernel" 'deep<<<1, 1>>>(n);'
check 'nothing ran before it was refused' sh -c "! grep -q '^no' '$work/.out'"
exits 2 "no function 'main'" "$TERN" exec --device cpu test/cuda/shapes.cu
echo 'int exit = 5, malloc = 2; int main() { int *p = new int(exit + malloc); return *p; }' >"$work/own.cu"
check 'a text may have names of the library' sh -c '"$0" exec --device cpu "$1"; test $? = 7' "$TERN" "$work/own.cu"
exits 2 'one FILE.py or FILE.cu' "$TERN" exec
# Functions between tensors and kernels.
for device in cpu interp sim; do
    exits 0 'fp32[2, 3]' "$TERN" exec --device $device test/cuda/wrapped.cu:square -a 'matrix=full(2,3,3)'
    exits 0 '[[9, 9, 9],' "$TERN" exec --device $device test/cuda/wrapped.cu:square -a 'matrix=full(2,3,3)'
    check 'gelu' "$TERN" exec --device $device test/cuda/wrapped.cu:gelu -a 'x=randn(5,300,seed=3)' -o "$work/$device.npy"
    check 'gelu' "$TERN" run --device $device test/cuda/wrapped.cu:gelu_power --grid 2 --block 1024 \
        -a 'x=randn(5,300,seed=3)' -a 'y=empty(5,300)' -a count=1500 -o "y=$work/$device.want.npy"
    check 'what the function gives, the kernel gives' cmp "$work/$device.npy" "$work/$device.want.npy"
done
exits 1 "argument 1 is 'y'; the parameter is 'matrix" "$TERN" exec --device sim test/cuda/wrapped.cu:square -a 'y=ones(2,3)'
exits 1 'fewer than there are parameters' "$TERN" exec --device sim test/cuda/wrapped.cu:square
exits 1 'data_ptr of another type' "$TERN" exec --device sim test/cuda/wrapped.cu:square -a 'matrix=ones(2,3,f64)'
exits 3 'a tensor with gaps' "$TERN" exec --device sim test/cuda/wrapped.cu:square -a 'matrix=ones(2,3,strides=(5,1))'
exits 2 'numbers and tensors there may be' "$TERN" exec --device sim test/cuda/wrapped.cu:square -a 'matrix="x"'
exits 2 "no function 'nothing' for the host" "$TERN" exec --device sim test/cuda/wrapped.cu:nothing
finish
