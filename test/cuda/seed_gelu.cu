#include <math.h>
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
__global__ void gelu_kernel(float* in, float* out, int num_elements){
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < num_elements){
    out[i] = 0.5 * in[i] * (1.0 + tanh(sqrt(2.0 / M_PI) * (in[i] + 0.044715 * pow(in[i], 3))));
    }
}
inline unsigned int cdiv(unsigned int x, unsigned int y) {
    // compute ceil(x / y) 
    return (x + y - 1) / y;
}
torch::Tensor gelu(torch::Tensor x){
    TORCH_CHECK(x.device().is_cuda());
    TORCH_CHECK(x.is_contiguous());
    torch::Tensor y = torch::empty_like(x);
    int num_elements = x.numel();
    int block_size = 1024;
    int num_blocks = cdiv(num_elements, block_size);
    gelu_kernel<<<num_blocks, block_size>>>(x.data_ptr<float>(), y.data_ptr<float>(), num_elements);
    C10_CUDA_CHECK();
    return y;
}
