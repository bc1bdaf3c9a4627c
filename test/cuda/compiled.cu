// SPDX-License-Identifier: Apache-2.0
// Functions between tensors and kernels that want the whole of C++: containers, exceptions,
// lambdas, virtual functions, launches in templates, launches over several lines.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

__device__ float twice(float x) { return 2 * x; } // "k<<<1, 2>>>(x)" in a text, and '<<<'

template <typename T, int SCALE> __global__ void scale(const T *x, T *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = T(twice(float(x[i])) * SCALE);
}
__global__ void add(const float *x, float *y, unsigned char some, bool more, double factor, long long n) {
    for (long long i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] + some + more + (float)factor;
}

namespace {
struct Shape {
    virtual ~Shape() {}
    virtual int blocks(long n) const = 0;
};
struct Line : Shape {
    int threads;
    explicit Line(int threads) : threads(threads) {}
    int blocks(long n) const override { return (n + threads - 1) / threads; }
};
} // namespace

torch::Tensor scaled(torch::Tensor x) {
    std::vector<torch::Tensor> made;
    std::map<std::string, std::function<void()>> steps;
    const Shape &shape = Line(64);
    for (int i = 0; i < 2; i++) made.push_back(torch::empty({x.size(0), x.size(1)}, x.options()));
    steps["first"] = [&] {
        scale<float, 3>
            <<<shape.blocks(x.numel()), 64, 0,
               at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), made[0].data_ptr<float>(), x.numel());
    };
    steps["second"] = [&] {
        add<<<1, dim3(32)>>>(made[0].data_ptr<float>(), made[1].data_ptr<float>(), 3, true, 0.5, x.numel());
    };
    for (auto &step : steps) step.second();
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return made[1].view({-1});
}
torch::Tensor halves(const torch::Tensor &x) {
    auto y = torch::zeros_like(x);
    scale<half, 1><<<1, 64>>>(x.data_ptr<at::Half>() ? (const half *)x.data_ptr() : nullptr, (half *)y.data_ptr(), x.numel());
    return y;
}
double mean(torch::Tensor x, double weight, int64_t times) { return weight * times / x.numel(); }
torch::Tensor checked(torch::Tensor x, int n) {
    TORCH_CHECK(x.size(0) == n, "expected ", n, " rows, saw ", x.size(0), std::string("!"));
    return x;
}
torch::Tensor throws(torch::Tensor x) { throw std::runtime_error("no"); }
torch::Tensor caught(torch::Tensor x) {
    try {
        throw std::runtime_error("no");
    } catch (const std::exception &e) {
        return torch::zeros({(long)std::string(e.what()).size()}, torch::dtype(torch::kInt32));
    }
}
torch::Tensor too_large(torch::Tensor x) {
    add<<<1, 1025>>>(x.data_ptr<float>(), x.data_ptr<float>(), 0, false, 0, 1);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return x;
}
torch::Tensor of_the_host(torch::Tensor x) {
    float here[4] = {};
    add<<<1, 4>>>(here, x.data_ptr<float>(), 0, false, 0, 4);
    return x;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("scaled", &scaled, "launches '{' \"}\"");
}
