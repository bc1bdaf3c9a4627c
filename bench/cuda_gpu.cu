// SPDX-License-Identifier: Apache-2.0
// What tools/bench_nvcc.py times: kernels as people write them, compiled by tern and by nvcc.
#include <cuda_runtime.h>

extern "C" __global__ void gelu(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        out[i] = 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
    }
}

extern "C" __global__ void square(const float *matrix, float *result, int width, int height) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < height && column < width) {
        int at = row * width + column;
        result[at] = matrix[at] * matrix[at];
    }
}

extern "C" __global__ void reduce_tree(const float *in, float *out, int n) {
    __shared__ float part[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    part[t] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce_warp(const float *in, float *out, int n) {
    __shared__ float part[8];
    int t = threadIdx.x, lane = t & 31;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(~0u, sum, k);
    if (lane == 0) part[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = t < blockDim.x / 32 ? part[t] : 0;
        for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(~0u, sum, k);
        if (t == 0) out[blockIdx.x] = sum;
    }
}

extern "C" __global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void matmul_tiled(const float *a, const float *b, float *c, int n) {
    __shared__ float s[16][16], t[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[y][x] = a[row * n + k + x];
        t[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += s[y][i] * t[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// 128x128 of c by 256 threads, 8x8 each, eight columns of a at a time.
extern "C" __global__ void __launch_bounds__(256) sgemm(const float *a, const float *b, float *c, int n) {
    __shared__ float as[8][128], bs[8][128];
    int t = threadIdx.x, row = t / 16 * 8, column = t % 16 * 8;
    float sums[8][8] = {};
    a += blockIdx.y * 128 * n, b += blockIdx.x * 128, c += blockIdx.y * 128 * n + blockIdx.x * 128;
    for (int k = 0; k < n; k += 8) {
        float4 u = *(const float4 *)&a[t / 2 * n + k + t % 2 * 4];
        as[t % 2 * 4 + 0][t / 2] = u.x;
        as[t % 2 * 4 + 1][t / 2] = u.y;
        as[t % 2 * 4 + 2][t / 2] = u.z;
        as[t % 2 * 4 + 3][t / 2] = u.w;
        *(float4 *)&bs[t / 32][t % 32 * 4] = *(const float4 *)&b[(k + t / 32) * n + t % 32 * 4];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float m[8], v[8];
#pragma unroll
            for (int j = 0; j < 8; j++) m[j] = as[i][row + j], v[j] = bs[i][column + j];
#pragma unroll
            for (int y = 0; y < 8; y++)
#pragma unroll
                for (int x = 0; x < 8; x++) sums[y][x] += m[y] * v[x];
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 8; y++)
#pragma unroll
        for (int x = 0; x < 8; x++) c[(row + y) * n + column + x] = sums[y][x];
}

extern "C" __global__ void histogram(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i] & 255], 1u);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

extern "C" __global__ void scan(const float *in, float *out, int n) {
    __shared__ float part[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int k = 1; k < 256; k *= 2) {
        float left = t >= k ? part[t - k] : 0;
        __syncthreads();
        part[t] += left;
        __syncthreads();
    }
    if (i < n) out[i] = part[t];
}
