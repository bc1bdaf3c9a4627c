// SPDX-License-Identifier: Apache-2.0
// Functions of both sides (kernels/cuda/both.cuh): the host and a kernel say the same.
#include <cstdio>
#include <cuComplex.h>
#include <curand_kernel.h>
__host__ __device__ void all(double *to) {
    cuDoubleComplex a = make_cuDoubleComplex(1, 2), b = make_cuDoubleComplex(3, -4),
                    q = cuCdiv(a, cuConj(b));
    cuComplex c = cuCmulf(make_cuComplex(1, 2), make_cuFloatComplex(3, -4));
    to[0] = sinpi(1.0), to[1] = cospi(0.5), to[2] = sinpif(0.25f), to[3] = cospif(-1.0f);
    to[4] = norm3df(3e30f, 0.0f, 4e30f), to[5] = rcbrtf(8.0f), to[6] = rcbrt(27.0);
    to[7] = q.x, to[8] = q.y, to[9] = cuCrealf(c), to[10] = cuCimagf(c), to[11] = cuCabs(b);
    cuComplex d = cuCdivf(cuCaddf(c, c), cuCsubf(c, make_cuComplex(1, 1)));
    to[12] = d.x, to[13] = d.y, to[14] = cuCabsf(c), to[15] = sizeof(curandStatePhilox4_32_10_t);
}
__global__ void kernel(double *to) { all(to); }
int main() {
    double here[16], there[16], *to;
    all(here);
    cudaMalloc(&to, sizeof there);
    kernel<<<1, 1>>>(to);
    cudaMemcpy(there, to, sizeof there, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 16; i++) printf("%.5g %.5g%s", here[i], there[i], i % 4 < 3 ? ", " : "\n");
    return 0;
}
