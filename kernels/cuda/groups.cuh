// SPDX-License-Identifier: Apache-2.0
// groups: what cooperative_groups.h has of blocks, and of tiles of them that lie in one warp.
namespace cooperative_groups {

__device__ inline unsigned __tern_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

struct thread_block {
    static __device__ void sync() { __syncthreads(); }
    static __device__ unsigned thread_rank() { return __tern_rank(); }
    static __device__ unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
    static __device__ unsigned num_threads() { return size(); }
    static __device__ dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static __device__ dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static __device__ dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static __device__ dim3 dim_threads() { return group_dim(); }
};
__device__ inline thread_block this_thread_block() { return thread_block(); }

// Of each launch with grid.sync(): bit 31 changes when all blocks have come.
__device__ unsigned __tern_grid_barrier;

// All threads of the launch.
struct grid_group {
    static __device__ void sync() {
        __syncthreads();
        if (__tern_rank() == 0) {
            unsigned last = 0x80000000u - ((unsigned)num_blocks() - 1u), old;
            __threadfence();
            old = atomicAdd(&__tern_grid_barrier, block_rank() == 0 ? last : 1u);
            while (((old ^ *(volatile unsigned *)&__tern_grid_barrier) & 0x80000000u) == 0u) {}
            __threadfence();
        }
        __syncthreads();
    }
    static __device__ bool is_valid() { return true; }
    static __device__ unsigned long long num_blocks() {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static __device__ unsigned long long block_rank() {
        return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    }
    static __device__ unsigned long long size() { return num_blocks() * thread_block::size(); }
    static __device__ unsigned long long num_threads() { return size(); }
    static __device__ unsigned long long thread_rank() {
        return block_rank() * thread_block::size() + __tern_rank();
    }
    static __device__ dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static __device__ dim3 dim_blocks() { return group_dim(); }
    static __device__ dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
__device__ inline grid_group this_grid() { return grid_group(); }

template <unsigned N, typename Parent = thread_block> struct thread_block_tile {
    static __device__ unsigned thread_rank() { return __tern_rank() % N; }
    static constexpr __device__ unsigned size() { return N; }
    static constexpr __device__ unsigned num_threads() { return N; }
    static __device__ unsigned meta_group_rank() { return __tern_rank() / N; }
    static __device__ unsigned meta_group_size() { return (thread_block::size() + N - 1) / N; }
    static __device__ unsigned __tern_mask() {
        return N == 32 ? 0xffffffffu : ((1u << N % 32) - 1u) << (__tern_rank() % 32u / N * N);
    }
    static __device__ void sync() { __syncwarp(__tern_mask()); }
    template <typename T> static __device__ T shfl(T x, int lane) {
        return __shfl_sync(__tern_mask(), x, lane, N);
    }
    template <typename T> static __device__ T shfl_down(T x, unsigned by) {
        return __shfl_down_sync(__tern_mask(), x, by, N);
    }
    template <typename T> static __device__ T shfl_up(T x, unsigned by) {
        return __shfl_up_sync(__tern_mask(), x, by, N);
    }
    template <typename T> static __device__ T shfl_xor(T x, unsigned by) {
        return __shfl_xor_sync(__tern_mask(), x, by, N);
    }
    static __device__ int any(int x) { return __any_sync(__tern_mask(), x); }
    static __device__ int all(int x) { return __all_sync(__tern_mask(), x); }
    static __device__ unsigned ballot(int x) {
        return (__ballot_sync(__tern_mask(), x) & __tern_mask()) >> (__tern_rank() % 32u / N * N);
    }
};
template <unsigned N, typename G> __device__ thread_block_tile<N> tiled_partition(const G &) {
    return thread_block_tile<N>();
}

struct coalesced_group {
    unsigned __tern_mask;
    __device__ unsigned thread_rank() const {
        return __popc(__tern_mask & ((1u << __tern_rank() % 32u) - 1u));
    }
    __device__ unsigned size() const { return __popc(__tern_mask); }
    __device__ unsigned num_threads() const { return size(); }
    __device__ void sync() const { __syncwarp(__tern_mask); }
    template <typename T> __device__ T shfl(T x, int rank) const {
        unsigned left = __tern_mask;
        for (int i = 0; i < rank; i++) left &= left - 1;
        return __shfl_sync(__tern_mask, x, __ffs(left) - 1);
    }
    __device__ int any(int x) const { return __any_sync(__tern_mask, x); }
    __device__ int all(int x) const { return __all_sync(__tern_mask, x); }
};
__device__ inline coalesced_group coalesced_threads() { return coalesced_group{__activemask()}; }

template <typename G> __device__ void sync(const G &g) { g.sync(); }
template <typename G> __device__ unsigned thread_rank(const G &g) { return g.thread_rank(); }
template <typename G> __device__ unsigned group_size(const G &g) { return g.size(); }

template <typename T> struct plus {
    __device__ T operator()(T a, T b) const { return a + b; }
};
template <typename T> struct less {
    __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T> struct greater {
    __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T> struct bit_and {
    __device__ T operator()(T a, T b) const { return a & b; }
};
template <typename T> struct bit_or {
    __device__ T operator()(T a, T b) const { return a | b; }
};
template <typename T> struct bit_xor {
    __device__ T operator()(T a, T b) const { return a ^ b; }
};
template <unsigned N, typename P, typename T, typename F>
__device__ T reduce(const thread_block_tile<N, P> &tile, T x, F f) {
    for (int by = N / 2; by > 0; by /= 2) x = f(x, tile.shfl_xor(x, by));
    return x;
}

} // namespace cooperative_groups
