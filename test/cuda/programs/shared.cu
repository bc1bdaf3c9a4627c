// SPDX-License-Identifier: Apache-2.0
// Memory that host and device share, without a kernel: so it runs where a mock is the driver.
#include <cstdio>
#include <cstring>

int main() {
    int *managed, *pinned, *device, back[100];
    if (cudaMallocManaged(&managed, sizeof back) || cudaMallocHost(&pinned, sizeof back)) return 1;
    cudaMalloc(&device, sizeof back);
    for (int i = 0; i < 100; i++) managed[i] = i, pinned[i] = 1000 * i;
    cudaMemcpy(device, pinned, sizeof back, cudaMemcpyHostToDevice);
    cudaMemcpy(device, managed, sizeof back / 2, cudaMemcpyDefault);
    memcpy(pinned + 90, managed, 40);
    cudaMemcpy(back, device, sizeof back, cudaMemcpyDeviceToHost);
    cudaMemset(managed, 0, 8);
    cudaMemcpy(managed + 50, device + 50, 200, cudaMemcpyDeviceToDevice);
    printf("%d %d, %d %d %d, %d\n", back[49], back[50], managed[1], managed[2], managed[99],
           pinned[99]);
    cudaFreeHost(pinned);
    cudaFree(managed);
    cudaFree(device);
    return 4;
}
