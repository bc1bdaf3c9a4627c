# SPDX-License-Identifier: Apache-2.0
# tern exec --host c++: programs, and functions between tensors and kernels, by the C++ compiler that is
# here: the same as when they are evaluated, what evaluation refuses, and what is wrong said at its line.
. test/cli/lib.sh
export TERN_CACHE_DIR="$work/cache"
mkdir "$TERN_CACHE_DIR"
file=test/cuda/compiled.cu
export TERN device
cat >"$work/call" <<'EOF'
#!/bin/sh
function=$1
shift
exec "$TERN" exec --device "$device" --host c++ "$function" "$@"
EOF
chmod +x "$work/call"
same() { # same FUNCTION ARGUMENT: as when it is evaluated
    "$work/call" "$1" -a "$2" -o "$work/a.npy" && "$TERN" exec --device "$device" "$1" -a "$2" -o "$work/b.npy" &&
        cmp "$work/a.npy" "$work/b.npy"
}
wrong() { # wrong CODE WORDS TEXT ARGUMENT..: a file of TEXT, its function f
    code=$1 words=$2
    printf '%s\n' "$3" >"$work/wrong.cu"
    shift 3
    exits "$code" "$words" "$work/call" "$work/wrong.cu:f" "$@"
}

command -v c++ g++ clang++ >/dev/null || { skip 30 'no C++ compiler'; finish; }
for device in ${DEVICES:-cpu interp sim cuda}; do
    "$TERN" devices | grep -q "^$device[: ].*here" || { skip 5 "no $device here"; continue; }
    check "gelu on $device" same test/cuda/wrapped.cu:gelu 'x=randn(33,7)'
    check "square on $device" same test/cuda/wrapped.cu:square 'matrix=randn(17,31)'
    # 6 x + 4.5
    exits 0 '[10.5, 10.5, 10.5, 10.5, 10.5, 10.5]' "$work/call" "$file:scaled" -a 'x=ones(2,3)'
    exits 0 '[2, 2, 2, 2, 2]' "$work/call" "$file:halves" -a 'x=ones(5,f16)'
    exits 1 "argument 1 of kernel 'add' points to no memory" "$work/call" "$file:of_the_host" -a 'x=ones(4)'
done
device=interp
exits 0 '7.5' "$work/call" "$file:mean" -a 'x=ones(2,2)' -a weight=2.5 -a times=12
exits 0 'i32[2]' "$work/call" "$file:caught" -a 'x=ones(2)'
exits 0 '[1, 1, 1]' "$work/call" "$file:checked" -a 'x=ones(3)' -a n=3
exits 1 "compiled.cu:58:5: error: TORCH_CHECK(x.size(0) == n) fails: expected 4 rows, saw 3!" \
    "$work/call" "$file:checked" -a 'x=ones(3)' -a n=4
exits 1 'throws an exception that nothing catches' "$work/call" "$file:throws" -a 'x=ones(3)'
exits 1 'compiled.cu:71:5: error: the launch before has a shape' "$work/call" "$file:too_large" -a 'x=ones(3)'
exits 1 'there are 2 arguments, 1 parameters' "$work/call" "$file:throws" -a 'x=ones(3)' -a n=1
exits 1 'argument 1 is not a tensor' "$work/call" "$file:throws" -a x=1
exits 1 'argument 2 is not an integer' "$work/call" "$file:checked" -a 'x=ones(3)' -a n=2.5
exits 1 'argument 2 is not a number' "$work/call" "$file:mean" -a 'x=ones(3)' -a 'weight=ones(2)' -a times=1
exits 3 "host 'rust'" "$TERN" exec --host rust --device interp "$file:checked" -a 'x=ones(3)' -a n=3

exits 2 "there is no function 'nothing'" "$work/call" "$file:nothing"
TERN_CXX=$work/none exits 1 "no C++ compiler found (looked for $work/none)" "$work/call" "$file:caught" -a 'x=ones(2)'
wrong 1 "wrong.cu:2:37: error: '<<<' without '>>>'" '__global__ void k(int n) {}
torch::Tensor f(torch::Tensor x) { k<<<1, 2(3); return x; }' -a 'x=ones(2)'
wrong 1 'a launch of something that is no kernel' '__global__ void k(int n) {}
torch::Tensor f(torch::Tensor x) { (&k)<<<1, 2>>>(3); return x; }' -a 'x=ones(2)'
wrong 1 'a launch without arguments' '__global__ void k(int n) {}
torch::Tensor f(torch::Tensor x) { k<<<1, 2>>>; return x; }' -a 'x=ones(2)'
wrong 1 'wrong.cu:3:' '__global__ void k(int n) {}
torch::Tensor f(torch::Tensor x) {
    k<<<1, 2>>>(x); return x; }' -a 'x=ones(2)'
wrong 1 'wrong.cu:1:' 'torch::Tensor f(torch::Tensor x) { return nothing; }' -a 'x=ones(2)'
wrong 1 'points to no memory that there is' '__global__ void k(float *n) {}
torch::Tensor f(torch::Tensor x) { float a[2]; k<<<1, 2>>>(a); return x; }' -a 'x=ones(2)'
cat >"$work/results.cu" <<'END'
bool yes(float x) { return x > 1; }
half halved(float x) { return half(x / 2); }
unsigned char byte(float x) { return 200; }
double third(double x) { return x / 3; }
long large(float x) { return 1l << 40; }
float *pointer(torch::Tensor x) { return x.data_ptr<float>(); }
END
for words in 'yes 1' 'halved 1.5' 'byte 200' 'third 1' 'large 1099511627776'; do
    exits 0 "${words#* }" "$work/call" "$work/results.cu:${words% *}" -a x=3.0
done
exits 1 'a function to begin with that gives a pointer' "$work/call" "$work/results.cu:pointer" -a 'x=ones(2)'
# Programs.
cat >"$work/both" <<'END'
0 0, 0 0, 0.70711 0.70711, -1 -1
5e+30 5e+30, 0.5 0.5, 0.33333 0.33333, 0.44 0.44
0.08 0.08, 11 11, 2 2, 5 5
2.2178 2.2178, 0.17822 0.17822, 11.18 11.18, 64 64
END
for device in ${DEVICES:-cpu interp sim cuda}; do
    "$TERN" devices | grep -q "^$device[: ].*here" || { skip 16 "no $device here"; continue; }
    for name in vectors objects shared boxes collectives special; do
        "$TERN" exec --device $device test/cuda/programs/$name.cu 2>"$work/said" >"$work/want"
        code=$?
        "$TERN" exec --host c++ --device $device test/cuda/programs/$name.cu 2>"$work/said" >"$work/got"
        check "the exit code is that of $name on $device" test $? = "$code"
        check "$name on $device as when it is evaluated" diff "$work/want" "$work/got"
    done
    for host in 'evaluated' 'c++'; do
        [ $host = evaluated ] && set -- || set -- --host $host
        "$TERN" exec "$@" --device $device test/cuda/programs/both.cu >"$work/got"
        check "functions of both sides, $host, $device" diff "$work/both" "$work/got"
    done
    for arguments in '' more; do
        "$TERN" exec --host c++ --device $device test/cuda/programs/compiled.cu -- $arguments >"$work/got"
        echo "exit code $?" >>"$work/got"
        for words in 'filled 12' 'steps 24' "scaled $((298 + 8 * ${#arguments} / 4)), 8 threads" 'halves 1.5' \
            cudaErrorInvalidConfiguration 'caught invalid device ordinal' "threads $((330 + 8 * ${#arguments} / 4))" \
            "exit code $((3 * ${#arguments} / 4))"; do echo "$words"; done >"$work/want"
        check "compiled $arguments on $device" diff "$work/want" "$work/got"
    done
done
program() { # program CODE WORDS TEXT [TEXT]: main is the last TEXT, in front of it stands the first
    { echo '#include <cstdio>'
      echo '__global__ void one(int *p, int n) { p[threadIdx.x] = n; }'
      echo "${4:+$3}"
      echo 'int main() {'
      echo '    int *p, q[4];'
      echo '    cudaMalloc(&p, 16);'
      printf '    %s\n' "${4:-$3}"
      echo '}'; } >"$work/p.cu"
    exits "$1" "$2" "$TERN" exec --host c++ --device sim "$work/p.cu"
}
program 0 'here 1' 'one<<<1, 4>>>(p, 1); cudaMemcpy(q, p, 16, cudaMemcpyDeviceToHost); printf("here %d\\n", q[3]);'
program 1 'p.cu:7:5: error: cudaMemcpy writes 20 bytes at byte 0 of' 'cudaMemcpy(p, q, 20, cudaMemcpyHostToDevice);'
program 1 "p.cu:7:5: error: argument 1 of kernel 'one' points to no memory" 'one<<<1, 4>>>(q, 1);'
program 1 'cudaFree of an address that no allocation of CUDA gave' 'cudaFree(p); cudaFree(p);'
program 1 'p.cu:2:38: error' 'one<<<1, 5>>>(p, 1); cudaDeviceSynchronize();'
program 1 "p.cu:7:5: error: no __device__ or __constant__ variable 'none' here" 'int none; cudaMemcpyToSymbol(none, q, 4);'
program 1 'p.cu:7:' 'this is not C++;'
program 3 "p.cu:7:" 'cudaGraph_t graph;'
program 3 "not supported: 'cudaGraph_t' of CUDA" 'cudaGraph_t graph;'
program 3 "p.cu:3:2: not supported: host 'c++': the library of <cublas_v2.h>" '#include <cublas_v2.h>' 'return 0;'
program 3 "p.cu:3:17: not supported: host 'c++': a __managed__ variable" '__managed__ int shared;' 'return shared;'
program 3 "host 'c++': a kernel that a macro writes" '#define KERNEL(name) __global__ void name(int *p) {}
KERNEL(two)' 'two<<<1, 1>>>(p);'
for cxx in g++ clang++; do
    command -v $cxx >/dev/null || { skip 2 "no $cxx"; continue; }
    for text in 'apply<<<1, 1>>>([] {});' 'struct { void operator()() const {} } of; apply<<<1, 1>>>(of);'; do
        TERN_CXX=$cxx program 3 "what 'F' of 'apply' is, a launch does not say" 'template <typename F> __global__ void apply(F f) { f(); }' "$text"
    done
done
program 3 "the kernel 'odd' is not compiled" '__global__ void odd(int *p) { throw 1; }' 'odd<<<1, 1>>>(p);'
program 1 'a launch of what is no kernel' 'void host(int *p) {}' 'host<<<1, 1>>>(p);'
program 5 'before' 'printf("before"); exit(5);'
# A library of C that has what C23 has.
{ echo '#include <math.h>'
  echo 'extern "C" double sinpi(double) noexcept, cospi(double) noexcept, rsqrt(double) noexcept;'
  echo 'extern "C" float sinpif(float) noexcept, cospif(float) noexcept, rsqrtf(float) noexcept;'; } >"$work/newer.h"
printf '#!/bin/sh\nexec c++ -include %s "$@"\n' "$work/newer.h" >"$work/newer"
chmod +x "$work/newer"
defined=test/cuda/programs/defined.cu
for n in 7 8; do # not what a cache has of the other
    exits $n "$n $((n + 6)) 1" "$TERN" exec --host c++ --device cpu $defined -D REAL=double -D N=$n -DSAY -D 'TWICE(x)=((x) * 2)'
    exits 0 "sum $((n * 4 + 6))" "$TERN" run $defined:k --device cpu -D REAL=int -D N=$n -D 'TWICE(x)=x' --grid 1 --block 4 -a 'x=zeros(4,i32)'
done
for macro in 9 A-B 'f(' 'f(a' 'f(a)b=1' '=1' 'A=\'; do
    exits 2 "a macro is NAME, NAME=TEXT or NAME(a, b)=TEXT, not '$macro'" "$TERN" exec --device cpu $defined -D "$macro"
done
exits 2 "<command line>:1:3: error: expected the names of parameters" "$TERN" exec --device cpu $defined -D 'f(,)=1'
exits 2 '-D: of a .cu file alone' "$TERN" exec --device cpu test.py -D A
TERN_CXX=$work/newer exits 0 '5 5' "$TERN" exec --host c++ --device cpu test/cuda/programs/both.cu
# A launch keeps nothing: pages that are there after 20000 more of them.
cat >"$work/many.cu" <<'CUDA'
#include <cstdio>
template <typename T> __global__ void add(T *p, T n) { p[threadIdx.x] += n; }
long pages() {
    long all, there = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &all, &there) != 2) return -1;
    fclose(file);
    return there;
}
int main() {
    float *p;
    long before = 0;
    cudaMalloc(&p, 16);
    for (int i = 0; i < 21000; i++) {
        if (i == 1000) before = pages();
        add<<<1, 4>>>(p, 1.0f);
    }
    printf("kept %ld MiB\n", (pages() - before) * 4 / 1024);
}
CUDA
exits 0 'kept 0 MiB' "$TERN" exec --host c++ --device cpu "$work/many.cu"
exits 2 "no function 'main'" "$TERN" exec --host c++ --device cpu test/cuda/shapes.cu
exits 3 "host 'rust'" "$TERN" exec --host rust --device interp test/cuda/programs/vectors.cu
device=interp
# The object is kept: the second call compiles nothing.
rm -rf "$TERN_CACHE_DIR" && mkdir "$TERN_CACHE_DIR"
check 'kept once' "$work/call" "$file:caught" -a 'x=ones(2)'
TERN_CXX='c++ -DOTHER' check 'kept for other options' "$work/call" "$file:caught" -a 'x=ones(2)'
check 'two objects are kept' test "$(find "$TERN_CACHE_DIR" -name '*.so' | wc -l)" = 2
finish
