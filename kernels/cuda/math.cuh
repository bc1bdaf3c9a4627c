// SPDX-License-Identifier: Apache-2.0
// math: functions of C and CUDA that are made of those which are built in. Functions of float are
// computed in double and rounded once, or as good; those of double are within 4 units in the last place.

#define __TERN_OF_FLOAT(NAME)                                                                      \
    __device__ inline float NAME##f(float x) { return (float)NAME((double)x); }                    \
    __device__ inline float NAME(float x) { return NAME##f(x); }

__device__ inline double copysign(double x, double y) {
    unsigned long long sign = 1ull << 63;
    return __longlong_as_double((__double_as_longlong(x) & ~sign) |
                                (__double_as_longlong(y) & sign));
}
__device__ inline float copysignf(float x, float y) {
    return __uint_as_float((__float_as_uint(x) & 0x7fffffffu) | (__float_as_uint(y) & 0x80000000u));
}
__device__ inline float copysign(float x, float y) { return copysignf(x, y); }
__device__ inline bool signbit(float x) { return __float_as_int(x) < 0; }
__device__ inline bool signbit(double x) { return __double_as_longlong(x) < 0; }

__device__ inline double round(double x) {
    double whole = trunc(x);
    return fabs(x - whole) >= 0.5 ? whole + copysign(1.0, x) : whole;
}
__TERN_OF_FLOAT(round)
__device__ inline int __float2int_rn(float x) { return (int)rintf(x); }
__device__ inline int __float2int_rd(float x) { return (int)floorf(x); }
__device__ inline int __float2int_ru(float x) { return (int)ceilf(x); }
__device__ inline unsigned __float2uint_rn(float x) { return (unsigned)rintf(x); }
__device__ inline unsigned __float2uint_rd(float x) { return (unsigned)floorf(x); }
__device__ inline long long __float2ll_rz(float x) { return (long long)x; }
__device__ inline int __double2int_rn(double x) { return (int)rint(x); }
__device__ inline int __double2int_rz(double x) { return (int)x; }
__device__ inline float __double2float_rn(double x) { return (float)x; }
__device__ inline double __int2double_rn(int x) { return (double)x; }
__device__ inline float __ll2float_rn(long long x) { return (float)x; }
__device__ inline float __ull2float_rn(unsigned long long x) { return (float)x; }
__device__ inline double __ll2double_rn(long long x) { return (double)x; }
__device__ inline int __double2int_rd(double x) { return (int)floor(x); }
__device__ inline int __double2int_ru(double x) { return (int)ceil(x); }
__device__ inline long lround(double x) { return (long)round(x); }
__device__ inline long lroundf(float x) { return (long)round((double)x); }
__device__ inline long long llround(double x) { return (long long)round(x); }
__device__ inline long long llroundf(float x) { return (long long)round((double)x); }
__device__ inline long lrint(double x) { return (long)rint(x); }
__device__ inline long lrintf(float x) { return (long)rintf(x); }
__device__ inline long long llrint(double x) { return (long long)rint(x); }
__device__ inline long long llrintf(float x) { return (long long)rintf(x); }
__device__ inline int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
__device__ inline int __double2loint(double x) { return (int)__double_as_longlong(x); }
__device__ inline double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)high << 32 | (unsigned)low);
}

// A sum or product that is not made a part of an fma.
__device__ inline float __fadd_rn(float a, float b) { return fmaf(a, 1.0f, b); }
__device__ inline float __fsub_rn(float a, float b) { return fmaf(a, 1.0f, -b); }
__device__ inline float __fmul_rn(float a, float b) { return fmaf(a, b, -0.0f); }
__device__ inline double __dadd_rn(double a, double b) { return fma(a, 1.0, b); }
__device__ inline double __dsub_rn(double a, double b) { return fma(a, 1.0, -b); }
__device__ inline double __dmul_rn(double a, double b) { return fma(a, b, -0.0); }
__device__ inline double __ddiv_rn(double a, double b) { return a / b; }
__device__ inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
__device__ inline double __dsqrt_rn(double a) { return sqrt(a); }
__device__ inline float __frcp_rn(float a) { return 1.0f / a; }
__device__ inline double __drcp_rn(double a) { return 1.0 / a; }
__device__ inline float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }
__device__ inline float fdimf(float x, float y) { return x > y ? x - y : x <= y ? 0.0f : x + y; }
__device__ inline double fdim(double x, double y) { return x > y ? x - y : x <= y ? 0.0 : x + y; }

__device__ inline double tan(double x) { return sin(x) / cos(x); }
__TERN_OF_FLOAT(tan)
__device__ inline float __tanf(float x) { return tanf(x); }
__device__ inline double log10(double x) { return log2(x) * 0.30102999566398119521; }
__TERN_OF_FLOAT(log10)
__device__ inline float __log10f(float x) { return log10f(x); }
__device__ inline double exp10(double x) {
    double whole = rint(x), rest = (x - whole) * 2.30258509299404568402;
    return isinf(x) ? exp(x) : exp2(whole * 3.32192809488736218171) * exp(rest);
}
__device__ inline float exp10f(float x) { return (float)exp2((double)x * 3.32192809488736218171); }
__device__ inline float __exp10f(float x) { return exp10f(x); }
__device__ inline double log1p(double x) {
    double u = 1.0 + x;
    return u == 1.0 ? x : isinf(u) ? u : log(u) * (x / (u - 1.0));
}
__TERN_OF_FLOAT(log1p)
__device__ inline double expm1(double x) {
    double u = exp(x);
    if (u == 1.0) return x;
    if (u - 1.0 == -1.0 || fabs(x) > 1.0) return u - 1.0;
    return (u - 1.0) * (x / log(u));
}
__TERN_OF_FLOAT(expm1)
__device__ inline double sinh(double x) {
    double a = fabs(x), t = a < 700.0 ? expm1(a) : 0.0, h = exp(a * 0.5);
    return copysign(a < 700.0 ? 0.5 * (t + t / (t + 1.0)) : 0.5 * h * h, x);
}
__TERN_OF_FLOAT(sinh)
__device__ inline double cosh(double x) {
    double a = fabs(x), e = exp(a), h = exp(a * 0.5);
    return a < 700.0 ? 0.5 * (e + 1.0 / e) : 0.5 * h * h;
}
__TERN_OF_FLOAT(cosh)
__device__ inline double asinh(double x) {
    double a = fabs(x), s = a * a;
    return copysign(a > 1e150 ? log(a) + 0.69314718055994530942
                              : log1p(a + s / (1.0 + sqrt(1.0 + s))), x);
}
__TERN_OF_FLOAT(asinh)
__device__ inline double acosh(double x) {
    return x > 1e150 ? log(x) + 0.69314718055994530942
                     : log1p((x - 1.0) + sqrt((x - 1.0) * (x + 1.0)));
}
__TERN_OF_FLOAT(acosh)
__device__ inline double atanh(double x) { return 0.5 * log1p(2.0 * x / (1.0 - x)); }
__TERN_OF_FLOAT(atanh)
__device__ inline double cbrt(double x) {
    double a = fabs(x), y = exp2(log2(a) * 0.33333333333333333333);
    if (!(a > 0.0) || isinf(a)) return x;
    y -= (y * y * y - a) / (3.0 * y * y);
    return copysign(y, x);
}
__TERN_OF_FLOAT(cbrt)
__device__ inline double hypot(double x, double y) {
    double a = fmax(fabs(x), fabs(y)), b = fmin(fabs(x), fabs(y));
    if (isinf(x) || isinf(y)) return (double)__builtin_inff();
    return a == 0.0 ? a : a * sqrt(1.0 + (b / a) * (b / a));
}
__device__ inline float hypotf(float x, float y) {
    return isinf(x) || isinf(y) ? __builtin_inff()
                                : (float)sqrt((double)x * x + (double)y * y);
}
__device__ inline float hypot(float x, float y) { return hypotf(x, y); }
__device__ inline float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
__device__ inline float rnorm3df(float x, float y, float z) { return 1.0f / norm3df(x, y, z); }

// Near 0 the series of x - x^3/3 ..; elsewhere atan(c) + atan((x - c) / (1 + c x)), c = 0.5, 1, 1.5, inf
// (fdlibm, s_atan.c; its coefficients).
__device__ inline double atan(double x) {
    double a = fabs(x), base = 0.0, rest = 0.0;
    if (a >= 2.4375) {
        base = 1.57079632679489655800, rest = 6.12323399573676603587e-17, a = -1.0 / a;
    } else if (a >= 1.1875) {
        base = 9.82793723247329054082e-01, rest = 1.39033110312309984516e-17;
        a = (a - 1.5) / (1.0 + 1.5 * a);
    } else if (a >= 0.6875) {
        base = 7.85398163397448278999e-01, rest = 3.06161699786838301793e-17;
        a = (a - 1.0) / (a + 1.0);
    } else if (a >= 0.4375) {
        base = 4.63647609000806093515e-01, rest = 2.26987774529616870924e-17;
        a = (2.0 * a - 1.0) / (2.0 + a);
    }
    double z = a * a, w = z * z;
    double odd = z * (3.33333333333329318027e-01 +
                      w * (1.42857142725034663711e-01 +
                           w * (9.09088713343650656196e-02 +
                                w * (6.66107313738753120669e-02 +
                                     w * (4.97687799461593236017e-02 +
                                          w * 1.62858201153657823623e-02)))));
    double even = w * (-1.99999999998764832476e-01 +
                       w * (-1.11111104054623557880e-01 +
                            w * (-7.69187620504482999495e-02 +
                                 w * (-5.83357013379057348645e-02 +
                                      w * -3.65315727442169155270e-02))));
    double y = base == 0.0 ? a - a * (odd + even) : base - ((a * (odd + even) - rest) - a);
    return x != x ? x : copysign(y, x);
}
__TERN_OF_FLOAT(atan)
__device__ inline double atan2(double y, double x) {
    const double pi = 3.14159265358979311600, low = 1.2246467991473531772e-16;
    double a = fabs(x), b = fabs(y), t;
    if (x != x || y != y) return x + y;
    if (b == 0.0)
        t = 0.0;
    else if (isinf(a) && isinf(b))
        t = pi / 4.0;
    else
        t = a == 0.0 ? pi / 2.0 : atan(b / a);
    return copysign(signbit(x) ? pi - (t - low) : t, y);
}
__device__ inline float atan2f(float y, float x) { return (float)atan2((double)y, (double)x); }
__device__ inline float atan2(float y, float x) { return atan2f(y, x); }
__device__ inline double asin(double x) { return atan2(x, sqrt((1.0 - x) * (1.0 + x))); }
__TERN_OF_FLOAT(asin)
__device__ inline double acos(double x) { return 2.0 * atan2(sqrt(1.0 - x), sqrt(1.0 + x)); }
__TERN_OF_FLOAT(acos)
// x = m * 2^exponent, 0.5 <= |m| < 1; of 0, infinity and NaN m is x, exponent 0.
__device__ inline double frexp(double x, int *exponent) {
    const long long field = 0x7ffll << 52;
    *exponent = 0;
    if (x == 0 || !isfinite(x)) return x;
    long long bits = __double_as_longlong(x);
    if (!(bits & field)) { // no leading 1
        bits = __double_as_longlong(x * 18014398509481984.0); // 2^54
        *exponent = -54;
    }
    *exponent += (int)((bits & field) >> 52) - 1022;
    return __longlong_as_double((bits & ~field) | (1022ll << 52));
}
__device__ inline float frexpf(float x, int *exponent) { return (float)frexp((double)x, exponent); }
__device__ inline float frexp(float x, int *exponent) { return frexpf(x, exponent); }
__device__ inline double ldexp(double x, int n) {
    int half = n / 2;
    return fabs((double)n) > 4000.0 ? (n < 0 ? x * 0.0 : x * (double)__builtin_inff())
                                    : x * exp2((double)half) * exp2((double)(n - half));
}
__device__ inline float ldexpf(float x, int n) { return (float)ldexp((double)x, n); }
__device__ inline float scalbnf(float x, int n) { return ldexpf(x, n); }
__device__ inline float modff(float x, float *whole) {
    *whole = truncf(x);
    return isinf(x) ? copysignf(0.0f, x) : copysignf(x - *whole, x);
}
__device__ inline void sincos(double x, double *s, double *c) { *s = sin(x), *c = cos(x); }
__device__ inline void sincosf(float x, float *s, float *c) { *s = sinf(x), *c = cosf(x); }
__device__ inline void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
__device__ inline void __sincosf(float x, float *s, float *c) { sincosf(x, s, c); }

// In double y * log2(x) is exact enough to be rounded once more.
__device__ inline float __tern_powf(float x, float y) {
    if (y == 0.0f || x == 1.0f) return 1.0f;
    if (x != x || y != y) return x + y;
    bool whole = truncf(y) == y, odd = whole && fabsf(y) < 16777216.0f && ((int)fabsf(y) & 1);
    if (x == -1.0f && isinf(y)) return 1.0f;
    if (x < 0.0f && !whole && !isinf(y) && !isinf(x)) return __builtin_nanf();
    float size = (float)exp2((double)y * log2((double)fabsf(x)));
    return odd && signbit(x) ? -size : size;
}

__device__ inline double __tern_high(double x) { // without the low 32 bits
    return __longlong_as_double(__double_as_longlong(x) & ~0xffffffffll);
}
// log2(x) of x > 0 as high + rest (fdlibm, e_pow.c; its coefficients).
__device__ inline double __tern_log2_parts(double x, double *rest) {
    int n;
    double a = 2.0 * frexp(x, &n), base = 1.0, from = 0.0, more = 0.0;
    n--;
    if (a >= 1.7320508075688772) {
        a *= 0.5, n++;
    } else if (a >= 1.2247448713915890) {
        base = 1.5, from = 5.84962487220764160156e-01, more = 1.35003920212974897128e-08;
    }
    double u = a - base, v = 1.0 / (a + base), s = u * v, high = __tern_high(s);
    double t = __tern_high(a + base), low = a - (t - base);
    low = v * ((u - high * t) - high * low);
    double z = s * s;
    double r = z * z * (5.99999999999994648725e-01 +
                        z * (4.28571428578550184252e-01 +
                             z * (3.33333329818377432918e-01 +
                                  z * (2.72728123808534006489e-01 +
                                       z * (2.30660745775561754067e-01 +
                                            z * 2.06975017800338417784e-01)))));
    r += low * (high + s);
    z = high * high;
    t = __tern_high(3.0 + z + r);
    double left = r - ((t - 3.0) - z);
    u = high * t;
    v = low * t + left * s;
    double p = __tern_high(u + v), q = v - (p - u), whole = (double)n;
    u = 9.61796700954437255859e-01 * p;
    v = -7.02846165095275826516e-09 * p + q * 9.61796693925975554329e-01 + more;
    double sum = __tern_high(((u + v) + from) + whole);
    *rest = v - (((sum - whole) - from) - u);
    return sum;
}
// 2 ** (high + low), |high + low| < 1100.
__device__ inline double __tern_exp2_parts(double high, double low) {
    double whole = rint(high + low);
    high -= whole;
    double t = __tern_high(low + high), u = t * 6.93147182464599609375e-01;
    double v = (low - (t - high)) * 6.93147180559945286227e-01 + t * -1.90465429995776804525e-09;
    double z = u + v, w = v - (z - u);
    t = z * z;
    t = z - t * (1.66666666666666019037e-01 +
                 t * (-2.77777777770155933842e-03 +
                      t * (6.61375632143793436117e-05 +
                           t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
    z = 1.0 - (((z * t) / (t - 2.0) - (w + z * w)) - z);
    int n = (int)whole, half = n / 2;
    return z * __longlong_as_double((half + 1023ll) << 52) *
           __longlong_as_double((n - half + 1023ll) << 52);
}
__device__ inline double __tern_pow(double x, double y) {
    double a = fabs(x), b = fabs(y), infinity = (double)__builtin_inff();
    if (y == 0.0 || x == 1.0) return 1.0;
    if (x != x || y != y) return x + y;
    bool whole = trunc(y) == y, odd = whole && b < 9007199254740992.0 && ((long long)b & 1);
    double sign = odd && signbit(x) ? -1.0 : 1.0;
    if (isinf(y)) return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? infinity : 0.0;
    if (a == 0.0 || isinf(x)) return sign * ((a == 0.0) == (y > 0.0) ? 0.0 : infinity);
    if (x < 0.0 && !whole) return (double)__builtin_nanf();
    if (b > 1e20) b = a == 1.0 ? 0.0 : 1e20, y = copysign(b, y); // far out of range, or 1
    double low, high = __tern_log2_parts(a, &low), first = __tern_high(y);
    low = (y - first) * high + y * low;
    high *= first;
    if (high + low >= 1025.0) return sign * infinity;
    return high + low <= -1080.0 ? sign * 0.0 : sign * __tern_exp2_parts(high, low);
}

// ---- integers ----

__device__ inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
__device__ inline unsigned __umul24(unsigned a, unsigned b) {
    return (a & 0xffffffu) * (b & 0xffffffu);
}
__device__ inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
__device__ inline unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
__device__ inline int __ffs(int x) { return x ? 32 - __clz(x & -x) : 0; }
__device__ inline int __ffsll(long long x) { return x ? 64 - __clzll(x & -x) : 0; }
__device__ inline unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}
__device__ inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
__device__ inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
    unsigned long long both = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++)
        result |= (unsigned)(both >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
    return result;
}
__device__ inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
    return (unsigned)((((unsigned long long)high << 32 | low) << (by & 31)) >> 32);
}
__device__ inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
    return (unsigned)(((unsigned long long)high << 32 | low) >> (by & 31));
}
__device__ inline unsigned __sad(int a, int b, unsigned c) {
    return (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b) + c;
}
__device__ inline unsigned __usad(unsigned a, unsigned b, unsigned c) {
    return (a < b ? b - a : a - b) + c;
}
__device__ inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
__device__ inline int __dp4a(int a, int b, int c) {
    for (int i = 0; i < 32; i += 8) c += (a << 24 - i >> 24) * (b << 24 - i >> 24);
    return c;
}
__device__ inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < 32; i += 8) c += (a >> i & 255u) * (b >> i & 255u);
    return c;
}
__device__ inline int __dp4a(char4 a, char4 b, int c) {
    return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
__device__ inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
    return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// ---- memory: hints of caches are read over ----

#define __TERN_LOAD(NAME)                                                                          \
    template <typename T> __device__ inline T NAME(const T *p) { return *p; }
__TERN_LOAD(__ldg)
__TERN_LOAD(__ldcs)
__TERN_LOAD(__ldcg)
__TERN_LOAD(__ldca)
__TERN_LOAD(__ldlu)
__TERN_LOAD(__ldcv)
#undef __TERN_LOAD
#define __TERN_STORE(NAME)                                                                         \
    template <typename T> __device__ inline void NAME(T *p, T value) { *p = value; }
__TERN_STORE(__stcs)
__TERN_STORE(__stcg)
__TERN_STORE(__stwb)
__TERN_STORE(__stwt)
#undef __TERN_STORE
__device__ inline void memcpy(void *to, const void *from, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) ((char *)to)[i] = ((const char *)from)[i];
}
__device__ inline void memset(void *to, int value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) ((char *)to)[i] = (char)value;
}
__device__ inline unsigned atomicInc(unsigned *p, unsigned limit) {
    unsigned old = *(volatile unsigned *)p, seen;
    do {
        seen = old;
        old = atomicCAS(p, seen, seen >= limit ? 0u : seen + 1u);
    } while (old != seen);
    return old;
}
__device__ inline unsigned atomicDec(unsigned *p, unsigned limit) {
    unsigned old = *(volatile unsigned *)p, seen;
    do {
        seen = old;
        old = atomicCAS(p, seen, seen == 0u || seen > limit ? limit : seen - 1u);
    } while (old != seen);
    return old;
}
__device__ inline unsigned atomicInc_block(unsigned *p, unsigned limit) { return atomicInc(p, limit); }
__device__ inline unsigned atomicInc_system(unsigned *p, unsigned limit) { return atomicInc(p, limit); }
__device__ inline unsigned atomicDec_block(unsigned *p, unsigned limit) { return atomicDec(p, limit); }
__device__ inline unsigned atomicDec_system(unsigned *p, unsigned limit) { return atomicDec(p, limit); }
