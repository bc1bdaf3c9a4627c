// What -D REAL=double -D N=7 -D SAY -D 'TWICE(x)=((x) * 2)' make of it: 7 13 1.
#include <cstdio>
__global__ void k(REAL *x) { x[threadIdx.x] = TWICE(threadIdx.x) + N; }
int main() {
    REAL *x, y[4];
    cudaMalloc(&x, sizeof y);
    k<<<1, 4>>>(x);
    cudaMemcpy(y, x, sizeof y, cudaMemcpyDeviceToHost);
#ifdef SAY
    printf("%g %g %d\n", (double)y[0], (double)y[3], SAY);
#endif
    return N;
}
