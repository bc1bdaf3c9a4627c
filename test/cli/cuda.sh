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
exits 2 "no @triton.jit function 'scales<float, 2>'" "$TERN" run "$work/t.cu:scales<float, 2>" \
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
finish
