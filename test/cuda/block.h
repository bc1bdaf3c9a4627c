// SPDX-License-Identifier: Apache-2.0
// block: what kernels of tests and tools/fuzz_cuda use of CUDA, for g++. A block's threads are
// contexts that take turns: one runs until it waits for its block or its warp, or ends. Shared
// memory is static, as one block runs at a time. Products and sums are rounded each (-ffp-
// contract=off), ints wrap around (-fwrapv).
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>
#include <ucontext.h>
#define __global__
#define __device__
#define __shared__ static
#define __restrict__
#define __forceinline__ inline

struct uint3 {
    unsigned x, y, z;
};
static uint3 threadIdx, blockIdx, blockDim = {1, 1, 1}, gridDim = {1, 1, 1};

// ---- threads ----

enum { MOST_THREADS = 256, STACK = 1 << 16 };
enum State { READY, AT_BLOCK, AT_WARP, ENDED };
static struct Thread {
    ucontext_t context;
    State state;
    uint64_t value; // for the others of the warp
    char stack[STACK];
} threads[MOST_THREADS];
static ucontext_t scheduler;
static int now, count; // the thread that runs; threads of the block
static void (*body)();

static void begin() {
    body();
    threads[now].state = ENDED;
}

static void wait(State state) {
    int me = now;
    threads[me].state = state;
    swapcontext(&threads[me].context, &scheduler);
}

// Whether all threads [from, to) that have not ended wait so: then they go on.
static bool release(State state, int from, int to) {
    bool any = false;
    for (int i = from; i < to; i++) {
        if (threads[i].state == state)
            any = true;
        else if (threads[i].state != ENDED)
            return false;
    }
    for (int i = from; any && i < to; i++)
        if (threads[i].state == state) threads[i].state = READY;
    return any;
}

static void run_block(void (*kernel)()) {
    body = kernel;
    count = blockDim.x * blockDim.y;
    for (int i = 0; i < count; i++) {
        getcontext(&threads[i].context);
        threads[i].context.uc_stack.ss_sp = threads[i].stack;
        threads[i].context.uc_stack.ss_size = STACK;
        threads[i].context.uc_link = &scheduler;
        threads[i].state = READY;
        makecontext(&threads[i].context, begin, 0);
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (now = 0; now < count; now++) {
            if (threads[now].state != READY) continue;
            threadIdx.x = now % blockDim.x, threadIdx.y = now / blockDim.x;
            swapcontext(&scheduler, &threads[now].context);
            moved = true;
        }
        for (int w = 0; w < count; w += 32)
            moved |= release(AT_WARP, w, w + 32 < count ? w + 32 : count);
        moved |= release(AT_BLOCK, 0, count);
    }
    for (int i = 0; i < count; i++)
        if (threads[i].state != ENDED) fprintf(stderr, "thread %d never ends\n", i), exit(1);
}

static void __syncthreads() { wait(AT_BLOCK); }
static void __syncwarp(unsigned = ~0u) { wait(AT_WARP); }

// ---- warps: all threads of a warp come ----

template <typename T> T traded(T x, int lane) {
    threads[now].value = 0;
    memcpy(&threads[now].value, &x, sizeof x);
    wait(AT_WARP);
    memcpy(&x, &threads[now / 32 * 32 + lane].value, sizeof x);
    wait(AT_WARP);
    return x;
}
template <typename T> T __shfl_sync(unsigned, T x, int lane, int width = 32) {
    return traded(x, now % 32 / width * width + lane % width);
}
template <typename T> T __shfl_xor_sync(unsigned, T x, int by, int width = 32) {
    int to = now % 32 ^ by;
    return traded(x, to / width <= now % 32 / width ? to : now % 32);
}
template <typename T> T __shfl_up_sync(unsigned, T x, int by, int width = 32) {
    return traded(x, now % 32 % width >= by ? now % 32 - by : now % 32);
}
template <typename T> T __shfl_down_sync(unsigned, T x, int by, int width = 32) {
    return traded(x, now % 32 % width + by < width ? now % 32 + by : now % 32);
}
static unsigned __ballot_sync(unsigned, int x) {
    unsigned bits = 0;
    threads[now].value = x != 0;
    wait(AT_WARP);
    for (int i = 0; i < 32; i++) bits |= (unsigned)threads[now / 32 * 32 + i].value << i;
    wait(AT_WARP);
    return bits;
}
static int __any_sync(unsigned m, int x) { return __ballot_sync(m, x) != 0; }
static int __all_sync(unsigned m, int x) { return __ballot_sync(m, x) == ~0u; }
template <typename T> T __reduce_add_sync(unsigned, T x) {
    T sum = 0;
    threads[now].value = x;
    wait(AT_WARP);
    for (int i = 0; i < 32; i++) sum += (T)threads[now / 32 * 32 + i].value;
    wait(AT_WARP);
    return sum;
}

// ---- atomics ----

#define ATOMIC(name, expression)                                                                   \
    template <typename T> T name(T *at, std::common_type_t<T> x) {                                 \
        T old = *at;                                                                               \
        *at = expression;                                                                          \
        return old;                                                                                \
    }
ATOMIC(atomicAdd, old + x)
ATOMIC(atomicSub, old - x)
ATOMIC(atomicMin, x < old ? x : old)
ATOMIC(atomicMax, x > old ? x : old)
ATOMIC(atomicAnd, old &x)
ATOMIC(atomicOr, old | x)
ATOMIC(atomicXor, old ^ x)

// ---- numbers ----

static float __fmul_rn(float x, float y) { return x * y; }
static double __dmul_rn(double x, double y) { return x * y; }
static int __float_as_int(float x) { return *(int *)&x; }
static long long __double_as_longlong(double x) { return *(long long *)&x; }
static float __int_as_float(int x) { return *(float *)&x; }
static int __popc(unsigned x) { return __builtin_popcount(x); }
static int __clz(int x) { return x ? __builtin_clz(x) : 32; }
static int __ffs(int x) { return __builtin_ffs(x); }
static unsigned __umulhi(unsigned x, unsigned y) { return (uint64_t)x * y >> 32; }
static int __mulhi(int x, int y) { return (int64_t)x * y >> 32; }
static unsigned __brev(unsigned x) {
    unsigned r = 0;
    for (int i = 0; i < 32; i++) r |= (x >> i & 1) << (31 - i);
    return r;
}
template <typename T> T min(T x, T y) { return y < x ? y : x; }
template <typename T> T max(T x, T y) { return x < y ? y : x; }

// ---- vectors ----

#define VECTOR(type, name)                                                                         \
    struct alignas(2 * sizeof(type)) name##2 {                                                     \
        type x, y;                                                                                 \
    };                                                                                             \
    struct alignas(4 * sizeof(type) < 16 ? 4 * sizeof(type) : 16) name##4 {                        \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    static name##2 make_##name##2(type x, type y) { return {x, y}; }                               \
    static name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
VECTOR(int, int)
VECTOR(unsigned, uint)
VECTOR(short, short)
VECTOR(unsigned char, uchar)
VECTOR(float, float)
