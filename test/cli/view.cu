// SPDX-License-Identifier: Apache-2.0
// A kernel for test/cli/view.sh: two warps turn a row in shared memory.
__global__ void turn(const float *in, float *out) {
    __shared__ float row[64];
    int i = threadIdx.x;
    row[i] = in[blockIdx.x * 64 + i];
    __syncthreads();
    out[blockIdx.x * 64 + i] = row[63 - i];
}
