// SPDX-License-Identifier: Apache-2.0
// emulate: runs a kernel as a loop of threads on the host, for g++: KERNEL is its name. Writes what
// it wrote to stdout, as it lies in memory.
#include "block.h"
#define __host__
#include SOURCE
int main() {
    static int in[64], out[512];
    blockDim.x = 32, gridDim.x = 2;
    for (int i = 0; i < 64; i++) in[i] = i * 7 % 50;
    for (blockIdx.x = 0; blockIdx.x < 2; blockIdx.x++)
        for (threadIdx.x = 0; threadIdx.x < 32; threadIdx.x++) KERNEL(out, in);
    return fwrite(out, sizeof out, 1, stdout) != 1;
}
