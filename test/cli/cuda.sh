# SPDX-License-Identifier: Apache-2.0
# Kernels in CUDA C: the same commands, on devices that need no GPU.
. test/cli/lib.sh
cat >"$work/k.cu" <<'END'
__device__ float third(const float *l, int k) { return l[k % 3]; }
__global__ void add(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + 1;
}
__global__ void past(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) y[i] = x[i] + 1;
}
__global__ void row(const float *x, float *y, int n) {
    __shared__ float s[32];
    s[threadIdx.x + n - 31] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x];
}
__global__ void missed(const float *x, float *y, int n) {
    if (threadIdx.x < n) __syncthreads();
    y[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
}
__global__ void own(const float *x, float *y, int n) {
    float l[9] = {x[0], 1, 2};
    for (int k = 0; k < n % 4; k++) l[k] += k;
    if (threadIdx.x < n) y[threadIdx.x] = third(l, threadIdx.x) + x[n - 1];
}
END
args='-a x=ones(n) -a y=empty(n) -a n=100'
for device in cpu interp sim; do
    exits 0 'sum 200' "$TERN" run "$work/k.cu:add" --device $device --grid 4 --block 32 $args
    exits 1 '100 of 100 elements' "$TERN" run "$work/k.cu:add" --device $device --grid 4 --block 32 $args \
        --check 'y=full(100,3)'
done
cat >"$work/t.cu" <<'END'
template <typename T, int N> __global__ void scale(T *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= N;
}
struct Task { const int *from; float by[2]; };
__constant__ float offset = 0.5f;
__global__ void run(float *y, Task task) { y[threadIdx.x] = task.from[threadIdx.x] * task.by[1] + offset; }
END
exits 0 'kernel: scale<float, (3 > 2 ? 7 : 8)>, grid 1, block 32' "$TERN" run "$work/t.cu:scale<float, (3 > 2 ? 7 : 8)>" \
    --device interp --grid 1 --block 32 -a 'x=ones(10)' -a n=10 --check 'x=full(10,7)'
exits 2 "no __global__ function 'scales<float, 2>'" "$TERN" run "$work/t.cu:scales<float, 2>" \
    --device interp --grid 1 --block 32 -a 'x=ones(10)' -a n=9
for device in cpu interp sim; do
    exits 0 'sum 17' "$TERN" run "$work/t.cu:run" --device $device --grid 1 --block 4 -a 'y=empty(4)' \
        -a 'task=(arange(4,i32),(1.0,2.5))'
done
exits 2 "'task' of kernel 'run' has a pointer to fp32" "$TERN" run "$work/t.cu:run" --device interp --grid 1 --block 4 \
    -a 'y=empty(4)' -a 'task=(arange(4),(1.0,2.5))'
exits 0 'kernel: add, grid 4, block 32' "$TERN" run "$work/k.cu:add" --device cpu --grid 4 --block 32 $args --check interp
exits 2 'how many threads' "$TERN" run "$work/k.cu:add" --device cpu --grid 4 $args
exits 1 'in block (3, 0, 0) of a grid of (4, 1, 1), thread (4, 0, 0)' \
    "$TERN" run "$work/k.cu:past" --device interp --grid 4 --block 32 $args
exits 1 'k.cu:8:' "$TERN" run "$work/k.cu:past" --device interp --grid 4 --block 32 $args
exits 1 "outside 's', which has 128 bytes" \
    "$TERN" run "$work/k.cu:row" --device interp --grid 1 --block 32 -a 'x=ones(32)' -a 'y=empty(32)' -a n=32
for device in cpu interp; do
    exits 1 'k.cu:19:5: error' "$TERN" run "$work/k.cu:missed" --device $device --grid 1 --block 64 \
        -a 'x=ones(64)' -a 'y=empty(64)' -a n=40
done
exits 0 'form = spread, block = [32, 1, 1]' "$TERN" show "$work/k.cu:add" --block 32 --target interp --stage ir
exits 0 'form = thread, block = [32, 1, 1]' "$TERN" show "$work/k.cu:add" --block 32 --target interp --stage ir:contract
exits 0 'static int program' "$TERN" show "$work/k.cu:add" --block 32 --target cpu --stage c
exits 0 '0 findings' "$TERN" check "$work/k.cu:add" --grid 'cdiv(n,32)' --block 32 $args
exits 0 'n = 33;' "$TERN" check "$work/k.cu:add" --grid 'cdiv(n,32)' --block 32 $args
exits 0 'own: 0 findings, 0 pieces of advice' \
    "$TERN" check "$work/k.cu:own" --grid 1 --block 64 -a 'x=ones(n)' -a 'y=zeros(64)' -a n=64
exits 1 '[out-of-bounds]' "$TERN" check "$work/k.cu:past" --grid 'cdiv(n,32)' --block 32 $args
exits 0 'GB/s' "$TERN" bench "$work/k.cu:add" --device cpu --grid 4 --block 32 $args --rep 1 --warmup 1 --no-peak
exits 0 'add' "$TERN" prof "$work/k.cu:add" --device cpu --grid 4 --block 32 $args
cat >"$work/u.cu" <<'END'
template <int N> __global__ void turns(int *y, int n) {
    int a[4] = {n, 1, 2, 3};
#pragma unroll N * 2
    for (int i = 0; i < 4; i++) a[i] += a[(i + 1) % 4];
#pragma unroll 1
    for (int i = 0; i < 4; i++) y[i] = a[0] + n * i;
    y[4] = a[1] + a[2] + a[3];
}
END
all=$("$TERN" show "$work/u.cu:turns<2>" --block 1 --stage ptx -t sm_90a)
half=$("$TERN" show "$work/u.cu:turns<1>" --block 1 --stage ptx -t sm_90a)
check 'the array is values where all turns are unrolled' [ "${all##*.local*}" ]
check 'else it is memory' [ -z "${half##*.local*}" ]
check 'a loop that is to stay says so' [ "$(printf '%s' "$all" | grep -c 'pragma "nounroll"')" = 1 ]
check 'so does one of two turns at once' [ "$(printf '%s' "$half" | grep -c 'pragma "nounroll"')" = 2 ]
exits 0 '' "$TERN" check "$work/u.cu:turns<2>" --grid 1 --block 1 -a 'y=zeros(5,i32)' -a n=7
# Addresses of shared memory have 32 bits, below whose start pointers may go for a while.
cat >"$work/s.cu" <<'END'
__global__ void below(int *y, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int *p = s + ((int)threadIdx.x - n);
    atomicAdd(&p[40], y[threadIdx.x]);
    y[threadIdx.x] = p[40];
}
END
text=$("$TERN" show "$work/s.cu:below" --block 32 --stage ptx -t sm_90a)
check 'and none has 64' [ "$(printf '%s' "$text" | grep -c 'shared.*\[%r')/$(printf '%s' "$text" |
    grep -c 'shared.*\[%d')" = 3/0 ]
check 'an index is widened and scaled at once' [ -z "${text##*mul.wide*}" ]
exits 0 '11, 12, 13' "$TERN" run "$work/s.cu:below" --device sim --grid 1 --block 32 \
    -a 'y=full(32,10,i32)' -a n=40 --print y
# What is aligned as a whole is copied at once, unless a part of it may be changed on the way.
cat >"$work/w.cu" <<'END'
struct alignas(16) Pack { unsigned short v[8]; };
struct Loose { float x, y, z, w; };
__global__ void wide(float4 *y, const float4 *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = x[i];
    v.x += v.w * n;
    y[i] = v;
    y[i + 32] = x[i];
}
__global__ void packs(Pack *y, Pack *x, int n) {
    Pack a = x[threadIdx.x], b;
    for (int k = 0; k < 8; k++) b.v[k] = a.v[7 - k] + n;
    y[threadIdx.x] = b;
}
__global__ void loose(Loose *y, const Loose *x) { y[threadIdx.x] = x[threadIdx.x]; }
__global__ void between(float *x, int n) {
    float4 *y = (float4 *)x;
    float4 v = y[threadIdx.x];
    x[4 * threadIdx.x + 1] = n;
    float4 w = y[threadIdx.x];
    y[threadIdx.x] = make_float4(v.y, w.y, v.x, w.z);
}
END
wide() { "$TERN" show "$work/w.cu:$1" --block 32 --stage ptx -t sm_90a | grep -c "$2"; }
check 'two loads and two stores of float4' \
    [ "$(wide wide 'ld.global.v4.b32')$(wide wide 'st.global.v4.b32')" = 22 ]
check 'and no other ones' [ "$(wide wide 'ld.global')$(wide wide 'st.global')" = 22 ]
check 'eight of two bytes' [ "$(wide packs 'ld.global.v4.b32')$(wide packs '[ds][tt]*.global')" = 12 ]
check 'not aligned: one by one' [ "$(wide loose 'global.v')$(wide loose 'global.b32')" = 08 ]
for device in sim cpu; do
    exits 0 'checked: interp' "$TERN" run "$work/w.cu:wide" --device $device --grid 1 --block 32 -a 'y=zeros(256)' \
        -a 'x=randn(128)' -a n=3 --check interp
    exits 0 'checked: interp' "$TERN" run "$work/w.cu:packs" --device $device --grid 1 --block 32 \
        -a 'y=zeros(256,u16)' -a 'x=arange(256,u16)' -a n=3 --check interp
    exits 0 '1, 5, 0, 2' "$TERN" run "$work/w.cu:between" --device $device --grid 1 --block 1 \
        -a 'x=arange(4,f32)' -a n=5 --print x
done
cat >"$work/g.cu" <<'END'
#include <cooperative_groups.h>
#include <cuda_fp16.h>
__global__ void ranks(int *y) {
    auto grid = cooperative_groups::this_grid();
    y[grid.thread_rank()] = grid.size() * 100 + grid.block_rank() + grid.dim_blocks().y * 10;
}
__global__ void waits(int *y) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    grid.sync();
}
__global__ void pairs(int *y, float x) {
    half2 a = __floats2half2_rn(x, 3), b = __float2half2_rn(2);
    half2 all[] = {__heq2(a, b), __hne2(a, b), __hlt2(a, b), __hle2(a, b), __hgt2(a, b), __hge2(a, b)};
    for (int i = 0; i < 6; i++) y[i] = (int)__low2float(all[i]) * 10 + (int)__high2float(all[i]);
}
END
for device in sim interp; do
    exits 0 '2430, 2430, 2430, 2430, 2431' "$TERN" run "$work/g.cu:ranks" --device $device --grid 2,3 \
        --block 2,2 -a 'y=zeros(24,i32)' --print y
    exits 0 '10, 1, 0, 10, 1, 11' "$TERN" run "$work/g.cu:pairs" --device $device --grid 1 --block 1 \
        -a 'y=zeros(6,i32)' -a x=2 --print y
done
exits 3 "blocks of kernel 'waits' wait for each other: a grid of 265; H200 has room for 264 at a time" \
    "$TERN" run "$work/g.cu:waits" --device sim --grid 265 --block 1024 -a 'y=zeros(1,i32)'
cat >"$work/i.cu" <<'END'
__global__ void image(float *y, cudaTextureObject_t t, cudaSurfaceObject_t s) {
    int x = threadIdx.x;
    float4 a = tex2D<float4>(t, x + 0.5f, 1.5f);
    y[x] = a.w + tex1Dfetch<uchar>(t, x) + tex3D<short2>(t, x, 2, 3).y + tex2DLayered<float>(t, x, 1, 7);
    surf2Dwrite(make_uchar4(a.x, 1, 2, 3), s, x * 4, 1);
    y[x] += surf2Dread<float2>(s, x * 8, 0, cudaBoundaryModeClamp).y;
}
END
for words in 'tex.2d.v4.f32.f32' 'tex.1d.v4.u32.s32' 'tex.3d.v4.s32.f32' 'tex.a2d.v4.f32.f32' \
    'sust.b.2d.b32.trap' 'suld.b.2d.v2.b32.clamp'; do
    exits 0 "$words" "$TERN" show "$work/i.cu:image" --block 32 --stage ptx -t sm_90a
done
for device in cpu interp; do
    exits 3 "inline PTX on a target without threads: 'tex.2d" "$TERN" run "$work/i.cu:image" --device $device \
        --grid 1 --block 32 -a 'y=zeros(32)' -a t=0 -a s=0
done
exits 3 'coordinates of a texture, surface or tensor' "$TERN" run "$work/i.cu:image" --device sim --grid 1 \
    --block 32 -a 'y=zeros(32)' -a t=0 -a s=0
finish
