// SPDX-License-Identifier: Apache-2.0
// The usual first program: allocate, copy, launch, check.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));         \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void sum(const float *x, float *out, int n) {
    extern __shared__ float s[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, s[0]);
}

static void fill(float *x, int n) {
    for (int i = 0; i < n; i++) x[i] = rand() % 64;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 3000;
    size_t bytes = n * sizeof(float);
    float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)malloc(bytes);
    float *on_a, *on_b, *on_c, *total;
    if (a == NULL || b == NULL || c == NULL) exit(EXIT_FAILURE);
    srand(7);
    fill(a, n);
    fill(b, n);
    CHECK(cudaMalloc((void **)&on_a, bytes));
    CHECK(cudaMalloc(&on_b, bytes));
    CHECK(cudaMalloc(&on_c, bytes));
    CHECK(cudaMalloc(&total, sizeof(float)));
    CHECK(cudaMemset(total, 0, sizeof(float)));
    CHECK(cudaMemcpy(on_a, a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(on_b, b, bytes, cudaMemcpyHostToDevice));
    int threads = 128, blocks = (n + threads - 1) / threads;
    printf("%d blocks of %d threads\n", blocks, threads);
    add<<<blocks, threads>>>(on_a, on_b, on_c, n);
    CHECK(cudaGetLastError());
    sum<<<blocks, threads, threads * sizeof(float)>>>(on_c, total, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(c, on_c, bytes, cudaMemcpyDeviceToHost));
    float got, want = 0;
    CHECK(cudaMemcpy(&got, total, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        want += a[i] + b[i];
        if (fabs(a[i] + b[i] - c[i]) > 1e-5) {
            fprintf(stderr, "wrong at %d\n", i);
            return 1;
        }
    }
    printf("sum %.1f, wanted %.1f: %s\n", got, want, got == want ? "PASSED" : "FAILED");
    cudaFree(on_a), cudaFree(on_b), cudaFree(on_c), cudaFree(total);
    free(a), free(b), free(c);
    return got != want;
}
