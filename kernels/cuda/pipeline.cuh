// SPDX-License-Identifier: Apache-2.0
// pipeline: copies that may be under way while others compute: cuda_pipeline.h, <cuda/pipeline> and
// memcpy_async. Here a copy is done where it stands, which is one of the orders that they allow.

template <int BYTES> struct __align__(BYTES) __tern_bytes { unsigned char at[BYTES]; };
__device__ inline void __tern_copy(void *to, const void *from, size_t bytes, size_t filled) {
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)to)[i] = i < filled ? ((const unsigned char *)from)[i] : (unsigned char)0;
}
__device__ inline void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                               size_t zeros = 0) {
    if (zeros)
        __tern_copy(to, from, bytes, bytes - zeros);
    else if (bytes == 16)
        *(uint4 *)to = *(const uint4 *)from;
    else if (bytes == 8)
        *(uint2 *)to = *(const uint2 *)from;
    else
        *(unsigned *)to = *(const unsigned *)from;
}
__device__ inline void __pipeline_commit() {}
__device__ inline void __pipeline_wait_prior(size_t) {}

namespace cuda {
enum thread_scope {
    thread_scope_system,
    thread_scope_device,
    thread_scope_block,
    thread_scope_thread
};
template <int ALIGN> struct aligned_size_t {
    size_t bytes;
    __device__ aligned_size_t(size_t n) : bytes(n) {}
    __device__ operator size_t() const { return bytes; }
};
template <thread_scope SCOPE, int STAGES> struct pipeline_shared_state { char unused; };
template <thread_scope SCOPE> struct pipeline {
    bool meets;
    __device__ void producer_acquire() const {
        if (meets) __syncthreads();
    }
    __device__ void producer_commit() const {}
    __device__ void consumer_wait() const {
        if (meets) __syncthreads();
    }
    __device__ void consumer_release() const {}
};
__device__ inline pipeline<thread_scope_thread> make_pipeline() {
    pipeline<thread_scope_thread> made;
    made.meets = false;
    return made;
}
template <typename G, thread_scope SCOPE, int STAGES>
__device__ pipeline<SCOPE> make_pipeline(const G &, pipeline_shared_state<SCOPE, STAGES> *) {
    pipeline<SCOPE> made;
    made.meets = true;
    return made;
}
template <int PRIOR, thread_scope SCOPE>
__device__ void pipeline_consumer_wait_prior(pipeline<SCOPE> &all) {
    all.consumer_wait();
}
template <typename T, thread_scope SCOPE>
__device__ void memcpy_async(T *to, const T *from, size_t bytes, pipeline<SCOPE> &) {
    if (bytes == sizeof(T))
        *to = *from;
    else
        __tern_copy(to, from, bytes, bytes);
}
template <typename G, typename T, thread_scope SCOPE>
__device__ void memcpy_async(const G &group, T *to, const T *from, size_t bytes,
                             pipeline<SCOPE> &) {
    for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size()) to[i] = from[i];
}
} // namespace cuda

namespace cooperative_groups {
template <typename G, typename T>
__device__ void memcpy_async(const G &group, T *to, const T *from, size_t bytes) {
    for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size()) to[i] = from[i];
}
template <typename G> __device__ void wait(const G &group) { group.sync(); }
template <int PRIOR, typename G> __device__ void wait_prior(const G &group) { group.sync(); }
} // namespace cooperative_groups
