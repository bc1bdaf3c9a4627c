# SPDX-License-Identifier: Apache-2.0
# Templates with any number of parameters, by what g++ says of the same text; curand by the numbers of
# NVIDIA's own header; copies under way; tensor cores.
. test/cli/lib.sh
want='[6, 15, 9, 392, 1, 42, 456, 2, 4, 6, 105, 3, 13, 129, 8, 12, 5]'
for device in interp sim; do
    exits 0 "$want" "$TERN" run test/cuda/packs.cu:packs --device $device --grid 1 --block 1 -a 'p=zeros(17,i32)' --print p
done
cat >"$work/main.cc" <<'END'
#include <cstdio>
#include <utility>
#define __device__
#define __global__
static struct { int x; } threadIdx;
#include "packs.cu"
int main() {
    int p[17];
    packs(p);
    for (int i = 0; i < 17; i++) printf("%s%d", i ? ", " : "[", p[i]);
    printf("]\n");
}
END
if g++ --version >/dev/null 2>&1; then
    check 'g++ takes it' g++ -w -std=c++17 -Itest/cuda "$work/main.cc" -o "$work/packs"
    exits 0 "$want" "$work/packs"
else
    skip 2 'no g++'
fi
devices='interp cpu sim'
"$TERN" run test/cuda/library.cu:copies --device cuda --grid 1 --block 64 -a 'p=zeros(128,i32)' -a 'x=arange(256,i32)' \
    >/dev/null 2>&1 && devices="$devices cuda"
# By curand_kernel.h of CUDA 13.0, compiled by NVRTC.
want='[3916888133, 1528416763, 2044118751, 1756855283, 419387925, 1140606252, 15553452, 1707924181, 2952665265, 4133078315, 1052352367, 56623104, 1072160338, 4294960414, 4294961532, 4294955853, 2531200981, 665621805, 1706888417, 583939788, 1407344866, 1003470664, 1853022204, 2416886365, 3722171374, 3223110610, 1045019063, 3292528640, 1070671991, 4294941294, 4294965204, 4294950817, 1982390336, 3059607212, 189754703, 1760670556, 4218781521, 1733889127, 449540656, 1881222602, 777625348, 3317454428, 1063171011, 2436890624, 1070709563, 4294946979, 5315, 11995, '
for device in $devices; do
    exits 0 "$want" "$TERN" run test/cuda/library.cu:philox --device $device --grid 1 --block 8 -a 'p=zeros(128,u32)' \
        -a seed=1234567890123 -a sequence=4294967294 -a offset=5 --print p
    # (63 - t) * 13 + 128 * 5 + 192 * 7; 22 threads of 64, one, not all
    exits 0 "$(seq -s ', ' 2803 -13 1984), 2210, 2210" "$TERN" run test/cuda/library.cu:copies --device $device --grid 1 \
        --block 64 -a 'p=zeros(128,i32)' -a 'x=arange(256,i32)' --print p
done
for device in $devices; do
    exits 0 '0 of half, 0 of bfloat16, 0 turned differ' "$TERN" exec test/cuda/wmma.cu --device $device
    if [ $device = cpu ]; then
        exits 0 'u8 0 tf32 0 fp64 0 ' "$TERN" exec test/cuda/wmma_shapes.cu --device $device -- few
        continue
    fi
    exits 0 'u8 0000 tf32 0000 fp64 0000 half32 0000 half8 0000 half 0000 bf32 0000 bf8 0000 s16 0000 s32 0000 s8 0000 u16 0000 u32 0000 2050 2052 -1.00097656 1' \
        "$TERN" exec test/cuda/wmma_shapes.cu --device $device
done
if "$TERN" run test/cuda/library.cu:philox --builder nvrtc --device sim --grid 1 --block 8 -a 'p=zeros(128,u32)' -a seed=1 \
    -a sequence=0 -a offset=0 -o "p=$work/theirs.npy" >/dev/null 2>&1; then
    "$TERN" run test/cuda/library.cu:philox --device sim --grid 1 --block 8 -a 'p=zeros(128,u32)' -a seed=1 -a sequence=0 \
        -a offset=0 -o "p=$work/ours.npy" >/dev/null 2>&1
    check "NVIDIA's header gives the same numbers" cmp "$work/theirs.npy" "$work/ours.npy"
else
    skip 1 'no NVRTC, or no curand_kernel.h'
fi
cat >"$work/k.cu" <<'END'
template <typename... R> __device__ int sum(R... r) { return (r + ...); }
template <typename T, typename... R> __device__ int two(T t, R... r) { return sizeof...(r); }
__global__ void none(int *p) { p[0] = sum(); }
__global__ void few(int *p) { p[0] = two(); }
END
exits 2 "k.cu:4:38: error: no function 'two' takes ()" "$TERN" show "$work/k.cu:few" --block 1 --device sim --stage ptx
exits 2 "no function 'sum' takes ()" "$TERN" show "$work/k.cu:none" --block 1 --device sim --stage ptx
cat >"$work/wmma.cu" <<'END'
#include <mma.h>
using namespace nvcuda;
namespace bits = wmma::experimental::precision;
__global__ void nibbles(int *p) { wmma::fragment<wmma::matrix_a, 8, 8, 32, bits::s4, wmma::row_major> a; }
__global__ void wide(int *p) {
    wmma::fragment<wmma::accumulator, 32, 8, 16, double> sum;
}
__global__ void saturates(int *p) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> c;
    wmma::mma_sync(c, a, b, c, true);
}
END
wmma() { # exit code, words, kernel
    exits "$1" "$2" "$TERN" run "$work/wmma.cu:$3" --device sim --grid 1 --block 32 -a 'p=zeros(1,i32)'
}
wmma 3 "wmma.cu:4:104: not supported: 'fragment<matrix_a, 8, 8, 32, s4, row_major>' in a kernel" nibbles
wmma 3 "wmma.cu:6:61: not supported: 'fragment<accumulator, 32, 8, 16, double, void>' in a kernel" wide
wmma 2 "mma_sync with sums that saturate is not supported" saturates
# By nvcc's rules: x - (n + n); 40 threads of two blocks add to either pair.
for device in $devices; do
    exits 0 '1 9 17 of 2, 17 0, 20 80 20 80 0, 20 80 20 80 0, ' "$TERN" exec test/cuda/variadic.cu --device $device
done
exits 0 '[-1, -1, -1, -1]' "$TERN" run 'test/cuda/variadic.cu:combine<less, float, int, short>' --device interp --grid 1 \
    --block 4 -a 'to=zeros(4)' -a n=4 -a 'first=ones(4)' -a 'rest__0=ones(4,i32)' -a 'rest__1=ones(4,i16)' --print to
exits 2 "1 argument for the template 'combine'" "$TERN" show 'test/cuda/variadic.cu:combine<less>' --block 1 --device sim --stage ptx
want='[57, 15, 8610, 51, -2899, 1105, 8, 437108]'
for device in $devices; do
    exits 0 "$want" "$TERN" run test/cuda/dialect.cu:dialect --device $device --grid 1 --block 1 -a 'p=zeros(8,i32)' --print p
done
sed -e 's/p\[17\]/p[8]/; s/packs/dialect/; s/i < 17/i < 8/' -e '/p\[17\]/d' "$work/main.cc" | sed 's/packs(p)/dialect(p)/' >"$work/dialect.cc"
if g++ --version >/dev/null 2>&1; then
    check 'g++ takes it' g++ -w -std=c++17 -Itest/cuda "$work/dialect.cc" -o "$work/dialect"
    exits 0 "$want" "$work/dialect"
else
    skip 2 'no g++'
fi
echo '__global__ void k(int *p) { int a[2][3]; int (*q)[2] = a; p[0] = q[0][0]; }' >"$work/arrays.cu"
exits 2 'this initial value: '"'int[2][3]' does not become 'int[2] *'" "$TERN" show "$work/arrays.cu:k" --block 1 --device sim --stage ptx
cat >"$work/dp4a.cu" <<'END'
__global__ void k(int *p) {
    int a = (int)0xff80ff01u, b = 0x02030405;
    p[0] = __dp4a(a, b, 7), p[1] = (int)__dp4a((unsigned)a, (unsigned)b, 7u);
    p[2] = __dp4a(make_char4(1, -1, -128, -1), make_char4(5, 4, 3, 2), 7);
    p[3] = (int)__dp4a(make_uchar4(1, 255, 128, 255), make_uchar4(5, 4, 3, 2), 7u);
}
END
for device in $devices; do
    # 5 - 4 - 384 - 2 + 7; 5 + 1020 + 384 + 510 + 7
    exits 0 '[-378, 1926, -378, 1926]' "$TERN" run "$work/dp4a.cu:k" --device $device --grid 1 --block 1 -a 'p=zeros(4,i32)' --print p
done
cat >"$work/cub.cu" <<'END'
#include <cub/cub.cuh>
template <typename T> __device__ void BlockReduce(T &input) {
    typedef cub::BlockReduce<T, 64> BlockReduce;
    __shared__ typename BlockReduce::TempStorage temp;
    input = BlockReduce(temp).Sum(input);
}
__global__ void k(int *p) {
    int v = p[threadIdx.x];
    BlockReduce(v);
    if (threadIdx.x == 0) p[0] = v;
}
END
exits 0 '[2016, 1, 2' "$TERN" run "$work/cub.cu:k" --device sim --grid 1 --block 64 -a 'p=arange(64,i32)' --print p
finish
