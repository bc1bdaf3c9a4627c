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

// Functions that stay functions.
__device__ __noinline__ int steps(int n) {
    int count = 0;
    while (n != 1) {
        if (count == 20) return -1;
        n = n & 1 ? 3 * n + 1 : n / 2;
        count++;
    }
    return count;
}
__device__ __noinline__ double2 both(double x, float y) { return make_double2(x * y, x + y); }
__device__ __noinline__ long long deeper(int n) { return steps(n) + 1000000000000ll * steps(n + 1); }
__global__ void calls(double *y) {
    int i = threadIdx.x + 1;
    double2 two = both(i, 0.5f);
    y[4 * i - 4] = steps(i);
    y[4 * i - 3] = (double)deeper(i);
    y[4 * i - 2] = two.x - two.y;
    y[4 * i - 1] = pow((double)i, 3.0) + floor(1000 * sinf(i * 1e5f));
}
__global__ void directed(float *y, float x) {
    y[0] = __float_as_int(__fadd_ru(x, 1e-9f)) - __float_as_int(__fadd_rz(x, 1e-9f));
    y[1] = __float_as_int(__fmul_rd(x, -0.1f)) - __float_as_int(__fmul_rz(x, -0.1f));
    y[2] = __float_as_int(__fmaf_rn(x, 0.1f, 1e-9f)) - __float_as_int(__fmaf_rd(x, 0.1f, 1e-9f));
    y[3] = __int2float_ru(16777217) - __int2float_rz(16777217);
    y[4] = (float)((__dadd_ru(x, 1e-20) - __dadd_rd(x, 1e-20)) * 0x1p52);
    y[5] = (float)__double2int_ru(x + 0.25) + (float)__double2ll_rd(-x - 0.25);
}
__device__ __noinline__ int recursive(int n) { return n < 2 ? n : recursive(n - 1) + recursive(n - 2); }
__global__ void recurses(double *y) { y[0] = recursive((int)y[0]); }

torch::Tensor wrapper(torch::Tensor x) {
    of_the_host.push_back(1);
    return x;
}
int main() { std::cout << "a function of the host\n"; }
