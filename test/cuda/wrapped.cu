// SPDX-License-Identifier: Apache-2.0
// Kernels with the functions between tensors and them that load_inline of PyTorch makes callable:
// GELU by tanh, computed in double, its cube by pow and as a product, and squares on a grid of two
// axes.
#include <cmath>
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

__global__ void gelu_power(const float *x, float *y, int count) {
    int at = threadIdx.x + blockIdx.x * blockDim.x;
    if (at < count)
        y[at] = 0.5 * x[at] * (1.0 + tanh(sqrt(2.0 / M_PI) * (x[at] + 0.044715 * pow(x[at], 3))));
}

__global__ void gelu_product(const float *x, float *y, int count) {
    int at = threadIdx.x + blockIdx.x * blockDim.x;
    if (at >= count) return;
    double cube = 0.044715 * x[at] * x[at] * x[at];
    y[at] = 0.5 * x[at] * (1.0 + tanh(0.79788456 * (x[at] + cube)));
}

__global__ void square_kernel(const float *matrix, float *result, int columns, int rows) {
    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows && c < columns) result[r * columns + c] = matrix[r * columns + c] * matrix[r * columns + c];
}

inline unsigned int blocks_for(unsigned int count, unsigned int block) { return (count + block - 1) / block; }

torch::Tensor gelu(torch::Tensor x) {
    TORCH_CHECK(x.device().is_cuda());
    TORCH_CHECK(x.is_contiguous());
    torch::Tensor y = torch::empty_like(x);
    int count = x.numel(), block = 1024;
    gelu_power<<<blocks_for(count, block), block>>>(x.data_ptr<float>(), y.data_ptr<float>(), count);
    C10_CUDA_CHECK();
    return y;
}

torch::Tensor square(torch::Tensor matrix) {
    const auto rows = matrix.size(0);
    const auto columns = matrix.size(1);
    auto result = torch::empty_like(matrix);
    dim3 threads(16, 16);
    dim3 blocks((columns + threads.x - 1) / threads.x, (rows + threads.y - 1) / threads.y);
    square_kernel<<<blocks, threads>>>(matrix.data_ptr<float>(), result.data_ptr<float>(), columns, rows);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return result;
}
