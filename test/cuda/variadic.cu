// Kernels with any number of parameters, managed variables, atomics of pairs:
// test/cli/cuda_more.sh.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__managed__ __device__ int seen;
template <float (*F)(float, float), typename T, typename... Rest>
__global__ void combine(T *to, int n, const T *first, const Rest *...rest) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) seen = sizeof...(rest);
    if (i < n) to[i] = F(first[i], (rest[i] + ... + 0));
}
__device__ float less(float a, float b) { return a - b; }
template <typename P, typename T> __global__ void pairs(P *p, T x, T y) {
    P old = atomicAdd(p + (threadIdx.x & 1), P(x, y));
    if ((float)old.x > (float)old.y) p[2] = old;
}
template <typename P, typename T> static void add_pairs() {
    P *p;
    cudaMallocManaged(&p, 3 * sizeof(P));
    p[0] = p[1] = p[2] = P((T)0.0f, (T)0.0f);
    pairs<<<2, 40>>>(p, (T)0.5f, (T)2.0f);
    cudaDeviceSynchronize();
    printf("%g %g %g %g %g, ", (float)p[0].x, (float)p[0].y, (float)p[1].x, (float)p[1].y, (float)p[2].x);
}
int main() {
    float *x;
    int *n;
    cudaMallocManaged(&x, 12);
    cudaMallocManaged(&n, 12);
    for (int i = 0; i < 3; i++) x[i] = 10 * i + 1, n[i] = i;
    combine<less><<<1, 32>>>(x, 3, x, n, n);
    cudaDeviceSynchronize();
    int count = 0;
    cudaMemcpyFromSymbol(&count, seen, sizeof count);
    printf("%g %g %g of %d, ", x[0], x[1], x[2], count);
    combine<less, float><<<1, 32>>>(x, 3, x);
    cudaDeviceSynchronize();
    cudaMemcpyFromSymbol(&count, seen, sizeof count);
    printf("%g %d, ", x[2], count);
    add_pairs<half2, half>();
    add_pairs<__nv_bfloat162, __nv_bfloat16>();
}
