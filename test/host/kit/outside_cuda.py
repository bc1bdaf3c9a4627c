# SPDX-License-Identifier: Apache-2.0
# Accesses of CUDA C, by the first argument; the second is how far outside.
import sys

import torch
from torch.utils.cpp_extension import load_inline

text = r"""
__global__ void global_(float *x, float *y, int n, long long far) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i + far];
}
__global__ void shared_(float *x, float *y, int far) {
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x + far];
}
__global__ void local_(float *x, float *y, int far) {
    float a[8];
    for (int i = 0; i < 8; i++) a[i] = x[i];
    a[far + threadIdx.x % 8] = x[threadIdx.x % 8];
    y[threadIdx.x] = a[(far + threadIdx.x) % 8];
}
__constant__ float c[4] = {0, 1, 2, 3};
__global__ void constant_(float *x, float *y, int far) { y[threadIdx.x] = c[(threadIdx.x & 3) + far]; }
__global__ void either_(float *x, float *y, int far) {
    __shared__ float s[64], t[64];
    s[threadIdx.x] = t[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    float *p = (far & 2) ? s : t;
    y[threadIdx.x] = p[threadIdx.x + far];
}
__global__ void atomic_(int *x, float *y, int far) { y[threadIdx.x] = threadIdx.x, atomicAdd(&x[far], 0); }
__global__ void four_(float4 *x, float4 *y, int far) { y[threadIdx.x] = x[threadIdx.x + far]; }
torch::Tensor run(torch::Tensor x, int which, int64_t far) {
    auto y = torch::zeros_like(x);
    int n = x.numel();
    float *from = x.data_ptr<float>(), *to = y.data_ptr<float>();
    if (which == 0) global_<<<(n + 255) / 256, 256>>>(from, to, n, far);
    if (which == 1) shared_<<<1, 64>>>(from, to, far);
    if (which == 2) local_<<<1, 64>>>(from, to, far);
    if (which == 3) constant_<<<1, 64>>>(from, to, far);
    if (which == 4) either_<<<1, 64>>>(from, to, far);
    if (which == 5) atomic_<<<1, 64>>>((int *)from, to, far);
    if (which == 6) four_<<<1, 64>>>((float4 *)from, (float4 *)to, far);
    return y;
}
"""
module = load_inline('outside', 'torch::Tensor run(torch::Tensor x, int which, int64_t far);', text, functions=['run'])
x = torch.arange(1000, dtype=torch.float32, device='cuda')
which = ['global', 'shared', 'local', 'constant', 'either', 'atomic', 'four'].index(sys.argv[1])
if torch.equal(module.run(x, which, 0)[:4], x[:4]):
    print('right')
module.run(x, which, int(sys.argv[2]))
