// SPDX-License-Identifier: Apache-2.0
// Inline PTX: test/unit/cu_assembly.c says again in C what it does.
#include <cuda_fp16.h>
#include <stdint.h>

// ---- what computes: on all devices ----

__device__ __forceinline__ unsigned majority(unsigned a, unsigned b, unsigned c) {
    unsigned d;
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

__device__ void doubled(float &x) { asm volatile("add.f32 %0, %0, %0;" : "+f"(x)); }

__global__ void computes(unsigned *out, float *floats, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned high, low;
    asm("{\n\t.reg .b64 t;\n\tmul.wide.u32 t, %2, %3;\n\tmov.b64 {%1, %0}, t;\n}"
        : "=r"(high), "=r"(low)
        : "r"(majority(i, 0x35, 0xff00 + i * 7) * 77777u), "r"(0x12345678));
    long long wide = (long long)i << 33;
    asm("add.s64 %0, %0, %1;" : "+l"(wide) : "l"(i - 50));
    short half = i;
    asm("add.s16 %0, %1, 3;" : "=h"(half) : "h"(half));
    double d = i * 0.5;
    int zeros;
    asm("fma.rn.f64 %0, %1, %1, %0;" : "+d"(d) : "d"(1.5 + i));
    asm volatile("clz.b32 %0, %1;\n\t"
                 "add.s32 %0, %0, %2;"
                 : "=r"(zeros)
                 : "r"(i), "n"(3 * 4));
    float x = floats[i];
    if (i % 3) doubled(x);
    floats[i] = x + (float)d;
    out[i] = high * 3 + low + (unsigned)(wide >> 7) + half + zeros;
}

// ---- what a GPU's threads do together: a product of 16x16 and 16x8 by a warp ----

__global__ void product(float *out, const half *a, const half *b) {
    __shared__ __align__(16) half as[16 * 16], bs[16 * 8];
    int t = threadIdx.x;
    uint32_t to = __cvta_generic_to_shared(&as[t * 8]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2;\n" ::"r"(to), "l"(a + t * 8), "n"(16));
    if (t < 16) {
        to = (uint32_t)__cvta_generic_to_shared(bs + t * 8);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;\n" : : "r"(to), "l"(b + t * 8) : "memory");
    }
    asm volatile("cp.async.commit_group;\n" ::);
    asm volatile("cp.async.wait_group %0;\n" ::"n"(0));
    __syncthreads();
    uint32_t x[4], y[2];
    float c[4] = {1, 2, 3, 4};
    uint32_t from = (uint32_t)__cvta_generic_to_shared(&as[t % 16 * 16 + t / 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(from));
    from = (uint32_t)__cvta_generic_to_shared(&bs[t % 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];\n"
                 : "=r"(y[0]), "=r"(y[1])
                 : "r"(from));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    for (int i = 0; i < 4; i++) out[(t / 4 + i / 2 * 8) * 8 + t % 4 * 2 + i % 2] = c[i];
}
