// What tern's own front end refuses and NVRTC takes, among what is for the host: test/cli/nvrtc.sh.
#include <cooperative_groups.h>
#include <cstdio>
#include <iostream>
#include <limits>
#include <torch/extension.h>
#include <vector>

struct Task {
    int n;
    bool twice;
    const float *x;
};
static std::vector<float> of_the_host;
__constant__ float outside = 1;
template <int N, typename... Ts> __device__ float total(Ts... ts) { return N * (... + ts); }

namespace ns {
namespace {
__device__ const float table[] = {0.5f, 2};
}
template <typename T> __global__ void mixed(Task task, T *y, unsigned char add) {
    __shared__ float s[64];
    extern __shared__ float turned[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < task.n ? task.x[i] : 0;
    turned[63 - threadIdx.x] = float(M_PI > 3 ? i : 0);
    __syncthreads();
    float sum = total<2>(s[threadIdx.x], add, 0.5) * table[task.twice] + turned[threadIdx.x];
    if (i < task.n) y[i] = sum < std::numeric_limits<float>::max() ? T(sum) : T(0);
}
} // namespace ns

__global__ void meet(int *x, int *y, int n) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < 5; round++) {
        y[i] = x[(i + 33) % n] + round;
        grid.sync();
        x[i] = y[n - 1 - i];
        grid.sync();
    }
}

__global__ void __launch_bounds__(64) bounded(float *y) { y[threadIdx.x] = total<1>(1.0f, 2.0f); }
__global__ void sines(double *y) { y[threadIdx.x] = total<1>(sin(y[threadIdx.x]), 0.0); }
__global__ void shares(float *y) { y[threadIdx.x] = total<1>(outside, 2.0f); }

torch::Tensor wrapper(torch::Tensor x) {
    of_the_host.push_back(1);
    return x;
}
int main() { std::cout << "a function of the host\n"; }
