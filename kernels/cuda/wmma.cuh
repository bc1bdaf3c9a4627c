// SPDX-License-Identifier: Apache-2.0
// wmma: mma.h: products of small matrices by a warp: 16x16x16, 32x8x16 and 8x32x16 of half,
// bfloat16 and bytes, 16x16x8 of tf32, 8x8x4 of double. Fragments lie as mma.sync has them: lane
// 4 g + t has elements of row (or column) g, of eight rows each. One of A and B is tall, which
// means blocks of 16 rows, the other one flat, columns in blocks of 8: of 8x32x16 B is the tall
// one, so that what is computed is B^T A^T. Where there is no such instruction, on cpu and interp,
// lanes give each other what they have.

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
} // namespace precision
namespace experimental {
namespace precision {
struct u4 {};
struct s4 {};
struct b1 {};
} // namespace precision
} // namespace experimental

// Of an element: its type in memory, the type that sums have, how many lie in 32 bits.
template <typename T> struct __tern_element;
#define __TERN_ELEMENT(T, TYPE, SUM, WIDTH)                                                        \
    template <> struct __tern_element<T> {                                                         \
        typedef TYPE type;                                                                         \
        typedef SUM sum;                                                                           \
        static const int width = WIDTH;                                                            \
    };
__TERN_ELEMENT(half, half, float, 2)
__TERN_ELEMENT(__nv_bfloat16, __nv_bfloat16, float, 2)
__TERN_ELEMENT(signed char, signed char, int, 4)
__TERN_ELEMENT(unsigned char, unsigned char, int, 4)
__TERN_ELEMENT(precision::tf32, float, float, 1)
__TERN_ELEMENT(double, double, double, 1)
#undef __TERN_ELEMENT

template <typename T, int N> struct __tern_elements {
    enum { num_elements = N, num_storage_elements = N };
    typedef T storage_element_type;
    T x[N];
};
template <typename USE, int M, int N, int K, typename T, typename LAYOUT = void> struct fragment;
#define __TERN_FRAGMENTS(M, N, K, T)                                                               \
    template <typename L>                                                                          \
    struct fragment<matrix_a, M, N, K, T, L>                                                       \
        : public __tern_elements<typename __tern_element<T>::type, M * K / 32> {};                 \
    template <typename L>                                                                          \
    struct fragment<matrix_b, M, N, K, T, L>                                                       \
        : public __tern_elements<typename __tern_element<T>::type, N * K / 32> {};
#define __TERN_SUMS(M, N, K, T)                                                                    \
    template <>                                                                                    \
    struct fragment<accumulator, M, N, K, T, void> : public __tern_elements<T, M * N / 32> {};
#define __TERN_SHAPE(M, N)                                                                         \
    __TERN_FRAGMENTS(M, N, 16, half)                                                               \
    __TERN_FRAGMENTS(M, N, 16, __nv_bfloat16)                                                      \
    __TERN_FRAGMENTS(M, N, 16, signed char)                                                        \
    __TERN_FRAGMENTS(M, N, 16, unsigned char)                                                      \
    __TERN_SUMS(M, N, 16, half)                                                                    \
    __TERN_SUMS(M, N, 16, float)                                                                   \
    __TERN_SUMS(M, N, 16, int)
__TERN_SHAPE(16, 16)
__TERN_SHAPE(32, 8)
__TERN_SHAPE(8, 32)
__TERN_FRAGMENTS(16, 16, 8, precision::tf32)
__TERN_SUMS(16, 16, 8, float)
__TERN_FRAGMENTS(8, 8, 4, double)
__TERN_SUMS(8, 8, 4, double)
#undef __TERN_SHAPE
#undef __TERN_SUMS
#undef __TERN_FRAGMENTS

__device__ inline int __tern_lane() {
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31;
}
// Of element i of a lane, W of which lie in 32 bits: its row (column) in the tall and in the flat
// matrix, and its place along K.
template <int K> __device__ int __tern_row(bool tall, int i, int W) {
    int g = __tern_lane() / 4;
    return tall ? g + (i / W & 1) * 8 + i / (K / 2) * 16 : g + i / (K / 4) * 8;
}
template <int K> __device__ int __tern_along(bool tall, int i, int W) {
    int j = tall ? i % (K / 2) / (2 * W) : i % (K / 4) / W;
    return __tern_lane() % 4 * W + i % W + j * 4 * W;
}
// Of element i of the sums: the row in the tall matrix, the column in the flat one.
template <int TALL, int FLAT> __device__ int __tern_outer(int i) {
    return __tern_lane() / 4 + (i & 2) * 4 + i / 4 / (FLAT / 8) * 16;
}
template <int TALL, int FLAT> __device__ int __tern_inner(int i) {
    return __tern_lane() % 4 * 2 + (i & 1) + i / 4 % (FLAT / 8) * 8;
}
template <int M, int N> __device__ unsigned __tern_place(int i, unsigned ld, bool by_rows) {
    constexpr bool turned = M < N;
    unsigned outer = __tern_outer<turned ? N : M, turned ? M : N>(i);
    unsigned inner = __tern_inner<turned ? N : M, turned ? M : N>(i);
    return by_rows != turned ? outer * ld + inner : inner * ld + outer;
}

template <typename T> struct __tern_is_row { static const bool value = false; };
template <> struct __tern_is_row<row_major> { static const bool value = true; };

template <int M, int N, int K, typename T, typename L>
__device__ void load_matrix_sync(fragment<matrix_a, M, N, K, T, L> &a,
                                 const typename __tern_element<T>::type *p, unsigned ld) {
#pragma unroll
    for (int i = 0; i < M * K / 32; i++) {
        unsigned row = __tern_row<K>(M >= 16, i, __tern_element<T>::width);
        unsigned column = __tern_along<K>(M >= 16, i, __tern_element<T>::width);
        a.x[i] = p[__tern_is_row<L>::value ? row * ld + column : column * ld + row];
    }
}
template <int M, int N, int K, typename T, typename L>
__device__ void load_matrix_sync(fragment<matrix_b, M, N, K, T, L> &b,
                                 const typename __tern_element<T>::type *p, unsigned ld) {
#pragma unroll
    for (int i = 0; i < N * K / 32; i++) {
        unsigned column = __tern_row<K>(N == 32, i, __tern_element<T>::width);
        unsigned row = __tern_along<K>(N == 32, i, __tern_element<T>::width);
        b.x[i] = p[__tern_is_row<L>::value ? row * ld + column : column * ld + row];
    }
}
template <int M, int N, int K, typename T>
__device__ void load_matrix_sync(fragment<accumulator, M, N, K, T, void> &c, const T *p,
                                 unsigned ld, layout_t layout) {
#pragma unroll
    for (int i = 0; i < M * N / 32; i++)
        c.x[i] = p[__tern_place<M, N>(i, ld, layout == mem_row_major)];
}
template <int M, int N, int K, typename T>
__device__ void store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T, void> &c,
                                  unsigned ld, layout_t layout) {
#pragma unroll
    for (int i = 0; i < M * N / 32; i++)
        p[__tern_place<M, N>(i, ld, layout == mem_row_major)] = c.x[i];
}
template <typename F, typename T> __device__ void fill_fragment(F &f, const T value) {
#pragma unroll
    for (int i = 0; i < F::num_elements; i++) f.x[i] = value;
}
__device__ inline float __float_to_tf32(float x) { // the nearest, ties away from 0
    return x != x ? x : __uint_as_float((__float_as_uint(x) + 0x1000u) & ~0x1fffu);
}

__device__ inline unsigned __tern_pair(half a, half b) {
    return (unsigned)__half_as_ushort(b) << 16 | __half_as_ushort(a);
}
__device__ inline unsigned __tern_pair(__nv_bfloat16 a, __nv_bfloat16 b) {
    return (unsigned)__bfloat16_as_ushort(b) << 16 | __bfloat16_as_ushort(a);
}
__device__ inline unsigned __tern_four(int a, int b, int c, int d) {
    return (a & 255) | (b & 255) << 8 | (c & 255) << 16 | (unsigned)d << 24;
}
__device__ inline float __tern_wide(half a) { return __half2float(a); }
__device__ inline float __tern_wide(__nv_bfloat16 a) { return __bfloat162float(a); }
__device__ inline float __tern_wide(float a) { // of tf32: the bits that are too many are not read
    return __uint_as_float(__float_as_uint(a) & ~0x1fffu);
}
__device__ inline double __tern_wide(double a) { return a; }
__device__ inline int __tern_wide(signed char a) { return a; }
__device__ inline int __tern_wide(unsigned char a) { return a; }
__device__ inline float __tern_fma(float a, float b, float c) { return fmaf(a, b, c); }
__device__ inline double __tern_fma(double a, double b, double c) { return fma(a, b, c); }
__device__ inline int __tern_fma(int a, int b, int c) { return a * b + c; }

template <typename T> struct __tern_sums { // by reference, not by address: so they are registers
    T x[8];
};
// Sums AT of block A of the tall and block B of the flat matrix.
#define __TERN_MMA(T, SUM, LETTER, TEXT, A_REGISTERS, B_REGISTERS, ...)                            \
    template <int AT, int A, int B, typename FA, typename FB>                                      \
    __device__ void __tern_mma(const T *, __tern_sums<SUM> &c, const FA &a, const FB &b) {         \
        asm volatile("mma.sync.aligned." TEXT " {%0, %1, %2, %3}, {" A_REGISTERS "}, {"            \
                     B_REGISTERS "}, {%0, %1, %2, %3};"                                            \
                     : "+" LETTER(c.x[AT]), "+" LETTER(c.x[AT + 1]), "+" LETTER(c.x[AT + 2]),      \
                       "+" LETTER(c.x[AT + 3])                                                     \
                     : __VA_ARGS__);                                                               \
    }
#define __TERN_MMA_PAIRS(T, NAME)                                                                  \
    __TERN_MMA(T, float, "f", "m16n8k16.row.col.f32." NAME "." NAME ".f32", "%4, %5, %6, %7",      \
               "%8, %9", "r"(__tern_pair(a.x[A], a.x[A + 1])),                                     \
               "r"(__tern_pair(a.x[A + 2], a.x[A + 3])), "r"(__tern_pair(a.x[A + 4], a.x[A + 5])), \
               "r"(__tern_pair(a.x[A + 6], a.x[A + 7])), "r"(__tern_pair(b.x[B], b.x[B + 1])),     \
               "r"(__tern_pair(b.x[B + 2], b.x[B + 3])))
#define __TERN_MMA_BYTES(T, NAME)                                                                  \
    __TERN_MMA(T, int, "r", "m16n8k16.row.col.s32." NAME "." NAME ".s32", "%4, %5", "%6",          \
               "r"(__tern_four(a.x[A], a.x[A + 1], a.x[A + 2], a.x[A + 3])),                       \
               "r"(__tern_four(a.x[A + 4], a.x[A + 5], a.x[A + 6], a.x[A + 7])),                   \
               "r"(__tern_four(b.x[B], b.x[B + 1], b.x[B + 2], b.x[B + 3])))
__TERN_MMA_PAIRS(half, "f16")
__TERN_MMA_PAIRS(__nv_bfloat16, "bf16")
__TERN_MMA_BYTES(signed char, "s8")
__TERN_MMA_BYTES(unsigned char, "u8")
__TERN_MMA(precision::tf32, float, "f", "m16n8k8.row.col.f32.tf32.tf32.f32", "%4, %5, %6, %7",
           "%8, %9", "r"(__float_as_uint(a.x[A])), "r"(__float_as_uint(a.x[A + 1])),
           "r"(__float_as_uint(a.x[A + 2])), "r"(__float_as_uint(a.x[A + 3])),
           "r"(__float_as_uint(b.x[B])), "r"(__float_as_uint(b.x[B + 1])))
#undef __TERN_MMA_BYTES
#undef __TERN_MMA_PAIRS
#undef __TERN_MMA

// By lanes: for each k, what this lane's rows and columns have there.
template <int TALL, int FLAT, int K, typename T, typename S, typename FA, typename FB>
__device__ void __tern_by_lanes(__tern_sums<S> &c, const FA &a, const FB &b) {
    constexpr int W = __tern_element<T>::width, rows = TALL / 8, columns = FLAT / 8 * 2;
    constexpr int stride = TALL == 8 ? 1 : 2; // of elements along K in the tall matrix
    int lane = __tern_lane(), row = lane / 4 * 4, column = lane % 4 * 8;
    for (int k = 0; k < K; k++) {
        S left[rows], right[columns];
        int from = k % (4 * W) / W, at = k / (4 * W), e = k % W;
        for (int i = 0; i < rows; i++)
            left[i] = __shfl_sync(
                ~0u, __tern_wide(a.x[i / 2 * K / 2 + (at * stride + (i & 1)) * W + e]), row + from);
        for (int i = 0; i < columns; i++)
            right[i] = __shfl_sync(~0u, __tern_wide(b.x[i / 2 * (K / 4) + at * W + e]),
                                   column + (i & 1) * 4 + from);
        for (int i = 0; i < TALL * FLAT / 32; i++) {
            int block = i / 4 / (FLAT / 8), over = i / 4 % (FLAT / 8);
            c.x[i] = __tern_fma(left[(i >> 1 & 1) + block * 2], right[(i & 1) + over * 2], c.x[i]);
        }
    }
}

template <int TALL, int FLAT, int K, typename T, typename S, typename FA, typename FB>
__device__ void __tern_product(__tern_sums<S> &c, const FA &a, const FB &b) {
    if constexpr (!__tern_has_ptx) {
        __tern_by_lanes<TALL, FLAT, K, T>(c, a, b);
    } else if constexpr (K == 4) {
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, "
                     "{%0, %1};"
                     : "+d"(c.x[0]), "+d"(c.x[1])
                     : "d"(a.x[0]), "d"(b.x[0]));
    } else {
        const T *of = nullptr;
        __tern_mma<0, 0, 0>(of, c, a, b);
        __tern_mma<4, FLAT == 8 ? K / 2 : 0, FLAT == 8 ? 0 : K / 4>(of, c, a, b);
    }
}

template <int M, int N, int K, typename C, typename D, typename T, typename LA, typename LB>
__device__ void mma_sync(fragment<accumulator, M, N, K, D, void> &d,
                         const fragment<matrix_a, M, N, K, T, LA> &a,
                         const fragment<matrix_b, M, N, K, T, LB> &b,
                         const fragment<accumulator, M, N, K, C, void> &c) {
    __tern_sums<typename __tern_element<T>::sum> sum;
#pragma unroll
    for (int i = 0; i < M * N / 32; i++) sum.x[i] = (typename __tern_element<T>::sum)c.x[i];
    if constexpr (M < N)
        __tern_product<N, M, K, T>(sum, b, a);
    else
        __tern_product<M, N, K, T>(sum, a, b);
#pragma unroll
    for (int i = 0; i < M * N / 32; i++) d.x[i] = (D)sum.x[i];
}
template <int M, int N, int K, typename T, typename LA, typename LB>
__device__ void mma_sync(fragment<accumulator, M, N, K, int, void> &d,
                         const fragment<matrix_a, M, N, K, T, LA> &a,
                         const fragment<matrix_b, M, N, K, T, LB> &b,
                         const fragment<accumulator, M, N, K, int, void> &c, bool saturates) {
    static_assert(M == 0, "mma_sync with sums that saturate is not supported");
}

} // namespace wmma
} // namespace nvcuda
