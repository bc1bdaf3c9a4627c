// SPDX-License-Identifier: Apache-2.0
// emulate: runs a kernel as a loop of threads on the host, for g++: KERNEL is its name. Writes what
// it wrote to stdout, as it lies in memory.
#include <math.h>
#include <stdio.h>
#include <string.h>
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
static struct { unsigned x, y, z; } threadIdx, blockIdx, blockDim = {32, 1, 1}, gridDim = {2, 1, 1};
#include SOURCE
int main() {
    static int in[64], out[512];
    for (int i = 0; i < 64; i++) in[i] = i * 7 % 50;
    for (blockIdx.x = 0; blockIdx.x < 2; blockIdx.x++)
        for (threadIdx.x = 0; threadIdx.x < 32; threadIdx.x++) KERNEL(out, in);
    return fwrite(out, sizeof out, 1, stdout) != 1;
}
