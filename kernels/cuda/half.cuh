// SPDX-License-Identifier: Apache-2.0
// half: what cuda_fp16.h and cuda_bf16.h have. The types and their operators are built in; a pair is two
// of them. Each function rounds once, as its name in CUDA says.

#define __TERN_SMALL(T, PAIR)                                                                      \
    struct __align__(4) PAIR {                                                                     \
        T x, y;                                                                                    \
        PAIR() = default;                                                                          \
        __device__ PAIR(T a, T b) : x(a), y(b) {}                                                  \
    };                                                                                             \
    __device__ PAIR operator+(const PAIR &a, const PAIR &b) { return PAIR(a.x + b.x, a.y + b.y); } \
    __device__ PAIR operator-(const PAIR &a, const PAIR &b) { return PAIR(a.x - b.x, a.y - b.y); } \
    __device__ PAIR operator*(const PAIR &a, const PAIR &b) { return PAIR(a.x * b.x, a.y * b.y); } \
    __device__ PAIR operator/(const PAIR &a, const PAIR &b) { return PAIR(a.x / b.x, a.y / b.y); } \
    __device__ PAIR operator-(const PAIR &a) { return PAIR(-a.x, -a.y); }                          \
    __device__ PAIR &operator+=(PAIR &a, const PAIR &b) { return a = a + b; }                      \
    __device__ PAIR &operator-=(PAIR &a, const PAIR &b) { return a = a - b; }                      \
    __device__ PAIR &operator*=(PAIR &a, const PAIR &b) { return a = a * b; }                      \
    __device__ PAIR &operator/=(PAIR &a, const PAIR &b) { return a = a / b; }                      \
    __device__ bool operator==(const PAIR &a, const PAIR &b) { return a.x == b.x && a.y == b.y; }  \
    __device__ T __hadd(T a, T b) { return a + b; }                                                \
    __device__ T __hsub(T a, T b) { return a - b; }                                                \
    __device__ T __hmul(T a, T b) { return a * b; }                                                \
    __device__ T __hdiv(T a, T b) { return a / b; }                                                \
    __device__ T __hadd_rn(T a, T b) { return a + b; }                                             \
    __device__ T __hsub_rn(T a, T b) { return a - b; }                                             \
    __device__ T __hmul_rn(T a, T b) { return a * b; }                                             \
    __device__ T __hneg(T a) { return -a; }                                                        \
    __device__ T __habs(T a) { return (T)fabsf((float)a); }                                        \
    __device__ T __hmax(T a, T b) { return (T)fmaxf((float)a, (float)b); }                         \
    __device__ T __hmin(T a, T b) { return (T)fminf((float)a, (float)b); }                         \
    __device__ bool __heq(T a, T b) { return a == b; }                                             \
    __device__ bool __hne(T a, T b) { return a < b || a > b; }                                     \
    __device__ bool __hlt(T a, T b) { return a < b; }                                              \
    __device__ bool __hle(T a, T b) { return a <= b; }                                             \
    __device__ bool __hgt(T a, T b) { return a > b; }                                              \
    __device__ bool __hge(T a, T b) { return a >= b; }                                             \
    __device__ bool __hisnan(T a) { return a != a; }                                               \
    __device__ T hexp(T a) { return (T)expf((float)a); }                                           \
    __device__ T hexp2(T a) { return (T)exp2f((float)a); }                                         \
    __device__ T hlog(T a) { return (T)logf((float)a); }                                           \
    __device__ T hlog2(T a) { return (T)log2f((float)a); }                                         \
    __device__ T hsqrt(T a) { return (T)sqrtf((float)a); }                                         \
    __device__ T hrsqrt(T a) { return (T)rsqrtf((float)a); }                                       \
    __device__ T hrcp(T a) { return (T)(1.0f / (float)a); }                                        \
    __device__ T hsin(T a) { return (T)sinf((float)a); }                                           \
    __device__ T hcos(T a) { return (T)cosf((float)a); }                                           \
    __device__ T htanh(T a) { return (T)tanhf((float)a); }                                         \
    __device__ T hfloor(T a) { return (T)floorf((float)a); }                                       \
    __device__ T hceil(T a) { return (T)ceilf((float)a); }                                         \
    __device__ T hrint(T a) { return (T)rintf((float)a); }                                         \
    __device__ T htrunc(T a) { return (T)truncf((float)a); }                                       \
    __device__ PAIR __hadd2(PAIR a, PAIR b) { return a + b; }                                      \
    __device__ PAIR __hsub2(PAIR a, PAIR b) { return a - b; }                                      \
    __device__ PAIR __hmul2(PAIR a, PAIR b) { return a * b; }                                      \
    __device__ PAIR __h2div(PAIR a, PAIR b) { return a / b; }                                      \
    __device__ PAIR __hneg2(PAIR a) { return -a; }                                                 \
    __device__ PAIR __habs2(PAIR a) { return PAIR(__habs(a.x), __habs(a.y)); }                     \
    __device__ PAIR __hmax2(PAIR a, PAIR b) { return PAIR(__hmax(a.x, b.x), __hmax(a.y, b.y)); }   \
    __device__ PAIR __hmin2(PAIR a, PAIR b) { return PAIR(__hmin(a.x, b.x), __hmin(a.y, b.y)); }   \
    __device__ PAIR __heq2(PAIR a, PAIR b) {                                                       \
        return PAIR((T)(float)__heq(a.x, b.x), (T)(float)__heq(a.y, b.y));                         \
    }                                                                                              \
    __device__ PAIR __hne2(PAIR a, PAIR b) {                                                       \
        return PAIR((T)(float)__hne(a.x, b.x), (T)(float)__hne(a.y, b.y));                         \
    }                                                                                              \
    __device__ PAIR __hlt2(PAIR a, PAIR b) {                                                       \
        return PAIR((T)(float)__hlt(a.x, b.x), (T)(float)__hlt(a.y, b.y));                         \
    }                                                                                              \
    __device__ PAIR __hle2(PAIR a, PAIR b) {                                                       \
        return PAIR((T)(float)__hle(a.x, b.x), (T)(float)__hle(a.y, b.y));                         \
    }                                                                                              \
    __device__ PAIR __hgt2(PAIR a, PAIR b) {                                                       \
        return PAIR((T)(float)__hgt(a.x, b.x), (T)(float)__hgt(a.y, b.y));                         \
    }                                                                                              \
    __device__ PAIR __hge2(PAIR a, PAIR b) {                                                       \
        return PAIR((T)(float)__hge(a.x, b.x), (T)(float)__hge(a.y, b.y));                         \
    }                                                                                              \
    __device__ PAIR __hfma2(PAIR a, PAIR b, PAIR c) {                                              \
        return PAIR(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));                                 \
    }                                                                                              \
    __device__ PAIR h2exp(PAIR a) { return PAIR(hexp(a.x), hexp(a.y)); }                           \
    __device__ PAIR h2log(PAIR a) { return PAIR(hlog(a.x), hlog(a.y)); }                           \
    __device__ PAIR h2sqrt(PAIR a) { return PAIR(hsqrt(a.x), hsqrt(a.y)); }                        \
    __device__ PAIR h2rsqrt(PAIR a) { return PAIR(hrsqrt(a.x), hrsqrt(a.y)); }                     \
    __device__ PAIR h2rcp(PAIR a) { return PAIR(hrcp(a.x), hrcp(a.y)); }                           \
    __device__ PAIR h2tanh(PAIR a) { return PAIR(htanh(a.x), htanh(a.y)); }                        \
    __device__ PAIR h2sin(PAIR a) { return PAIR(hsin(a.x), hsin(a.y)); }                           \
    __device__ PAIR h2cos(PAIR a) { return PAIR(hcos(a.x), hcos(a.y)); }                           \
    __device__ PAIR __shfl_sync(unsigned mask, PAIR a, int lane, int width = 32) {                 \
        return PAIR(__shfl_sync(mask, a.x, lane, width), __shfl_sync(mask, a.y, lane, width));     \
    }                                                                                              \
    __device__ PAIR __shfl_xor_sync(unsigned mask, PAIR a, int lane, int width = 32) {             \
        return PAIR(__shfl_xor_sync(mask, a.x, lane, width),                                       \
                    __shfl_xor_sync(mask, a.y, lane, width));                                      \
    }                                                                                              \
    __device__ PAIR __shfl_down_sync(unsigned mask, PAIR a, unsigned lane, int width = 32) {       \
        return PAIR(__shfl_down_sync(mask, a.x, lane, width),                                      \
                    __shfl_down_sync(mask, a.y, lane, width));                                     \
    }                                                                                              \
    __device__ PAIR __ldg(const PAIR *p) { return *p; }

__TERN_SMALL(__half, __half2)
__TERN_SMALL(__nv_bfloat16, __nv_bfloat162)
#undef __TERN_SMALL
typedef __half2 half2;
typedef __nv_bfloat162 nv_bfloat162;

__device__ __half __float2half(float a) { return (__half)a; }
__device__ __half __float2half_rn(float a) { return (__half)a; }
__device__ __half __double2half(double a) { return (__half)a; }
__device__ float __half2float(__half a) { return (float)a; }
__device__ __half2 __float2half2_rn(float a) { return __half2((__half)a, (__half)a); }
__device__ __half2 __floats2half2_rn(float a, float b) { return __half2((__half)a, (__half)b); }
__device__ __half2 __float22half2_rn(float2 a) { return __half2((__half)a.x, (__half)a.y); }
__device__ float2 __half22float2(__half2 a) { return make_float2((float)a.x, (float)a.y); }
__device__ __half2 __half2half2(__half a) { return __half2(a, a); }
__device__ __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
__device__ __half2 make_half2(__half a, __half b) { return __half2(a, b); }
__device__ __half __low2half(__half2 a) { return a.x; }
__device__ __half __high2half(__half2 a) { return a.y; }
__device__ float __low2float(__half2 a) { return (float)a.x; }
__device__ float __high2float(__half2 a) { return (float)a.y; }
__device__ __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
__device__ __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
__device__ __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
__device__ __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
__device__ __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
__device__ __half __int2half_rn(int a) { return (__half)a; }
__device__ __half __uint2half_rn(unsigned a) { return (__half)a; }
__device__ __half __short2half_rn(short a) { return (__half)a; }
__device__ __half __ushort2half_rn(unsigned short a) { return (__half)a; }
__device__ int __half2int_rz(__half a) { return (int)a; }
__device__ int __half2int_rn(__half a) { return (int)rintf((float)a); }
__device__ unsigned __half2uint_rz(__half a) { return (unsigned)a; }

__device__ __nv_bfloat16 __float2bfloat16(float a) { return (__nv_bfloat16)a; }
__device__ __nv_bfloat16 __float2bfloat16_rn(float a) { return (__nv_bfloat16)a; }
__device__ __nv_bfloat16 __double2bfloat16(double a) { return (__nv_bfloat16)a; }
__device__ float __bfloat162float(__nv_bfloat16 a) { return (float)a; }
__device__ __nv_bfloat162 __float2bfloat162_rn(float a) {
    return __nv_bfloat162((__nv_bfloat16)a, (__nv_bfloat16)a);
}
__device__ __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
    return __nv_bfloat162((__nv_bfloat16)a, (__nv_bfloat16)b);
}
__device__ __nv_bfloat162 __float22bfloat162_rn(float2 a) {
    return __nv_bfloat162((__nv_bfloat16)a.x, (__nv_bfloat16)a.y);
}
__device__ float2 __bfloat1622float2(__nv_bfloat162 a) {
    return make_float2((float)a.x, (float)a.y);
}
__device__ __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
__device__ __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat162(a, b);
}
__device__ __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat162(a, b);
}
__device__ __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
__device__ __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
__device__ float __low2float(__nv_bfloat162 a) { return (float)a.x; }
__device__ float __high2float(__nv_bfloat162 a) { return (float)a.y; }
__device__ __nv_bfloat16 __int2bfloat16_rn(int a) { return (__nv_bfloat16)a; }

// Of a pair: its 32 bits at once.
#define __TERN_PAIR_ATOMIC(PAIR)                                                                   \
    __device__ PAIR atomicAdd(PAIR *at, PAIR x) {                                                  \
        volatile unsigned *first = (unsigned *)at;                                                 \
        unsigned *word = (unsigned *)at, old = *first, seen;                                       \
        PAIR sum;                                                                                  \
        do {                                                                                       \
            seen = old;                                                                            \
            sum = *(PAIR *)&seen + x;                                                              \
            old = atomicCAS(word, seen, *(unsigned *)&sum);                                        \
        } while (old != seen);                                                                     \
        return *(PAIR *)&seen;                                                                     \
    }
__TERN_PAIR_ATOMIC(__half2)
__TERN_PAIR_ATOMIC(__nv_bfloat162)
#undef __TERN_PAIR_ATOMIC
