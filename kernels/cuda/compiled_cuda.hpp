// SPDX-License-Identifier: Apache-2.0
// compiled_cuda: what CUDA has beside what follows, both.cuh and its runtime's functions (runtime.cuh), as
// a C++ compiler for the host is given it: vectors, half, what a function for both sides may call,
// and names of types that only kernels use.
#define __TERN_VECTOR(T, NAME, ONE, TWO, FOUR)                                                      \
    struct NAME##1 {                                                                                \
        T x;                                                                                        \
    };                                                                                              \
    struct __align__(TWO) NAME##2 {                                                                 \
        T x, y;                                                                                     \
    };                                                                                              \
    struct __align__(FOUR) NAME##4 {                                                                \
        T x, y, z, w;                                                                               \
    };                                                                                              \
    static inline NAME##1 make_##NAME##1(T x) { return NAME##1{x}; }                                \
    static inline NAME##2 make_##NAME##2(T x, T y) { return NAME##2{x, y}; }                        \
    static inline NAME##3 make_##NAME##3(T x, T y, T z) { return NAME##3{x, y, z}; }                \
    static inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return NAME##4{x, y, z, w}; }
#define __TERN_THREE(T, NAME)                                                                       \
    struct NAME##3 {                                                                                \
        T x, y, z;                                                                                  \
    };
__TERN_THREE(signed char, char)
__TERN_VECTOR(signed char, char, 1, 2, 4)
__TERN_THREE(unsigned char, uchar)
__TERN_VECTOR(unsigned char, uchar, 1, 2, 4)
__TERN_THREE(short, short)
__TERN_VECTOR(short, short, 2, 4, 8)
__TERN_THREE(unsigned short, ushort)
__TERN_VECTOR(unsigned short, ushort, 2, 4, 8)
__TERN_THREE(int, int)
__TERN_VECTOR(int, int, 4, 8, 16)
__TERN_VECTOR(unsigned, uint, 4, 8, 16)
__TERN_THREE(long, long)
__TERN_VECTOR(long, long, 8, 16, 16)
__TERN_THREE(unsigned long, ulong)
__TERN_VECTOR(unsigned long, ulong, 8, 16, 16)
__TERN_THREE(long long, longlong)
__TERN_VECTOR(long long, longlong, 8, 16, 16)
__TERN_THREE(unsigned long long, ulonglong)
__TERN_VECTOR(unsigned long long, ulonglong, 8, 16, 16)
__TERN_THREE(float, float)
__TERN_VECTOR(float, float, 4, 8, 16)
__TERN_THREE(double, double)
__TERN_VECTOR(double, double, 8, 16, 16)
#undef __TERN_VECTOR
#undef __TERN_THREE

// ---- half, bfloat16: rounded to the nearest, ties to even ----
namespace tern_host {
inline unsigned bits_of(float x) {
    unsigned bits;
    __builtin_memcpy(&bits, &x, 4);
    return bits;
}
inline float of_bits(unsigned bits) {
    float x;
    __builtin_memcpy(&x, &bits, 4);
    return x;
}
inline unsigned short half_of(float x) {
    unsigned bits = bits_of(x), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size > 0x7f800000) return sign | 0x7fff;
    if (size >= 0x477ff000) return sign | 0x7c00; // rounds to 65536 or more
    if (size < 0x38800000) {                      // 2^-14: counted in steps of 2^-24
        float steps = of_bits(size) + 0.5f;       // whose last bit is worth 2^-24
        return sign | (bits_of(steps) - bits_of(0.5f));
    }
    return sign | (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;
}
inline float of_half(unsigned short half) {
    unsigned sign = (half & 0x8000u) << 16, size = half & 0x7fff;
    if (size >= 0x7c00) return of_bits(sign | 0x7f800000 | (size & 0x3ff) << 13);
    if (size < 0x400) return of_bits(sign | bits_of(size * 5.9604644775390625e-8f));
    return of_bits(sign | ((size << 13) + 0x38000000));
}
inline unsigned short bfloat_of(float x) {
    unsigned bits = bits_of(x);
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
inline float of_bfloat(unsigned short x) { return of_bits((unsigned)x << 16); }
} // namespace tern_host
#define __TERN_SMALL(NAME, FROM, TO)                                                                \
    struct NAME {                                                                                   \
        unsigned short bits;                                                                        \
        NAME() = default;                                                                           \
        NAME(float x) : bits(::tern_host::FROM(x)) {}                                               \
        NAME(double x) : NAME((float)x) {}                                                          \
        NAME(int x) : NAME((float)x) {}                                                             \
        NAME(unsigned x) : NAME((float)x) {}                                                        \
        NAME(long x) : NAME((float)x) {}                                                            \
        NAME(unsigned long x) : NAME((float)x) {}                                                   \
        operator float() const { return ::tern_host::TO(bits); }                                    \
        NAME &operator+=(NAME b) { return *this = NAME((float)*this + (float)b); }                  \
        NAME &operator-=(NAME b) { return *this = NAME((float)*this - (float)b); }                  \
        NAME &operator*=(NAME b) { return *this = NAME((float)*this * (float)b); }                  \
        NAME &operator/=(NAME b) { return *this = NAME((float)*this / (float)b); }                  \
    };                                                                                              \
    struct __align__(4) NAME##2 {                                                                   \
        NAME x, y;                                                                                  \
        NAME##2() = default;                                                                        \
        NAME##2(NAME x, NAME y) : x(x), y(y) {}                                                     \
    };                                                                                              \
    inline NAME operator+(NAME a, NAME b) { return NAME((float)a + (float)b); }                     \
    inline NAME operator-(NAME a, NAME b) { return NAME((float)a - (float)b); }                     \
    inline NAME operator*(NAME a, NAME b) { return NAME((float)a * (float)b); }                     \
    inline NAME operator/(NAME a, NAME b) { return NAME((float)a / (float)b); }                     \
    inline NAME operator-(NAME a) { return NAME(-(float)a); }                                       \
    inline bool operator==(NAME a, NAME b) { return (float)a == (float)b; }                         \
    inline bool operator!=(NAME a, NAME b) { return (float)a != (float)b; }                         \
    inline bool operator<(NAME a, NAME b) { return (float)a < (float)b; }                           \
    inline bool operator>(NAME a, NAME b) { return (float)a > (float)b; }                           \
    inline bool operator<=(NAME a, NAME b) { return (float)a <= (float)b; }                         \
    inline bool operator>=(NAME a, NAME b) { return (float)a >= (float)b; }                         \
    inline NAME __hadd(NAME a, NAME b) { return a + b; }                                            \
    inline NAME __hsub(NAME a, NAME b) { return a - b; }                                            \
    inline NAME __hmul(NAME a, NAME b) { return a * b; }                                            \
    inline NAME __hdiv(NAME a, NAME b) { return a / b; }                                            \
    inline NAME __hmax(NAME a, NAME b) { return NAME(__builtin_fmaxf((float)a, (float)b)); }        \
    inline NAME __hmin(NAME a, NAME b) { return NAME(__builtin_fminf((float)a, (float)b)); }        \
    inline NAME __hneg(NAME a) { return -a; }                                                       \
    inline NAME __habs(NAME a) { return NAME(__builtin_fabsf((float)a)); }                          \
    inline bool __heq(NAME a, NAME b) { return a == b; }                                            \
    inline bool __hlt(NAME a, NAME b) { return a < b; }                                             \
    inline bool __hle(NAME a, NAME b) { return a <= b; }                                            \
    inline bool __hgt(NAME a, NAME b) { return a > b; }                                             \
    inline bool __hge(NAME a, NAME b) { return a >= b; }                                            \
    inline NAME##2 operator+(NAME##2 a, NAME##2 b) { return NAME##2(a.x + b.x, a.y + b.y); }        \
    inline NAME##2 operator-(NAME##2 a, NAME##2 b) { return NAME##2(a.x - b.x, a.y - b.y); }        \
    inline NAME##2 operator*(NAME##2 a, NAME##2 b) { return NAME##2(a.x * b.x, a.y * b.y); }        \
    inline NAME##2 operator/(NAME##2 a, NAME##2 b) { return NAME##2(a.x / b.x, a.y / b.y); }        \
    inline NAME##2 __hadd2(NAME##2 a, NAME##2 b) { return a + b; }                                  \
    inline NAME##2 __hsub2(NAME##2 a, NAME##2 b) { return a - b; }                                  \
    inline NAME##2 __hmul2(NAME##2 a, NAME##2 b) { return a * b; }                                  \
    inline NAME##2 __h2div(NAME##2 a, NAME##2 b) { return a / b; }
__TERN_SMALL(__half, half_of, of_half)
__TERN_SMALL(__nv_bfloat16, bfloat_of, of_bfloat)
#undef __TERN_SMALL
typedef __half half;
typedef __half2 half2;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
inline __half __float2half(float x) { return __half(x); }
inline __half __float2half_rn(float x) { return __half(x); }
inline __half __double2half(double x) { return __half(x); }
inline float __half2float(__half x) { return x; }
inline __half2 __float2half2_rn(float x) { return __half2(x, x); }
inline __half2 __floats2half2_rn(float x, float y) { return __half2(x, y); }
inline __half2 make_half2(__half x, __half y) { return __half2(x, y); }
inline __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
inline __half __low2half(__half2 x) { return x.x; }
inline __half __high2half(__half2 x) { return x.y; }
inline float __low2float(__half2 x) { return x.x; }
inline float __high2float(__half2 x) { return x.y; }
inline float2 __half22float2(__half2 x) { return float2{x.x, x.y}; }
inline __half2 __float22half2_rn(float2 x) { return __half2(x.x, x.y); }
inline float2 __bfloat1622float2(__nv_bfloat162 x) { return float2{x.x, x.y}; }
inline __nv_bfloat162 __float22bfloat162_rn(float2 x) { return __nv_bfloat162(x.x, x.y); }
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
inline __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
inline __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
inline __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
inline float __bfloat162float(__nv_bfloat16 x) { return x; }
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return __nv_bfloat162(x, y); }

#ifdef __TERN_PROGRAM__
// ---- functions of both sides ----
#define __TERN_MIN_MAX(T)                                                                           \
    inline T min(T a, T b) { return b < a ? b : a; }                                                \
    inline T max(T a, T b) { return a < b ? b : a; }
__TERN_MIN_MAX(int)
__TERN_MIN_MAX(unsigned)
__TERN_MIN_MAX(long)
__TERN_MIN_MAX(unsigned long)
__TERN_MIN_MAX(long long)
__TERN_MIN_MAX(unsigned long long)
#undef __TERN_MIN_MAX
inline unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
inline unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
inline unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
inline unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double max(double a, float b) { return fmax(a, b); }
// Newer libraries of C have functions of these names (C23), which C++ does not let stand beside ours.
#define rsqrt __tern_rsqrt
#define rsqrtf __tern_rsqrtf
#define sinpi __tern_sinpi
#define sinpif __tern_sinpif
#define cospi __tern_cospi
#define cospif __tern_cospif
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return 1.0f / sqrtf(x); }
inline float fdividef(float a, float b) { return a / b; }
inline int __float_as_int(float x) { return (int)::tern_host::bits_of(x); }
inline unsigned __float_as_uint(float x) { return ::tern_host::bits_of(x); }
inline float __int_as_float(int x) { return ::tern_host::of_bits((unsigned)x); }
inline float __uint_as_float(unsigned x) { return ::tern_host::of_bits(x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
inline int __ffs(int x) { return __builtin_ffs(x); }
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_PI_F 3.141592654f
#define CUDART_INF_F __builtin_inff()
#define CUDART_INF __builtin_inf()
#define CUDART_NAN_F __builtin_nanf("")
#endif

// ---- names of what only kernels use ----
static const uint3 threadIdx = {0, 0, 0}, blockIdx = {0, 0, 0};
static const dim3 blockDim, gridDim;
static const int warpSize = 32;
typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
void __syncthreads();
void __syncwarp(unsigned = 0xffffffffu);
void __threadfence();
namespace cooperative_groups {
struct thread_group;
struct thread_block;
struct grid_group;
struct coalesced_group;
template <unsigned N, typename P = void> struct thread_block_tile;
} // namespace cooperative_groups
namespace nvcuda {
namespace wmma {}
} // namespace nvcuda
namespace cub {}
