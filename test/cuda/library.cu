// Random numbers, copies under way and votes at barriers: test/cli/cuda_more.sh.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <curand_kernel.h>
namespace cg = cooperative_groups;
__global__ void philox(unsigned *p, unsigned long long seed, unsigned long long sequence, unsigned long long offset) {
    curandStatePhilox4_32_10_t s;
    curand_init(seed, sequence + threadIdx.x, offset, &s);
    unsigned *q = p + 16 * threadIdx.x;
    for (int i = 0; i < 5; i++) q[i] = curand(&s);
    uint4 four = curand4(&s);
    q[5] = four.x, q[6] = four.y, q[7] = four.z, q[8] = four.w;
    skipahead(7ull, &s);
    q[9] = curand(&s);
    q[10] = __float_as_uint(curand_uniform(&s));
    double d = curand_uniform_double(&s);
    q[11] = __double2loint(d), q[12] = __double2hiint(d);
    curandStatePhilox4_32_10_t t = s;
    q[13] = __float2int_rn(curand_normal(&s) * 10000), q[14] = __float2int_rn(curand_normal(&s) * 10000);
    q[15] = __float2int_rn(curand_normal4(&t).w * 10000);
}
__global__ void copies(int *p, const int *x) {
    __shared__ __align__(16) int s[4][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    int t = threadIdx.x;
    auto block = cg::this_thread_block();
    if (t < 16) __pipeline_memcpy_async(&s[0][4 * t], x + 4 * t, 16);
    __pipeline_commit();
    __pipeline_memcpy_async(&s[1][t], x + 64 + t, 4, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    cg::memcpy_async(block, s[2], x + 128, sizeof(int) * 64);
    cg::wait(block);
    auto pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(block, s[3], x + 192, sizeof(int) * 64, pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    __syncthreads();
    p[t] = s[0][63 - t] + s[1][63 - t] * 3 + s[2][63 - t] * 5 + s[3][63 - t] * 7;
    pipe.consumer_release();
    p[64 + t] = __syncthreads_count(t % 3 == 0) * 100 + __syncthreads_or(t == 63) * 10 + __syncthreads_and(t < 63);
}

// Groups of a kind that is known when the kernel runs, and groups of those who say the same.
__device__ int of(const cg::thread_group &g) { g.sync(); return g.size() * 100 + g.thread_rank(); }
__device__ int sum(cg::thread_group g, int *shared, int x) {
    int lane = g.thread_rank();
    for (int i = g.size() / 2; i > 0; i /= 2) {
        shared[lane] = x;
        g.sync();
        if (lane < i) x += shared[lane + i];
        g.sync();
    }
    return x;
}
__global__ void partitions(int *p, const int *in) {
    __shared__ int shared[64];
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int t = threadIdx.x, x = in[t], *to = p + t * 10;
    to[0] = of(block), to[1] = of(tile), to[2] = of(cg::tiled_partition(block, 4));
    to[3] = sum(tile, shared + t / 8 * 8, x) * (t % 8 == 0);
    block.sync();
    to[4] = sum(block, shared, x) * (t == 0);
    auto same = cg::labeled_partition(cg::coalesced_threads(), x % 3);
    to[5] = of(same), to[6] = cg::reduce(same, x, cg::plus<int>());
    auto even = cg::binary_partition(tile, x % 2 == 0);
    to[7] = of(even), to[8] = even.shfl_down(x, 1) * 10 + even.shfl_up(x, 1);
    to[9] = even.ballot(x > 4) * 1000 + same.match_any(x) % 1000;
}
