// SPDX-License-Identifier: Apache-2.0
// wmma: mma.h: products of 16x16x16 by a warp, of half and bfloat16. A fragment lies as mma.sync has
// it: lane 4 g + t has rows g and g + 8, columns 2 t, 2 t + 1 and these + 8. Where there is no such
// instruction, on cpu and interp, lanes give each other what they have.

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };

template <typename T, int N> struct __tern_elements {
    enum { num_elements = N, num_storage_elements = N };
    T x[N];
};
template <typename USE, int M, int N, int K, typename T, typename LAYOUT = void> struct fragment;
template <typename T, typename LAYOUT>
struct fragment<matrix_a, 16, 16, 16, T, LAYOUT> : public __tern_elements<T, 8> {};
template <typename T, typename LAYOUT>
struct fragment<matrix_b, 16, 16, 16, T, LAYOUT> : public __tern_elements<T, 8> {};
template <typename T>
struct fragment<accumulator, 16, 16, 16, T, void> : public __tern_elements<T, 8> {};

__device__ inline int __tern_lane() {
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31;
}
// Of element i of a lane: the row of A or C (high bits 8), and the other place.
__device__ inline int __tern_outer(int i) { return __tern_lane() / 4 + (i & 2) * 4; }
__device__ inline int __tern_inner(int i) { return __tern_lane() % 4 * 2 + (i & 1) + (i & 4) * 2; }

template <typename T, typename L> struct __tern_is_row { static const bool value = false; };
template <typename T> struct __tern_is_row<T, row_major> { static const bool value = true; };

template <typename T, typename L>
__device__ void load_matrix_sync(fragment<matrix_a, 16, 16, 16, T, L> &a, const T *p, unsigned ld) {
#pragma unroll
    for (int i = 0; i < 8; i++) {
        unsigned row = __tern_outer(i), column = __tern_inner(i);
        a.x[i] = p[__tern_is_row<T, L>::value ? row * ld + column : column * ld + row];
    }
}
template <typename T, typename L>
__device__ void load_matrix_sync(fragment<matrix_b, 16, 16, 16, T, L> &b, const T *p, unsigned ld) {
#pragma unroll
    for (int i = 0; i < 8; i++) {
        unsigned column = __tern_lane() / 4 + (i & 4) * 2;
        unsigned row = __tern_lane() % 4 * 2 + (i & 1) + (i & 2) * 4;
        b.x[i] = p[__tern_is_row<T, L>::value ? row * ld + column : column * ld + row];
    }
}
template <typename T>
__device__ void load_matrix_sync(fragment<accumulator, 16, 16, 16, T, void> &c, const T *p,
                                 unsigned ld, layout_t layout) {
#pragma unroll
    for (int i = 0; i < 8; i++) {
        unsigned row = __tern_outer(i), column = __tern_inner(i);
        c.x[i] = p[layout == mem_row_major ? row * ld + column : column * ld + row];
    }
}
template <typename T>
__device__ void store_matrix_sync(T *p, const fragment<accumulator, 16, 16, 16, T, void> &c,
                                  unsigned ld, layout_t layout) {
#pragma unroll
    for (int i = 0; i < 8; i++) {
        unsigned row = __tern_outer(i), column = __tern_inner(i);
        p[layout == mem_row_major ? row * ld + column : column * ld + row] = c.x[i];
    }
}
template <typename F, typename T> __device__ void fill_fragment(F &f, const T value) {
#pragma unroll
    for (int i = 0; i < 8; i++) f.x[i] = value;
}

__device__ inline unsigned __tern_pair(half a, half b) {
    return (unsigned)__half_as_ushort(b) << 16 | __half_as_ushort(a);
}
__device__ inline unsigned __tern_pair(__nv_bfloat16 a, __nv_bfloat16 b) {
    return (unsigned)__bfloat16_as_ushort(b) << 16 | __bfloat16_as_ushort(a);
}
__device__ inline float __tern_wide(half a) { return __half2float(a); }
__device__ inline float __tern_wide(__nv_bfloat16 a) { return __bfloat162float(a); }

struct __tern_sums { // by reference, not by address: so they are registers
    float x[8];
};
#define __TERN_MMA(T, NAME)                                                                        \
    template <int AT>                                                                              \
    __device__ void __tern_mma(__tern_sums &c, unsigned a0, unsigned a1, unsigned a2, unsigned a3, \
                               T b0, T b1, T b2, T b3) {                                           \
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." NAME "." NAME ".f32 "                \
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"             \
                     : "+f"(c.x[AT]), "+f"(c.x[AT + 1]), "+f"(c.x[AT + 2]), "+f"(c.x[AT + 3])      \
                     : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(__tern_pair(b0, b1)),               \
                       "r"(__tern_pair(b2, b3)));                                                  \
    }
__TERN_MMA(half, "f16")
__TERN_MMA(__nv_bfloat16, "bf16")
#undef __TERN_MMA

template <typename T, typename LA, typename LB>
__device__ void __tern_product(__tern_sums &c, const fragment<matrix_a, 16, 16, 16, T, LA> &a,
                               const fragment<matrix_b, 16, 16, 16, T, LB> &b) {
    if constexpr (__tern_has_ptx) {
        unsigned a0 = __tern_pair(a.x[0], a.x[1]), a1 = __tern_pair(a.x[2], a.x[3]);
        unsigned a2 = __tern_pair(a.x[4], a.x[5]), a3 = __tern_pair(a.x[6], a.x[7]);
        __tern_mma<0>(c, a0, a1, a2, a3, b.x[0], b.x[1], b.x[2], b.x[3]);
        __tern_mma<4>(c, a0, a1, a2, a3, b.x[4], b.x[5], b.x[6], b.x[7]);
    } else {
        int lane = __tern_lane(), row = lane / 4 * 4, column = lane % 4 * 8;
        for (int k = 0; k < 16; k++) {
            float left[2], right[4];
            for (int i = 0; i < 2; i++)
                left[i] = __shfl_sync(~0u, __tern_wide(a.x[(k & 1) + 2 * i + (k >> 3) * 4]),
                                      row + (k & 7) / 2);
            for (int i = 0; i < 4; i++)
                right[i] = __shfl_sync(~0u, __tern_wide(b.x[(k & 1) + (k >> 3) * 2 + (i & 2) * 2]),
                                       column + (i & 1) * 4 + (k & 7) / 2);
            for (int i = 0; i < 8; i++)
                c.x[i] = fmaf(left[i >> 1 & 1], right[(i & 1) + (i >> 2) * 2], c.x[i]);
        }
    }
}

template <typename C, typename D, typename T, typename LA, typename LB>
__device__ void mma_sync(fragment<accumulator, 16, 16, 16, D, void> &d,
                         const fragment<matrix_a, 16, 16, 16, T, LA> &a,
                         const fragment<matrix_b, 16, 16, 16, T, LB> &b,
                         const fragment<accumulator, 16, 16, 16, C, void> &c) {
    __tern_sums sum;
#pragma unroll
    for (int i = 0; i < 8; i++) sum.x[i] = (float)c.x[i];
    __tern_product(sum, a, b);
#pragma unroll
    for (int i = 0; i < 8; i++) d.x[i] = (D)sum.x[i];
}

} // namespace wmma
} // namespace nvcuda
