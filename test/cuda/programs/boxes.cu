// Rows and boxes with a pitch, pools and hints: what is copied and set is counted. Prints PASSED.
#include <cstdio>
#include <cstdlib>

__global__ void fill(cudaPitchedPtr box, cudaExtent size) {
    size_t x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    if (x * sizeof(float) >= size.width) return;
    float *row = (float *)((char *)box.ptr + (z * box.ysize + y) * box.pitch);
    row[x] = row[x] + (float)(x + 10 * y + 100 * z);
}

static int failures;
static void expect(bool holds, const char *what) {
    if (holds) return;
    printf("FAILED: %s\n", what);
    failures++;
}

int main() {
    const int nx = 7, ny = 5, nz = 3;
    cudaPitchedPtr box;
    cudaExtent size = make_cudaExtent(nx * sizeof(float), ny, nz);
    expect(cudaMalloc3D(&box, size) == cudaSuccess, "cudaMalloc3D");
    expect(box.pitch >= nx * sizeof(float) && box.ysize == (size_t)ny, "its rows");
    expect(cudaMemset3D(box, 0, size) == cudaSuccess, "cudaMemset3D");
    fill<<<dim3(ny, nz), 32>>>(box, size);
    float *host = (float *)malloc(nx * ny * nz * sizeof(float));
    for (int i = 0; i < nx * ny * nz; i++) host[i] = -1;
    cudaMemcpy3DParms part;
    memset(&part, 0, sizeof part);
    part.srcPtr = box;
    part.dstPtr = make_cudaPitchedPtr(host, nx * sizeof(float), nx, ny);
    part.srcPos = make_cudaPos(2 * sizeof(float), 1, 1);
    part.dstPos = make_cudaPos(sizeof(float), 2, 0);
    part.extent = make_cudaExtent(4 * sizeof(float), 3, 2);
    part.kind = cudaMemcpyDeviceToHost;
    expect(cudaMemcpy3D(&part) == cudaSuccess, "cudaMemcpy3D");
    int wrong = 0;
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                bool inside = z < 2 && y >= 2 && x >= 1 && x < 5;
                float want = inside ? (float)(x + 1 + 10 * (y - 1) + 100 * (z + 1)) : -1.0f;
                if (host[(z * ny + y) * nx + x] != want) wrong++;
            }
    expect(wrong == 0, "what is in the box");
    part.extent = make_cudaExtent(4 * sizeof(float), 5, 2);
    expect(cudaMemcpy3D(&part) == cudaErrorInvalidValue, "a box that is too high");
    expect(cudaMemcpy2D(host, 8, box.ptr, box.pitch, 12, 2, cudaMemcpyDeviceToHost) == cudaErrorInvalidPitchValue,
           "a row that is too long");

    cudaMemPool_t pool;
    float *a;
    expect(cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess, "the pool");
    expect(cudaMallocFromPoolAsync(&a, 64, pool, 0) == cudaSuccess, "memory of the pool");
    expect(cudaMemset2DAsync(a, 16, 0, 4, 4) == cudaSuccess, "cudaMemset2DAsync");
    expect(cudaMemAdvise(a, 64, cudaMemAdviseSetReadMostly, 0) == cudaSuccess, "cudaMemAdvise");
    expect(cudaFreeAsync(a, 0) == cudaSuccess, "cudaFreeAsync");
    printf("%s: %s\n", cudaGetErrorName(cudaErrorInvalidPitchValue), cudaGetErrorString(cudaErrorInvalidPitchValue));
    free(host);
    cudaFree(box.ptr);
    if (!failures) printf("PASSED\n");
    return failures != 0;
}
