// SPDX-License-Identifier: Apache-2.0
// A program whose host's side wants a C++ compiler: recursion, exceptions, virtual functions,
// threads; and kernels that C++ alone names: by deduction, in templates, through pointers.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <cuda_runtime.h>
#include "compiled.cuh"

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = call;                                                                  \
        if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));             \
    } while (0)

__constant__ float weights[3] = {1, 2, 3};
__device__ int counter;

template <typename T, typename F> __global__ void map(T *x, int n, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = f.by + x[i];
}
__global__ void scaled(float *x, Scale s, const bool even) {
    int i = threadIdx.x;
    x[i] = x[i] * s.by + s.plus[1] * weights[i % 3] + (even ? s.more : 0);
    atomicAdd(&counter, 1);
}
__global__ void apply(float *x) { x[threadIdx.x] += 1; }
static __global__ void halves(double *x) { x[threadIdx.x] /= 2; }

struct Step {
    virtual ~Step() = default;
    virtual void run(float *x) = 0;
};
struct Add : Step {
    void run(float *x) override { apply<<<1, 8>>>(x); }
};
struct Map : Step {
    float by;
    explicit Map(float by) : by(by) {}
    void run(float *x) override {
        map<<<dim3(2),
              dim3(4, 1)>>>(x, 8, Plus(by)); // what map is, its arguments say
    }
};
int deep(int n) { return n ? 1 + deep(n - 1) : 0; }
void leave(int code) {
    if (deep(5) == 5) exit(code);
}
float sum(const float *x) {
    float host[8], all = 0;
    CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    for (float value : host) all += value;
    return all;
}

void work(bool even) {
    float *x;
    double *d, h[8];
    CHECK(cudaMalloc(&x, 8 * sizeof *x));
    CHECK(cudaMalloc((void **)&d, sizeof h));
    filled(x, 1.5f);
    printf("filled %g\n", sum(x)); // 12
    std::map<std::string, std::unique_ptr<Step>> steps;
    steps["a"].reset(new Add);
    steps["b"].reset(new Map(0.5f));
    for (auto &step : steps) step.second->run(x);
    printf("steps %g\n", sum(x)); // 8 * 3
    const float other[] = {4, 5};
    CHECK(cudaMemcpyToSymbol(weights, other, sizeof other, sizeof(float)));
    scaled<<<1, 8>>>(x, Scale{2, 1, {7, 10}}, even);
    int count;
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    printf("scaled %g, %d threads\n", sum(x), count); // 8 * 6 + 10 * (1 + 4 + 5 + 1 + 4 + 5 + 1 + 4)
    filled(d, 3.0);
    void *arguments[] = {&d};
    CHECK(cudaLaunchKernel((void *)halves, dim3(1), dim3(8), arguments, 0, nullptr));
    CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("halves %g\n", h[7]);
    std::function<void()> launch = [&] { apply<<<1, 2048>>>(x); };
    launch();
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    try {
        CHECK(cudaSetDevice(7));
    } catch (const std::exception &e) {
        printf("caught %s\n", e.what());
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) threads.emplace_back([&] { apply<<<1, 8>>>(x); });
    for (auto &thread : threads) thread.join();
    printf("threads %g\n", sum(x));
    CHECK(cudaFree(x));
}

int main(int argc, char **argv) {
    work(argc > 1);
    leave(argc > 1 ? 3 : 0);
    return 9;
}
