// SPDX-License-Identifier: Apache-2.0
// both: what kernels have and functions for the host, too. A C++ compiler reads it behind
// compiled_cuda.hpp (__TERN_COMPILED__), there what is behind <math.h> in programs alone.

struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned state;
    int boxmuller_flag;
    float boxmuller_extra;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

struct cudaPitchedPtr { // rows of a box: a pitch and a size of x in bytes, of y in rows
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
__device__ inline cudaPitchedPtr make_cudaPitchedPtr(void *at, size_t pitch, size_t x, size_t y) {
    cudaPitchedPtr made;
    made.ptr = at, made.pitch = pitch, made.xsize = x, made.ysize = y;
    return made;
}
__device__ inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
    cudaExtent made;
    made.width = width, made.height = height, made.depth = depth;
    return made;
}
__device__ inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
    cudaPos made;
    made.x = x, made.y = y, made.z = z;
    return made;
}

#if !defined(__TERN_COMPILED__) || defined(__TERN_PROGRAM__)
// Of x what is left of full turns; of that, what is exactly 0 where the result is.
__device__ inline double sinpi(double x) {
    double y = x - 2.0 * rint(0.5 * x);
    if (fabs(y) > 0.5) y = copysign(1.0, y) - y;
    return sin(3.14159265358979323846 * y);
}
__device__ inline double cospi(double x) { return sinpi(0.5 - fabs(x - 2.0 * rint(0.5 * x))); }
__device__ inline float sinpif(float x) { return (float)sinpi((double)x); }
__device__ inline float cospif(float x) { return (float)cospi((double)x); }
__device__ inline double rcbrt(double x) { return 1.0 / cbrt(x); }
__device__ inline float rcbrtf(float x) { return (float)rcbrt((double)x); }
__device__ inline float norm3df(float x, float y, float z) {
    return (float)sqrt((double)x * x + (double)y * y + (double)z * z);
}

// ---- cuComplex.h ----
typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;
#define __TERN_COMPLEX(C, T, MAKE, F)                                                              \
    __device__ inline C make_##C(T a, T b) { return MAKE(a, b); }                                  \
    __device__ inline T cuCreal##F(C a) { return a.x; }                                            \
    __device__ inline T cuCimag##F(C a) { return a.y; }                                            \
    __device__ inline T cuCabs##F(C a) { return hypot##F(a.x, a.y); }                              \
    __device__ inline C cuConj##F(C a) { return MAKE(a.x, -a.y); }                                 \
    __device__ inline C cuCadd##F(C a, C b) { return MAKE(a.x + b.x, a.y + b.y); }                 \
    __device__ inline C cuCsub##F(C a, C b) { return MAKE(a.x - b.x, a.y - b.y); }                 \
    __device__ inline C cuCmul##F(C a, C b) {                                                      \
        return MAKE(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                 \
    }                                                                                              \
    __device__ inline C cuCdiv##F(C a, C b) {                                                      \
        T scale = fabs##F(b.x) + fabs##F(b.y), u = a.x / scale, v = a.y / scale, p = b.x / scale,  \
          q = b.y / scale, s = p * p + q * q;                                                      \
        return MAKE((u * p + v * q) / s, (v * p - u * q) / s);                                     \
    }
__TERN_COMPLEX(cuFloatComplex, float, make_float2, f)
__TERN_COMPLEX(cuDoubleComplex, double, make_double2, )
#undef __TERN_COMPLEX
__device__ inline cuComplex make_cuComplex(float a, float b) { return make_float2(a, b); }
#endif
