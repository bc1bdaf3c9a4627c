// SPDX-License-Identifier: Apache-2.0
// Templates, streams, events, memory of both sides, std::vector and std::cout.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <vector>

template <typename T, int BLOCK> __global__ void scale(T *x, T factor, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) x[i] *= factor;
}

__global__ void transpose(const int *in, int *out, int rows, int columns) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) out[x * rows + y] = in[y * columns + x];
}

struct Line {
    float slope;
    int skipped;
    float *out;
};
__constant__ float offsets[4] = {1, 2};
__device__ int calls = 40;

__global__ void along(Line line, int n) {
    int i = threadIdx.x;
    if (i >= line.skipped && i < n) line.out[i] = line.slope * i + offsets[i % 4];
    if (i == 0) calls += 2;
}

#ifdef __CUDA_ARCH__
static const int seen = 1;
#else
static const int seen = 2;
#endif
static int launches = 0;

template <typename T> bool scaled(cudaStream_t stream, T factor) {
    const int n = 1000;
    std::vector<T> x(n);
    T *both = nullptr;
    for (int i = 0; i < n; i++) x[i] = i;
    if (cudaMallocManaged(&both, n * sizeof(T)) != cudaSuccess) return false;
    memcpy(both, x.data(), n * sizeof(T));
    scale<T, 128><<<dim3((n + 127) / 128), dim3(128), 0, stream>>>(both, factor, n);
    launches++;
    cudaStreamSynchronize(stream);
    for (int i = 0; i < n; i++)
        if (both[i] != x[i] * factor) return false;
    return cudaFree(both) == cudaSuccess;
}

static bool symbols() {
    const int n = 40;
    float more[] = {3, 4}, out[n] = {0}, *on_out;
    int called = 0;
    cudaMemcpyToSymbol(offsets, more, sizeof more, 2 * sizeof(float));
    cudaMalloc(&on_out, sizeof out);
    cudaMemset(on_out, 0, sizeof out);
    Line line = {0.5f, 3, on_out};
    dim3 grid = 1, block(n + 24);
    const dim3 same(block);
    along<<<dim3(grid), dim3(same)>>>(line, n);
    cudaMemcpy(out, on_out, sizeof out, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&called, calls, sizeof called);
    cudaFree(on_out);
    for (int i = 0; i < n; i++)
        if (out[i] != (i < 3 ? 0 : 0.5f * i + (1 + i % 4))) return false;
    return called == 42;
}

int main() {
    cudaStream_t stream;
    cudaEvent_t start, stop;
    cudaStreamCreate(&stream);
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    auto before = std::chrono::high_resolution_clock::now();
    cudaEventRecord(start, stream);
    bool fine = scaled<float>(stream, 2.5f) && scaled<double>(stream, 0.25) && scaled<int>(stream, 3);
    cudaEventRecord(stop, stream);
    cudaEventSynchronize(stop);
    std::chrono::duration<double, std::milli> took = std::chrono::high_resolution_clock::now() - before;
    float ms = -1;
    cudaEventElapsedTime(&ms, start, stop);
    fine = fine && ms >= 0 && took.count() >= ms / 2 && seen == 2 && launches == 3;

    fine = fine && symbols();

    const int rows = 20, columns = 33;
    std::vector<int> in(rows * columns), out(rows * columns, -1);
    for (size_t i = 0; i < in.size(); i++) in[i] = i;
    int *on_in, *on_out;
    cudaMalloc(&on_in, in.size() * sizeof(int));
    cudaMalloc(&on_out, in.size() * sizeof(int));
    cudaMemcpyAsync(on_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice, stream);
    dim3 block(16, 8), grid((columns + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
    transpose<<<grid, block, 0, stream>>>(on_in, on_out, rows, columns);
    cudaMemcpyAsync(out.data(), on_out, in.size() * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) fine = fine && out[x * rows + y] == in[y * columns + x];

    transpose<<<grid, 2000>>>(on_in, on_out, rows, columns); // more threads than there may be
    cudaError_t error = cudaGetLastError();
    std::cout << cudaGetErrorName(error) << ", then " << cudaGetErrorString(cudaGetLastError())
              << std::endl;
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    fine = fine && properties.maxThreadsPerBlock == 1024 && strlen(properties.name) > 0;
    cudaFree(on_in);
    cudaFree(on_out);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaStreamDestroy(stream);
    std::cout << (fine ? "PASSED" : "FAILED") << '\n';
    return fine ? 0 : 1;
}
