#include <math.h>
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

// This function runs on the GPU: one thread processes one element.
__global__ void gelu_kernel(float* in, float* out, int num_elements) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;  // Compute global thread index
    if (i < num_elements) {  // Check bounds
        // GELU formula: 0.5 * x * (1 + tanh(âˆš(2/Ï€) * (x + 0.044715xÂ³)))
        out[i] = 0.5 * in[i] * (1.0 + tanh(0.79788456 *
                   (in[i] + 0.044715 * in[i] * in[i] * in[i])));
    }
}

// Helper function: ceil(a / b) without using floats
inline unsigned int cdiv(unsigned int a, unsigned int b) {
    return (a + b - 1) / b;
}

// C++ function that wraps the CUDA kernel so it can be called from Python
torch::Tensor gelu(torch::Tensor x) {
    TORCH_CHECK(x.device().is_cuda());       // Must be a CUDA tensor
    TORCH_CHECK(x.is_contiguous());          // Must be contiguous in memory
    torch::Tensor y = torch::empty_like(x);
    int num_elements = x.numel();            // Total elements
    int block_size = 1024;                   // Threads per block
    int num_blocks = cdiv(num_elements, block_size);  // Number of blocks needed
    gelu_kernel<<<num_blocks, block_size>>>(x.data_ptr<float>(),
                                            y.data_ptr<float>(),
                                            num_elements);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}
