# SPDX-License-Identifier: Apache-2.0
# CUDA C that is wrong, hostile, or launched wrongly: a message with its place, and an exit code that
# is not 0.
. test/cli/lib.sh
sim() { # exit code, words, the kernel's file and name, more
    code=$1 words=$2 operand=$3
    shift 3
    exits "$code" "$words" "$TERN" run "$work/$operand" --device sim --grid 1 "$@"
}

# ---- which kernel ----
cat >"$work/names.cu" <<'END'
namespace a { __global__ void k(int *p) { *p = 1; } }
namespace b { __global__ void k(int *p) { *p = 2; } }
template <class T, int N> __global__ void t(T *p) { *p = N; }
__global__ void o(int *p) { *p = 3; }
__global__ void o(float *p) { *p = 4; }
END
p='p=zeros(1,i32)'
sim 2 "no __global__ function 'none' here, only: a::k, b::k, t, o@4, o@5" names.cu:none --block 1 -a $p
sim 2 "names.cu:1:31: error: there are 2 kernels 'k'" names.cu:k --block 1 -a $p
sim 2 "note: 'b::k' is one of them" names.cu:k --block 1 -a $p
sim 0 '[2]' names.cu:b::k --block 1 -a $p --print p
sim 2 "note: 'o@5' is one of them" names.cu:o --block 1 -a $p
sim 0 '[3]' names.cu:o@4 --block 1 -a $p --print p
sim 2 "kernel 't' is a template" names.cu:t --block 1 -a $p
sim 2 "help: name it with its arguments: 't<..>'" names.cu:t --block 1 -a $p
sim 0 '[7]' 'names.cu:t<int, 7>' --block 1 -a $p --print p
sim 2 'there are:' names.cu --block 1 -a $p
echo 'int f() { return 1; }' >"$work/no.cu"
sim 2 'no __global__ function' no.cu --block 1
cat >"$work/overloads.cu" <<'END'
#include <cstdio>
namespace a { __global__ void o(int *p) { *p = 3; } }
__global__ void o(float *p) { *p = 4; }
int main() {
    int *p, q[3];
    cudaMalloc(&p, 12);
    o<<<1, 1>>>(p);
    o<<<1, 1>>>((float *)p + 2);
    cudaMemcpy(q, p, 12, cudaMemcpyDeviceToHost);
    printf("%d %g\n", q[0], *(float *)(q + 2));
}
END
exits 0 '3 4' "$TERN" exec "$work/overloads.cu" --device sim

# ---- how it is launched ----
cat >"$work/k.cu" <<'END'
__global__ void k(char *p, int n) { if (threadIdx.x <= n) p[threadIdx.x] = 1; }
__global__ void __launch_bounds__(64) few(int *p) { p[threadIdx.x] = 1; }
__global__ void much(int *p) { __shared__ int s[60000]; s[threadIdx.x] = 1; p[0] = s[threadIdx.x]; }
__global__ void rest(int *p) { extern __shared__ int s[]; s[threadIdx.x] = 1; p[0] = s[threadIdx.x]; }
__global__ void bar(int *p) {
    if (threadIdx.x < 7) __syncthreads();
    p[threadIdx.x] = 1;
}
__global__ void past(int *p) {
    __shared__ char s[33];
    s[threadIdx.x + (threadIdx.x == 31) * 2] = threadIdx.x;
    p[threadIdx.x] = s[threadIdx.x];
}
__global__ void forever(volatile int *p) { while (*p == 0); }
END
b='p=zeros(31,i8)' i='p=zeros(64,i32)'
sim 2 'a block of 2000 threads along axis 0; a block has from 1 to 1024' k.cu:k --block 2000 -a "$b" -a n=3
sim 2 'a block of 2048 threads; a block has at most 1024' k.cu:k --block 1024,2 -a "$b" -a n=3
sim 2 "expected one to three numbers of threads, saw '0'" k.cu:k --block 0 -a "$b" -a n=3
sim 2 "argument 'n': a float for a parameter of type i32" k.cu:k --block 32 -a "$b" -a n=1.5
sim 2 "argument 'n' of kernel 'k' is missing" k.cu:k --block 32 -a "$b"
sim 2 "kernel 'k' has no parameter 'z'" k.cu:k --block 32 -a "$b" -a n=3 -a z=1
sim 2 "a pointer to fp32; the source says 'char *'" k.cu:k --block 32 -a 'p=zeros(31)' -a n=3
sim 2 "k.cu:2:17: error: a block of 96 threads; 'few' is written for at most 64" k.cu:few --block 96 -a "$i"
sim 0 '' k.cu:few --block 64 -a "$i"
sim 3 'k.cu:3:47: not supported: 240000 bytes of shared memory; a block of sm_90a has' k.cu:much --block 32 -a "$i"
sim 2 "k.cu:4:54: error: 's' is dynamic shared memory, and the launch has none" k.cu:rest --block 32 -a "$i"
sim 3 '230000 bytes of shared memory; a block of sm_80 has' k.cu:rest --block 32 --shared 230000 -a "$i" --device sim:a100

# ---- what it does ----
sim 1 "k.cu:1:59: error: store of 1 bytes outside the buffer of 'p', which has 31 bytes" k.cu:k --block 32 -a "$b" -a n=31
exits 1 "k.cu:1:59: error: store of 1 bytes outside the buffer of 'p'" "$TERN" run "$work/k.cu:k" \
    --device interp --grid 1 --block 32 -a "$b" -a n=31
exits 1 "argument 'p': the kernel wrote outside of it, past its end" "$TERN" run "$work/k.cu:k" \
    --device cpu --grid 1 --block 32 -a "$b" -a n=31
sim 1 'k.cu:6:26: error: divergent code' k.cu:bar --block 32 -a "$i"
sim 1 'k.cu:11:5: error: store of 1 bytes outside shared memory, which has 33 bytes: at byte 33' k.cu:past --block 32 -a "$i"
exits 1 "k.cu:11:5: error: store of 1 bytes outside 's', which has 33 bytes" "$TERN" run \
    "$work/k.cu:past" --device interp --grid 1 --block 32 -a "$i"
for device in cpu interp sim; do
    exits 1 'deadlock' timeout 60 "$TERN" run "$work/k.cu:forever" --device $device --grid 1 --block 32 -a "$i"
done

# ---- launches in programs ----
launch() { # words, the statement
    printf '__global__ void k(int *p) { *p = 1; }\nint main() { int x = 0, *p; %s return x; }\n' "$2" \
        >"$work/launch.cu"
    exits 2 "$1" "$TERN" exec "$work/launch.cu"
}
launch "launch.cu:2:30: error: '<<<' without '>>>'" 'k<<<1, 32(p);'
launch "'<<<' without '>>>'" 'k<<<(1, 32>>>(p);'
launch "'<<<' without '>>>'" 'k<<<1, 32>>(p);'
launch "expected ',' after the grid of a launch" 'k<<<1>>>(p);'
launch "expected '>>>' after the size of a launch, saw ','" 'k<<<1, 1, 1, 0, 1>>>(p);'
launch 'a launch of what is no kernel' 'x<<<1, 32>>>(p);'
launch "no function 'k' takes (int *, int)" 'k<<<1, 32>>>(p, 1);'
printf 'int main() { none<<<1, 32>>>(); }\n' >"$work/launch.cu"
exits 3 "function 'none', which nothing here declares" "$TERN" exec "$work/launch.cu"

# ---- hostile text ----
text() { # exit code, words; the text on stdin
    cat >"$work/text.cu"
    sim "$1" "$2" text.cu:k --block 32 -a "$p"
}
mkdir -p "$work/inside"
echo 'enum { FOUND = 1 };' >"$work/outside.h"
echo '#include "../outside.h"
__global__ void k(int *p) { *p = FOUND; }' >"$work/inside/k.cu"
sim 2 "the header '../outside.h' lies outside of the file's folder" inside/k.cu:k --block 1 -a "$p"
sim 2 'k.cu:1:2: note' inside/k.cu:k --block 1 -a "$p"
sim 2 'help: -I FOLDER says where headers lie' inside/k.cu:k --block 1 -a "$p"
sim 0 '[1]' inside/k.cu:k --block 1 -a "$p" -I "$work" --print p
sim 2 "lies outside of the file's folder" inside/k.cu:k --block 1 -a "$p" -I "$work/inside"
text 2 "the header '/etc/passwd' lies outside" <<'END'
#include "/etc/passwd"
__global__ void k(int *p) { *p = root; }
END
text 2 "text.cu:1:2: note: the header 'none.h' was not found" <<'END'
#include "none.h"
__global__ void k(int *p) { *p = NONE; }
END
text 2 'text.cu:1:2: error: includes are nested more than 64 deep' <<'END'
#include "text.cu"
END
{
    echo '#define A0 1 + 1'
    n=0
    while [ $((n += 1)) -le 24 ]; do
        echo "#define A$n A$((n - 1)) + A$((n - 1))"
    done
    echo '__global__ void k(int *p) { *p = A24; }'
} | text 2 'error: macros expand to more than 1000000 tokens'
{
    echo '__global__ void k(int *p) { *p = 1; }'
    dd if=/dev/zero bs=1048576 count=100 2>/dev/null | tr '\0' '/'
} | text 2 'text.cu: larger than the limit of 16777216 bytes'
{
    printf '__global__ void k(int *p) { *p = '
    dd if=/dev/zero bs=100000 count=1 2>/dev/null | tr '\0' '('
} | text 2 'not supported: code that is nested more than 200 deep'
text 2 "text.cu:1:36: error: expected ';' after an expression, saw '}'" <<'END'
__global__ void k(int *p) { *p = 1 }
END
text 2 "expected '}' after the body of a function, saw the end of the text" <<'END'
__global__ void k(int *p) { if (1) { *p = 1; }
END
text 3 'text.cu:1:35: not supported: virtual functions' <<'END'
struct A { __device__ virtual int f() { return 1; } };
__global__ void k(int *p) { A a; *p = a.f(); }
END
# What CUDA and its libraries have is refused by its name; what nothing has is an error.
foreign() { # exit code, words; the kernel's body
    printf 'typedef int (*chosen)(int);\n__global__ void k(int *p) { %s }\n' "$3" >"$work/text.cu"
    sim "$1" "$2" text.cu:k --block 1 -a "$p"
}
foreign 3 "text.cu:2:29: not supported: 'thrust::' in a kernel" 'thrust::complex<float> z; *p = z.x;'
foreign 3 "text.cu:2:29: not supported: 'cudaArray_t' in a kernel" 'cudaArray_t e; *p = e.width;'
foreign 3 "text.cu:2:29: not supported: 'cufftComplex' in a kernel" 'cufftComplex *z = 0; *p = z->x;'
foreign 3 "not supported: '__nv_cvt_float_to_fp8' in" '*p = __nv_cvt_float_to_fp8(1.0f, 0, 0);'
foreign 3 "text.cu:2:34: not supported: function 'norm3d' in a kernel" '*p = norm3d(1, 2, 3);'
foreign 3 "text.cu:2:29: not supported: 'multi_grid_group' in a kernel" 'multi_grid_group g; *p = g.size();'
foreign 3 "text.cu:2:60: not supported: function 'this_cluster' in a kernel" 'namespace cg = s; auto g = cg::this_cluster(); *p = g.size();'
foreign 2 "text.cu:2:34: error: function 'norms' is not declared" '*p = norms(1);'
foreign 3 "text.cu:1:13: not supported: a pointer to a function in a kernel" 'chosen f; *p = f(1);'
foreign 2 "text.cu:2:29: error: 'knode' is not declared" 'knode *n = 0; *p = n->x;'
text 3 "text.cu:1:27: not supported: type 'cudaArray_t' in a kernel" <<'END'
__global__ void k(int *p, cudaArray_t *e) { *p = e->width; }
END
text 3 "not supported: 'thrust::complex' in a kernel" <<'END'
__global__ void k(int *p, thrust::complex<float> *z) { *p = z->x; }
END
# One thing is refused: nothing is said of what uses it.
text 3 "text.cu:1:34: not supported: structured bindings" <<'END'
__global__ void k(int *p) { auto [x, y] = *p; *p = x + y; }
END
finish
