// A template of a kernel and its specialisations: C++ says which one a launch means. Prints PASSED.
#include <cstdio>
#include <type_traits>

template <typename T> __global__ void k(T *x) { x[threadIdx.x] = 1; }
template <> __global__ void k<float>(float *x) { x[threadIdx.x] = 2; }
template <> __global__ void k<double>(double *x) { x[threadIdx.x] = 3; }
typedef float real;

template <typename T> int of() {
    T *x, y[4];
    cudaMalloc(&x, sizeof y);
    k<T><<<1, 4>>>(x);
    cudaMemcpy(y, x, sizeof y, cudaMemcpyDeviceToHost);
    cudaFree(x);
    return (int)(y[0] + y[3]);
}

int main() {
    bool good = of<int>() == 2 && of<real>() == 4 && of<double>() == 6 && of<unsigned char>() == 2;
    printf(good ? "PASSED\n" : "FAILED\n");
    return !good;
}
