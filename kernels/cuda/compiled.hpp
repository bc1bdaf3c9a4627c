// SPDX-License-Identifier: Apache-2.0
// compiled: what stands before a CUDA C file when a C++ compiler makes its part for the host
// (src/host/compiled.c): launches, and the way to tern, one table of functions. Nothing of tern is
// linked. Behind it come compiled_cuda.hpp, both.cuh, runtime.cuh and, for a function between tensors
// and kernels, compiled_torch.hpp.
#include <stddef.h>
#include <string.h>
#ifdef __TERN_PROGRAM__ // what nvcc includes before a file
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#endif

namespace tern_host {
struct Value { // as src/host/compiled.c has it
    int kind;  // 0 nothing, 1 an integer, 2 a number, 3 a tensor
    int type, rank, is_float;
    long integer, shape[8];
    double number;
    void *at;
};
struct Launch { // likewise; a template's parameters: "T,N", and words that say what they are
    const char *kernel, *parameters, *instance;
    unsigned long shape[8]; // grid, block, bytes of shared memory, a stream
    const void *const *arguments;
    const unsigned long *sizes;
    int count;
};
struct Table {
    void *host;
    void (*at)(void *host, const char *file, int line);
    void (*stop)(void *host, const char *words);
    void (*leave)(void *host, int code); // of a program: does not return
    void *(*allocate)(void *host, unsigned long bytes, int with_zeros);
    int (*call)(void *host, const char *name, const unsigned long *words, int count, unsigned long *result);
    int (*launch)(void *host, const Launch *launch);
    int (*launched)(void *host, char *words, int size);
};
struct Stopped {};
static const Table *table;

[[noreturn]] inline void leave() {
#ifdef __TERN_PROGRAM__
    table->leave(table->host, 1);
    __builtin_unreachable();
#else
    throw Stopped();
#endif
}
inline void at(int line, const char *file) { table->at(table->host, file, line); }
[[noreturn]] inline void stop(int line, const char *words, const char *file = nullptr) {
    at(line, file);
    table->stop(table->host, words);
    leave();
}
template <typename T> inline unsigned long word(T value) { return (unsigned long)value; }
// A function of src/host, by its name.
template <typename... T> inline unsigned long call(const char *name, T... given) {
    unsigned long words[] = {word(given)..., 0}, result = 0;
    if (!table->call(table->host, name, words, sizeof...(T), &result)) leave();
    return result;
}

class Words { // what a failing check prints
    char text_[1000];
    int length_ = 0;

  public:
    Words() { text_[0] = 0; }
    Words &operator<<(const char *words) {
        while (*words && length_ < 999) text_[length_++] = *words++;
        text_[length_] = 0;
        return *this;
    }
    Words &operator<<(long value) {
        char digits[24];
        int at = 23;
        unsigned long rest = value < 0 ? 0ul - value : value;
        digits[at] = 0;
        do digits[--at] = '0' + rest % 10;
        while (rest /= 10);
        if (value < 0) digits[--at] = '-';
        return *this << digits + at;
    }
    Words &operator<<(int value) { return *this << (long)value; }
    Words &operator<<(unsigned value) { return *this << (long)value; }
    Words &operator<<(bool value) { return *this << (long)value; }
    Words &operator<<(unsigned long value) { return *this << (long)value; }
    Words &operator<<(double value) {
        char digits[40];
        __builtin_snprintf(digits, sizeof digits, "%g", value);
        return *this << digits;
    }
    template <typename T> auto operator<<(const T &text) -> decltype((const char *)text.c_str(), *this) {
        return *this << (const char *)text.c_str();
    }
    const char *text() const { return text_; }
};
template <typename... T> inline Words words(const char *first, const T &...others) {
    Words made;
    made << first;
    (void)(made << ... << others);
    return made;
}
inline void launched(int line, int error) {
    char text[400];
    if (table->launched(table->host, text, sizeof text)) stop(line, text);
    if (error) stop(line, "a call of CUDA fails");
}
} // namespace tern_host

#define __TERN_COMPILED__
#define __CUDACC__
#define __NVCC__
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define CUDART_VERSION 12000
#define CUDA_VERSION 12000
#define CUDART_CB
#define CUDARTAPI
#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__
#define __grid_constant__
#define __forceinline__ inline
#define __noinline__
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    operator uint3() const { return {x, y, z}; }
};
struct CUstream_st;
typedef CUstream_st *cudaStream_t;

// ---- launches: k<<<grid, block>>>(x) is (configure(line, file)(grid, block), k(x), entered()), where
// the kernel's body is stub("k", "", __PRETTY_FUNCTION__, x) ----
namespace tern_host {
static thread_local Launch next;
static thread_local bool is_next;
static thread_local const void *const *next_arguments; // of cudaLaunchKernel

struct Configure {
    void operator()(dim3 grid, dim3 block, unsigned long bytes = 0, cudaStream_t stream = nullptr) const {
        next = Launch{"", "", "", {grid.x, grid.y, grid.z, block.x, block.y, block.z, bytes, word(stream)}, nullptr, nullptr, 0};
        next_arguments = nullptr;
        is_next = true;
    }
};
inline Configure configure(int line, const char *file) {
    at(line, file);
    return Configure();
}
template <typename... T>
inline void stub(const char *kernel, const char *parameters, const char *instance, const T &...given) {
    const void *arguments[] = {__builtin_addressof(given)..., nullptr};
    unsigned long sizes[] = {sizeof(T)..., 0};
    Launch launch = next;
    launch.kernel = kernel, launch.parameters = parameters, launch.instance = instance;
    launch.arguments = next_arguments ? next_arguments : arguments;
    launch.sizes = sizes, launch.count = sizeof...(T);
    if (!is_next) stop(0, words("kernel '", kernel, "' is called, not launched").text());
    is_next = false;
    if (!table->launch(table->host, &launch)) leave();
}
inline void entered() {
    if (!is_next) return;
    table->stop(table->host, "a launch of what is no kernel of this text");
    leave();
}
} // namespace tern_host
