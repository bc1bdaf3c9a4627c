// SPDX-License-Identifier: Apache-2.0
// How much memory the device has.
#include <cstdio>
int main() {
    size_t free, total, less, same;
    cudaDeviceProp p;
    char *at;
    if (cudaMemGetInfo(&free, &total) || cudaGetDeviceProperties(&p, 0)) return 1;
    cudaMalloc(&at, 64 << 20);
    cudaMemGetInfo(&less, &same);
    printf("%zu bytes, %d %d, ", total, p.totalGlobalMem == total && same == total, free && free <= total);
    printf("%zu taken\n", free - less);
    return 0;
}
