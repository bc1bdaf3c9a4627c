// SPDX-License-Identifier: Apache-2.0
// What threads of a warp do together, numbers of 16 bits, and functions of the library: each kernel
// against plain C in test/unit/cu_device.c.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cassert>
#include <cub/cub.cuh>
#include <limits>
namespace cg = cooperative_groups;

__global__ void shuffles(int *out, const int *in, double *wide) {
    int t = threadIdx.x, x = in[t];
    int *to = out + t * 12;
    to[0] = __shfl_sync(0xffffffff, x, 3);
    to[1] = __shfl_up_sync(0xffffffff, x, 2);
    to[2] = __shfl_down_sync(0xffffffff, x, 5);
    to[3] = __shfl_xor_sync(0xffffffff, x, 9);
    to[4] = __shfl_sync(0xffffffff, x, t + 1, 8);
    to[5] = __shfl_down_sync(0xffffffff, x, 3, 4);
    to[6] = __any_sync(0xffffffff, x > 40) * 2 + __all_sync(0xffffffff, x >= 0);
    to[7] = __ballot_sync(0xffffffff, x % 3 == 0);
    to[8] = t % 4 == 1 ? __activemask() : 0;
    to[9] = __shfl_xor_sync(0xffffffff, (unsigned char)(x * 9), 1) +
            __shfl_up_sync(0xffffffff, (short)-x, 1, 16);
    if (t < 16) to[10] = __shfl_xor_sync(0xffff, x, 4);
    if (t >= 16) to[10] = __shfl_xor_sync(0xffff0000u, x, 8);
    __syncwarp();
    long long big = __shfl_xor_sync(0xffffffff, ((long long)x << 40) + t, 31);
    to[11] = (int)(big >> 40) * 100 + (int)big;
    wide[t] = __shfl_down_sync(0xffffffff, x + 0.5, 1);
}

template <typename G> __device__ int ranks(const G &g) { return g.thread_rank() * 100 + g.size(); }

__global__ void groups(int *out, const int *in) {
    auto block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(block);
    int t = block.thread_rank(), x = in[t];
    out[t * 6] = cg::reduce(warp, x, cg::plus<int>());
    out[t * 6 + 1] = cg::reduce(tile, x, cg::greater<int>());
    out[t * 6 + 2] = ranks(tile) + ranks(warp) + ranks(block);
    out[t * 6 + 3] = tile.shfl(x, 2) + tile.shfl_down(x, 1) + tile.meta_group_rank();
    out[t * 6 + 4] = tile.ballot(x % 2);
    cg::sync(block);
    if (x % 5 == 0) {
        auto some = cg::coalesced_threads();
        out[t * 6 + 5] = some.thread_rank() * 100 + some.size();
    }
    block.sync();
    dim3 at = block.thread_index(), size = blockDim;
    if (t != at.x + at.y * size.x) out[t * 6] = -1;
}

__global__ void halves(__half *out, const __half *in, __nv_bfloat16 *brain, float *wide) {
    int t = threadIdx.x;
    __half a = in[t], b = in[t + 1], c = __float2half(0.1f);
    __half *to = out + t * 8;
    to[0] = a * b + c;
    to[1] = __hfma(a, b, c);
    to[2] = __hadd(a, b) / c;
    to[3] = -a;
    half2 p = __halves2half2(a, b), q = __float2half2_rn(0.3f);
    p = __hfma2(p, q, q);
    p += q * half2(a, c);
    to[4] = __low2half(p);
    to[5] = __high2half(p);
    to[6] = __hgt(a, b) ? __hmax(a, b) : hexp(a);
    reinterpret_cast<half2 *>(to + 6)[0].y = __ushort_as_half(__half_as_ushort(a) ^ 0x8000);
    __nv_bfloat16 x = __float2bfloat16(__half2float(a)), y = x * x + x;
    brain[t] = y;
    wide[t] = __bfloat162float(y) + (float)a * 2 + (double)b + (a == b) + (int)a;
}

#define F(i, expression) to[i] = expression;
__global__ void functions(float *out, double *wide, const float *in) {
    float x = in[threadIdx.x * 2], y = in[threadIdx.x * 2 + 1];
    float *to = out + threadIdx.x * 24;
    F(0, tanf(x)) F(1, atanf(x)) F(2, atan2f(x, y)) F(3, asinf(x / 40)) F(4, acosf(x / 40))
    F(5, sinhf(x)) F(6, coshf(x)) F(7, log10f(fabsf(x))) F(8, log1pf(fabsf(x))) F(9, expm1f(x))
    F(10, cbrtf(x)) F(11, hypotf(x, y)) F(12, powf(fabsf(x), y)) F(13, roundf(x))
    F(14, copysignf(y, x)) F(15, exp10f(x)) F(16, asinhf(x)) F(17, fdimf(x, y))
    F(18, __saturatef(x)) F(19, __fmul_rn(x, y) + x) F(20, __int_as_float(__brev(7) >> 2))
    F(21, __ffs((int)x * 4) + __byte_perm(0x01020304, 0x05060708, 0x5140))
    F(22, std::numeric_limits<float>::max() * (x > 0)) F(23, powf(x, 3.0f) + __powf(-2.0f, 5.0f))
    double *d = wide + threadIdx.x * 9, u = x, v = y;
    d[0] = atan2(u, v), d[1] = asin(u / 40), d[2] = tan(u), d[3] = sinh(u), d[4] = log1p(u / 64);
    d[5] = cbrt(u), d[6] = expm1(u / 32), d[7] = hypot(u, v), d[8] = pow(fabs(u), v);
}

__global__ void reports(int *out, volatile int *flag, int n) {
    if (threadIdx.x == 1) {
        printf("n = %d, %5.2f%% of %s\n", n, n * 0.5f, "all");
        flag[0] = n;
    }
    __threadfence();
    long long before = clock64();
    assert(n < 7 && "too many");
    out[threadIdx.x] = clock64() >= before;
}

__global__ void texts(long long big, float x) {
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    printf("all\n");
    if (threadIdx.y == 0 && threadIdx.x == 3) printf("alone %.3g\n", x);
    x *= t;
    if (t % 3 != 1) return;
    printf("%d|%-6d|%+.2e|%c|%x|%lld|%u%%|%05.1f|%g\n", t, -t, x, 'a' + t % 26, -t, big - t,
           4000000000u + t, x, x * (double)x);
    int count = printf("%hhu %u %#lx|     abc|%i\n", t * 9, (unsigned long long)t, 255l + t, -1);
    assert(count == 4);
}

__global__ void matches(int *out, const int *in, float *swapped) {
    int t = threadIdx.x, x = in[t], all = 0;
    int *to = out + t * 8;
    to[0] = __match_any_sync(0xffffffff, x % 5);
    to[1] = __match_any_sync(0xffffffff, x % 3 ? 0.0f : -0.0f);
    to[2] = __match_all_sync(0xffffffff, x / 1000, &all) + all;
    to[3] = __match_all_sync(0xffffffff, (long long)x << 33, &all) + all;
    to[4] = __reduce_add_sync(0xffffffff, x) + __reduce_max_sync(0xffffffff, x);
    to[5] = __reduce_min_sync(0xffffffff, x - 20) - __reduce_or_sync(0xffffffff, (unsigned)x);
    if (t % 3 == 1) {
        to[6] = __reduce_add_sync(0x92492492, x) + __reduce_xor_sync(0x92492492, (unsigned)x);
        to[7] = __match_any_sync(0x92492492, x % 2);
    }
    atomicAdd_block(out + 256, x);
    atomicMax_system(out + 257, x);
    if (t == 5) atomicCAS_system(out + 258, 0, 9), swapped[1] = atomicExch(swapped, 2.5f);
}

template <typename T> __global__ void block_reduces(T *out, const T *in, int n) {
    using BlockReduce = cub::BlockReduce<T, 96>;
    __shared__ typename BlockReduce::TempStorage temp;
    int t = threadIdx.x;
    T x = in[blockIdx.x * 96 + t], *to = out + blockIdx.x * 5;
    T sum = BlockReduce(temp).Sum(x);
    __syncthreads();
    T most = BlockReduce(temp).Reduce(x, cub::Max());
    __syncthreads();
    T last = BlockReduce(temp).Reduce(x % 7 ? 0 : x, [](T a, T b) { return b ? b : a; });
    __syncthreads();
    T few = BlockReduce(temp).Sum(x, n);
    __syncthreads();
    typedef cub::KeyValuePair<int, int> Pair;
    typedef cub::BlockReduce<Pair, 32, cub::BLOCK_REDUCE_RAKING, 3> PairReduce;
    __shared__ PairReduce::TempStorage pairs;
    Pair best = PairReduce(pairs).Reduce(Pair(t, x % 9), cub::ArgMax());
    if (t == 0) to[0] = sum, to[1] = most, to[2] = last, to[3] = few, to[4] = best.key * 10 + best.value;
}

__global__ void scans(int *out, const int *in) {
    typedef cub::BlockScan<int, 64> BlockScan;
    typedef cub::WarpReduce<int> WarpReduce;
    __shared__ BlockScan::TempStorage temp;
    __shared__ typename WarpReduce::TempStorage warps[2];
    __shared__ typename cub::WarpReduce<int, 8>::TempStorage eighths[8];
    __shared__ cub::WarpScan<int>::TempStorage other[2];
    int t = threadIdx.x, *to = out + t * 7;
    BlockScan(temp).InclusiveSum(in[t], to[0]);
    __syncthreads();
    BlockScan(temp).ExclusiveSum(in[t], to[1], to[2]);
    __syncthreads();
    BlockScan(temp).InclusiveScan(in[t], to[3], cub::Max());
    cub::WarpScan<int>(other[t / 32]).ExclusiveSum(in[t], to[4]);
    to[5] = WarpReduce(warps[t / 32]).Sum(in[t]);
    to[6] = cub::WarpReduce<int, 8>(eighths[t / 8]).Reduce(in[t], cub::Min());
}

// Blocks of a grid read what others wrote before they met.
__global__ void meet(int *x, int *y, int n) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    for (int round = 0; round < 3; round++) {
        if (i < n) y[i] = x[(i + 33) % n] + round;
        grid.sync();
        if (i < n) x[i] = y[n - 1 - i];
        cg::sync(grid);
    }
    if (i == 0 && !grid.is_valid()) x[0] = -1;
}
