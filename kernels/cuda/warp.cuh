// SPDX-License-Identifier: Apache-2.0
// warp: what is made of shuffles, votes and barriers.

#define __TERN_REDUCE(NAME, T, EXPRESSION)                                                         \
    __device__ inline T NAME(unsigned mask, T a) {                                                 \
        if (mask == 0xffffffffu) {                                                                 \
            for (int by = 16; by > 0; by /= 2) {                                                   \
                T b = __shfl_xor_sync(mask, a, by);                                                \
                a = EXPRESSION;                                                                    \
            }                                                                                      \
            return a;                                                                              \
        }                                                                                          \
        T own = a;                                                                                 \
        a = __shfl_sync(mask, own, __ffs(mask) - 1);                                               \
        for (unsigned left = mask & mask - 1; left; left &= left - 1) {                            \
            T b = __shfl_sync(mask, own, __ffs(left) - 1);                                         \
            a = EXPRESSION;                                                                        \
        }                                                                                          \
        return a;                                                                                  \
    }
__TERN_REDUCE(__reduce_add_sync, int, (int)((unsigned)a + (unsigned)b))
__TERN_REDUCE(__reduce_add_sync, unsigned, a + b)
__TERN_REDUCE(__reduce_min_sync, int, min(a, b))
__TERN_REDUCE(__reduce_min_sync, unsigned, min(a, b))
__TERN_REDUCE(__reduce_max_sync, int, max(a, b))
__TERN_REDUCE(__reduce_max_sync, unsigned, max(a, b))
__TERN_REDUCE(__reduce_and_sync, unsigned, a & b)
__TERN_REDUCE(__reduce_or_sync, unsigned, a | b)
__TERN_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
#undef __TERN_REDUCE

// Bits are compared.
#define __TERN_MATCH(T, BITS)                                                                      \
    __device__ inline unsigned __match_any_sync(unsigned mask, T x) {                              \
        unsigned same = 0;                                                                         \
        for (unsigned left = mask; left; left &= left - 1) {                                       \
            T y = __shfl_sync(mask, x, __ffs(left) - 1);                                           \
            if (BITS(x) == BITS(y)) same |= left & -left;                                          \
        }                                                                                          \
        return same;                                                                               \
    }                                                                                              \
    __device__ inline unsigned __match_all_sync(unsigned mask, T x, int *all) {                    \
        T y = __shfl_sync(mask, x, __ffs(mask) - 1);                                               \
        *all = __all_sync(mask, BITS(x) == BITS(y));                                               \
        return *all ? mask : 0u;                                                                   \
    }
__TERN_MATCH(int, )
__TERN_MATCH(unsigned, )
__TERN_MATCH(long, )
__TERN_MATCH(unsigned long, )
__TERN_MATCH(long long, )
__TERN_MATCH(unsigned long long, )
__TERN_MATCH(float, __float_as_int)
__TERN_MATCH(double, __double_as_longlong)
#undef __TERN_MATCH

__device__ inline float atomicExch(float *p, float x) {
    return __int_as_float(atomicExch((int *)p, __float_as_int(x)));
}

// Of all threads of the block.
__device__ inline int __syncthreads_count(int is) {
    __shared__ unsigned count_of;
    unsigned rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    if (rank == 0) count_of = 0;
    __syncthreads();
    if (is) atomicAdd(&count_of, 1u);
    __syncthreads();
    int count = (int)count_of;
    __syncthreads();
    return count;
}
__device__ inline int __syncthreads_or(int is) { return __syncthreads_count(is) != 0; }
__device__ inline int __syncthreads_and(int is) { return __syncthreads_count(!is) == 0; }
__device__ inline void __nanosleep(unsigned) {}

// Launches that wait for each other's triggers are never made: the grid before has ended.
__device__ inline void cudaGridDependencySynchronize() {}
__device__ inline void cudaTriggerProgrammaticLaunchCompletion() {}
