// SPDX-License-Identifier: Apache-2.0
// Streams, events, printf, assert and clock64, as programs use them. With an argument: an assert
// that fails; with two: one that holds.
#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>
__global__ void work(long long *ticks, int *x, int n) {
    long long begin = clock64();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * 2 + 1;
    if (i == 0) printf("block %d of %d\n", blockIdx.x, gridDim.x);
    __syncthreads();
    if (i == 0) *ticks = clock64() - begin;
}
__global__ void claims(const int *x, int limit) { assert(x[threadIdx.x] < limit); }
int main(int argc, char **argv) {
    const int n = 1000;
    int *x, *host;
    long long *ticks, spent = -1;
    cudaStream_t first, second;
    cudaEvent_t start, stop;
    cudaMalloc(&x, n * sizeof(int)), cudaMalloc(&ticks, sizeof *ticks), cudaMallocHost(&host, n * sizeof(int));
    cudaStreamCreate(&first), cudaStreamCreate(&second);
    cudaEventCreate(&start), cudaEventCreate(&stop);
    for (int i = 0; i < n; i++) host[i] = i;
    cudaMemcpyAsync(x, host, n * sizeof(int), cudaMemcpyHostToDevice, first);
    cudaEventRecord(start, first);
    work<<<(n + 255) / 256, 256, 0, first>>>(ticks, x, n);
    cudaEventRecord(stop, first);
    cudaStreamWaitEvent(second, stop, 0);
    work<<<(n + 255) / 256, 256, 0, second>>>(ticks, x, n);
    cudaMemcpyAsync(host, x, n * sizeof(int), cudaMemcpyDeviceToHost, second);
    cudaStreamSynchronize(second);
    float ms = -1;
    cudaEventSynchronize(stop), cudaEventElapsedTime(&ms, start, stop);
    cudaMemcpy(&spent, ticks, sizeof spent, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += host[i] != 4 * i + 3;
    printf("wrong %d, time %s, ticks %s, query %s\n", wrong, ms >= 0 ? "there" : "missing", spent >= 0 ? "there" : "missing",
           cudaGetErrorName(cudaStreamQuery(first)));
    if (argc > 1) {
        claims<<<1, 32>>>(x, argc > 2 ? 1000000 : 5);
        printf("launch: %s\n", cudaGetErrorString(cudaGetLastError()));
        printf("then: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
        return 3;
    }
    cudaEventDestroy(start), cudaEventDestroy(stop), cudaStreamDestroy(first), cudaStreamDestroy(second);
    cudaFree(x), cudaFree(ticks), cudaFreeHost(host);
    return wrong;
}
