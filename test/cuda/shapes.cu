// Kernels for blocks of any shape, of one signature: out[i] of up to n elements, or of blocks.
#include <stdint.h>
#define THREADS (blockDim.x * blockDim.y * blockDim.z)
#define PLACE                                                                                      \
    const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x,             \
              i = blockIdx.x * THREADS + t

__global__ void guarded(int *out, const int *in, int n) {
    PLACE;
    if (i < n) out[i] = in[i] + t;
}
__global__ void by_size_t(int *out, const int *in, int n) {
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.z * blockDim.y * blockDim.x +
               threadIdx.y * blockDim.x + threadIdx.x;
    if (i >= (unsigned)n) return;
    out[i] = in[n - 1 - i] - 1;
}
__global__ void stride(int *out, const int *in, int n) {
    PLACE;
    for (int k = i; k < n; k += THREADS * gridDim.x) out[k] = in[k] * 3;
}
__global__ void collatz(int *out, const int *in, int n) {
    PLACE;
    if (i >= n) return;
    int m = (in[i] & 1023) + 1, steps = 0;
    while (m != 1) {
        m = m % 2 ? 3 * m + 1 : m / 2;
        steps++;
    }
    out[i] = steps;
}
__global__ void sum(int *out, const int *in, int n) {
    extern __shared__ int s[];
    PLACE;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int w = 1; w < THREADS; w *= 2) {
        if (t % (2 * w) == 0 && t + w < THREADS) s[t] += s[t + w];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void scan(int *out, const int *in, int n) {
    extern __shared__ int s[];
    PLACE;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < THREADS; d *= 2) {
        int before = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += before;
        __syncthreads();
    }
    if (i < n) out[i] = s[t];
}
__global__ void histogram(int *out, const int *in, int n) {
    __shared__ int bins[16];
    PLACE;
    for (int b = t; b < 16; b += THREADS) bins[b] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&bins[in[i] & 15], 1);
    __syncthreads();
    for (int b = t; b < 16; b += THREADS) atomicAdd(&out[b], bins[b]);
}
__global__ void reverse(int *out, const int *in, int n) {
    extern __shared__ int s[];
    PLACE;
    if (i >= n) return;
    s[t] = in[i];
    __syncthreads();
    int left = n - i + t, here = left < THREADS ? left : THREADS;
    out[i] = s[here - 1 - t];
}
__global__ void own(int *out, const int *in, int n) {
    PLACE;
    int l[5], sum = 0;
    for (int k = 0; k < 5; k++) l[k] = k * t;
    if (i < n) {
        l[in[i] & 3] += in[i];
        for (int k = 0; k <= (in[i] & 3); k++) sum += l[k];
        out[i] = sum;
    }
}
// The input may be the output: each thread reads what it wrote.
__global__ void twice(int *out, const int *in, int n) {
    __shared__ int hits;
    PLACE;
    if (t == 0) hits = 0;
    __syncthreads();
    if (i >= n) return;
    int before = in[i];
    if (before & 1) out[i] = before + 1;
    int now = in[i];
    atomicAdd(&hits, 1);
    out[i] = now * 2 + before;
}
// One thread works for the others, with what it has of its own.
__global__ void first(int *out, const int *in, int n) {
    __shared__ int s[1024];
    PLACE;
    int own = in[i] * 3, sum = 0;
    s[t] = in[i];
    __syncthreads();
    if (t == n % 7) {
        for (int k = 0; k < THREADS; k++) {
            if (s[k] & 1) sum += s[k];
            s[k] = sum;
        }
        atomicAdd(&out[i], own + sum + t);
    }
    __syncthreads();
    if (i < n) out[i] += s[t] + sum;
}
