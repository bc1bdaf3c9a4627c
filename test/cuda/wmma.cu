// Tensor cores by wmma, against sums on the host: test/cli/cuda_more.sh; nvcc takes it, too.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

// c = scale * a b^T + c, each n x n, a tile of 16x16 for each block of one warp.
template <typename T> __global__ void product(const T *a, const T *b, float *c, int n, float scale) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, old;
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + row * n + k, n);
        wmma::load_matrix_sync(fb, b + column * n + k, n);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::load_matrix_sync(old, c + row * n + column, n, wmma::mem_row_major);
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] = scale * sum.x[i] + old.x[i];
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}
// The other layouts, and sums in half.
__global__ void turned(const half *a, const half *b, half *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::col_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> sum;
    __shared__ half s[256];
    for (int i = threadIdx.x; i < 256; i += 32) s[i] = a[i];
    __syncthreads();
    wmma::fill_fragment(sum, __float2half(1.0f));
    wmma::load_matrix_sync(fa, s, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_col_major);
}

static int value(int i, int many) { return (i * 7 + i / 5) % many - many / 2; }
template <typename T> int differ(int n) {
    T *a, *b;
    float *c;
    int wrong = 0;
    cudaMallocManaged(&a, n * n * sizeof(T));
    cudaMallocManaged(&b, n * n * sizeof(T));
    cudaMallocManaged(&c, n * n * sizeof(float));
    for (int i = 0; i < n * n; i++) a[i] = (T)(float)value(i, 9), b[i] = (T)(float)value(i + 3, 7), c[i] = i;
    product<T><<<dim3(n / 16, n / 16), 32>>>(a, b, c, n, 0.5f);
    if (cudaDeviceSynchronize() != cudaSuccess) return -1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int sum = 0;
            for (int k = 0; k < n; k++) sum += value(i * n + k, 9) * value(j * n + k + 3, 7);
            wrong += c[i * n + j] != 0.5f * sum + (i * n + j);
        }
    return wrong;
}
int main() {
    half *a, *b, *c;
    int wrong = 0;
    printf("%d of half, %d of bfloat16, ", differ<half>(48), differ<__nv_bfloat16>(32));
    cudaMallocManaged(&a, 512);
    cudaMallocManaged(&b, 512);
    cudaMallocManaged(&c, 512);
    for (int i = 0; i < 256; i++) a[i] = (half)(float)value(i, 9), b[i] = (half)(float)value(i + 3, 7);
    turned<<<1, 32>>>(a, b, c);
    cudaDeviceSynchronize();
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            int sum = 1;
            for (int k = 0; k < 16; k++) sum += value(k * 16 + i, 9) * value(k * 16 + j + 3, 7);
            wrong += (float)c[j * 16 + i] != (float)sum;
        }
    printf("%d turned differ\n", wrong);
}
