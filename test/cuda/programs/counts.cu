// Counts in memory up to a number, or without an end: a loop that waits for nobody is no deadlock.
#include <cstdio>
#include <cstdlib>

__global__ void count(volatile int *x, int end) {
    while (x[0] != end) x[0] = x[0] + 1;
}

int main(int argc, char **argv) {
    int *x, y = 0;
    cudaMalloc(&x, sizeof y);
    cudaMemset(x, 0, sizeof y);
    count<<<1, 1>>>(x, argc > 1 ? atoi(argv[1]) : -1);
    cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess) cudaMemcpy(&y, x, sizeof y, cudaMemcpyDeviceToHost);
    printf("%s, %d\n", cudaGetErrorString(error), y);
    return error != cudaSuccess;
}
