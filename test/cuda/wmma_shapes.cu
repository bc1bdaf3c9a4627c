// Shapes and types of mma.h but 16x16x16 of half, against sums on the host: test/cli/cuda_more.sh;
// nvcc takes it, too.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
namespace precision = nvcuda::wmma::precision;

template <typename T> __device__ T rounded(T x) { return x; }
template <> __device__ float rounded(float x) { return wmma::__float_to_tf32(x); }

// c = a b + 2 c; rows of the matrices in memory are `gap` numbers longer than they need to be.
template <int M, int N, int K, typename T, typename E, typename S, typename LA, typename LB>
__global__ void product(const E *a, const E *b, S *c, int lda, int ldb, int ldc, bool by_rows) {
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, S> old, sum;
    wmma::layout_t layout = by_rows ? wmma::mem_row_major : wmma::mem_col_major;
    wmma::load_matrix_sync(fa, a, lda);
    wmma::load_matrix_sync(fb, b, ldb);
    wmma::load_matrix_sync(old, c, ldc, layout);
    for (int i = 0; i < fa.num_elements; i++) fa.x[i] = rounded(fa.x[i]);
    for (int i = 0; i < fb.num_elements; i++) fb.x[i] = rounded(fb.x[i]);
    wmma::mma_sync(sum, fa, fb, old);
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] = sum.x[i] + old.x[i];
    wmma::store_matrix_sync(c, sum, ldc, layout);
}

static double value(int i, double least, int many) { return least + (i * 7 + i / 5) % many; }
template <typename L> struct is_row { static const bool value = false; };
template <> struct is_row<wmma::row_major> { static const bool value = true; };

template <int M, int N, int K, typename T, typename E, typename S, typename LA, typename LB>
int differ(double least, int many, bool by_rows) {
    const int gap = 16;
    bool a_rows = is_row<LA>::value, b_rows = is_row<LB>::value;
    int lda = (a_rows ? K : M) + gap, ldb = (b_rows ? N : K) + gap, ldc = (by_rows ? N : M) + gap, wrong = 0;
    E *a, *b;
    S *c;
    cudaMallocManaged(&a, 48 * 48 * sizeof(E));
    cudaMallocManaged(&b, 48 * 48 * sizeof(E));
    cudaMallocManaged(&c, 48 * 48 * sizeof(S));
    for (int i = 0; i < 48 * 48; i++) a[i] = (E)(float)value(i, least, many), b[i] = (E)(float)value(i + 3, least, many), c[i] = (S)(float)(i % 17 - 5);
    product<M, N, K, T, E, S, LA, LB><<<1, 32>>>(a, b, c, lda, ldb, ldc, by_rows);
    if (cudaDeviceSynchronize() != cudaSuccess) return -1;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int at = by_rows ? i * ldc + j : j * ldc + i;
            double sum = 2.0 * (at % 17 - 5);
            for (int k = 0; k < K; k++) sum += value(a_rows ? i * lda + k : k * lda + i, least, many) * value((b_rows ? k * ldb + j : j * ldb + k) + 3, least, many);
            wrong += (double)(float)c[at] != sum;
        }
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return wrong;
}
static bool few;
template <int M, int N, int K, typename T, typename E, typename S> void all(const char *name, double least, int many) {
    int a = differ<M, N, K, T, E, S, wmma::row_major, wmma::col_major>(least, many, true);
    if (few) {
        printf("%s %d ", name, a);
        return;
    }
    int b = differ<M, N, K, T, E, S, wmma::row_major, wmma::row_major>(least, many, false);
    int c = differ<M, N, K, T, E, S, wmma::col_major, wmma::col_major>(least, many, false);
    int d = differ<M, N, K, T, E, S, wmma::col_major, wmma::row_major>(least, many, true);
    printf("%s %d%d%d%d ", name, a, b, c, d);
}
__global__ void ties(const float *x, float *y) { y[threadIdx.x] = wmma::__float_to_tf32(x[threadIdx.x]); }
int main(int argc, char **argv) {
    few = argc > 1;
    all<8, 32, 16, unsigned char, unsigned char, int>("u8", 0, 255);
    all<16, 16, 8, precision::tf32, float, float>("tf32", -500, 1000);
    all<8, 8, 4, double, double, double>("fp64", -1000, 1999);
    if (few) return 0;
    all<32, 8, 16, half, half, float>("half32", -4, 9);
    all<8, 32, 16, half, half, float>("half8", -4, 9);
    all<8, 32, 16, half, half, half>("half", -3, 7);
    all<32, 8, 16, __nv_bfloat16, __nv_bfloat16, float>("bf32", -4, 9);
    all<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float>("bf8", -4, 9);
    all<16, 16, 16, signed char, signed char, int>("s16", -128, 255);
    all<32, 8, 16, signed char, signed char, int>("s32", -128, 255);
    all<8, 32, 16, signed char, signed char, int>("s8", -128, 255);
    all<16, 16, 16, unsigned char, unsigned char, int>("u16", 0, 255);
    all<32, 8, 16, unsigned char, unsigned char, int>("u32", 0, 255);
    float *x, *y;
    cudaMallocManaged(&x, 16);
    cudaMallocManaged(&y, 16);
    x[0] = 2049, x[1] = 2051, x[2] = -1.00048828125f, x[3] = 1.000488f;
    ties<<<1, 4>>>(x, y);
    cudaDeviceSynchronize();
    printf("%g %g %.9g %g\n", y[0], y[1], y[2], y[3]);
}
