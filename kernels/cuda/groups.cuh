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
    __device__ int __tern_lane(int rank) const {
        unsigned left = __tern_mask;
        for (int i = 0; i < rank; i++) left &= left - 1;
        return __ffs(left) - 1;
    }
    template <typename T> __device__ T shfl(T x, int rank) const {
        return __shfl_sync(__tern_mask, x, __tern_lane(rank));
    }
    template <typename T> __device__ T shfl_down(T x, unsigned by) const {
        unsigned rank = thread_rank();
        return shfl(x, rank + by < size() ? rank + by : rank);
    }
    template <typename T> __device__ T shfl_up(T x, unsigned by) const {
        unsigned rank = thread_rank();
        return shfl(x, rank >= by ? rank - by : rank);
    }
    __device__ int any(int x) const { return __any_sync(__tern_mask, x); }
    __device__ int all(int x) const { return __all_sync(__tern_mask, x); }
    __device__ unsigned __tern_packed(unsigned lanes) const { // of lanes, by rank
        unsigned out = 0;
        for (unsigned left = __tern_mask, i = 0; left; left &= left - 1, i++)
            out |= (lanes >> (__ffs(left) - 1) & 1u) << i;
        return out;
    }
    __device__ unsigned ballot(int x) const {
        return __tern_packed(__ballot_sync(__tern_mask, x));
    }
    template <typename T> __device__ unsigned match_any(T x) const {
        return __tern_packed(__match_any_sync(__tern_mask, x));
    }
};
__device__ inline coalesced_group coalesced_threads() { return coalesced_group{__activemask()}; }

// The threads of a group that say the same.
template <typename T>
__device__ coalesced_group labeled_partition(const coalesced_group &g, T label) {
    return coalesced_group{__match_any_sync(g.__tern_mask, label)};
}
template <unsigned N, typename P, typename T>
__device__ coalesced_group labeled_partition(const thread_block_tile<N, P> &g, T label) {
    return coalesced_group{__match_any_sync(g.__tern_mask(), label)};
}
__device__ inline coalesced_group binary_partition(const coalesced_group &g, bool is) {
    unsigned lanes = __ballot_sync(g.__tern_mask, is);
    return coalesced_group{is ? lanes : g.__tern_mask & ~lanes};
}
template <unsigned N, typename P>
__device__ coalesced_group binary_partition(const thread_block_tile<N, P> &g, bool is) {
    unsigned lanes = __ballot_sync(g.__tern_mask(), is) & g.__tern_mask();
    return coalesced_group{is ? lanes : g.__tern_mask() & ~lanes};
}

// Any of these, known when it runs; of a block the mask is 0.
struct thread_group {
    unsigned __tern_mask, __tern_size, __tern_at;
    __device__ thread_group(unsigned mask, unsigned size, unsigned at)
        : __tern_mask(mask), __tern_size(size), __tern_at(at) {}
    __device__ thread_group(const thread_block &g) : thread_group(0u, g.size(), g.thread_rank()) {}
    __device__ thread_group(const coalesced_group &g)
        : thread_group(g.__tern_mask, g.size(), g.thread_rank()) {}
    template <unsigned N, typename P>
    __device__ thread_group(const thread_block_tile<N, P> &g)
        : thread_group(g.__tern_mask(), N, g.thread_rank()) {}
    __device__ unsigned size() const { return __tern_size; }
    __device__ unsigned num_threads() const { return __tern_size; }
    __device__ unsigned thread_rank() const { return __tern_at; }
    __device__ void sync() const {
        if (__tern_mask == 0u)
            __syncthreads();
        else
            __syncwarp(__tern_mask);
    }
};
__device__ inline thread_group tiled_partition(const thread_group &g, unsigned size) {
    unsigned first = __tern_rank() % 32u / size * size;
    return thread_group(size == 32u ? 0xffffffffu : ((1u << size) - 1u) << first, size,
                        g.thread_rank() % size);
}

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
template <typename T, typename F> __device__ T reduce(const coalesced_group &g, T x, F f) {
    T all = g.shfl(x, 0);
    for (int i = 1; i < (int)g.size(); i++) all = f(all, g.shfl(x, i));
    return all;
}
template <unsigned N, typename P, typename T, typename F>
__device__ T reduce(const thread_block_tile<N, P> &tile, T x, F f) {
    for (int by = N / 2; by > 0; by /= 2) x = f(x, tile.shfl_xor(x, by));
    return x;
}

} // namespace cooperative_groups
