// SPDX-License-Identifier: Apache-2.0
// Of compiled.cu: kernels and launches in a header.
#pragma once
struct Scale {
    float by;
    char more;
    int plus[2];
};
struct Twice {
    __device__ float operator()(float x) const { return atomicAdd((int *)0, 0) ? x : 2 * x; }
};
struct Plus {
    float by;
    __host__ __device__ explicit Plus(float by) : by(by) {}
    __device__ float operator()(float x) const { return x + by; }
};
namespace inside {
template <typename T, int N> __global__ void fill(T *x, T value) {
    for (int i = threadIdx.x; i < N; i += blockDim.x) x[i] = value;
}
} // namespace inside
template <typename T> void filled(T *x, T value) {
    inside::fill<T, 8><<<1, 4>>>(x, value); // T is what C++ says
}
