// SPDX-License-Identifier: Apache-2.0
/* number: arithmetic that C has no operator for, for the table of instructions (isa.def), from PTX
 * ISA 8.7 and IEEE 754. test/unit/ptx_reference.h has all of it once more, written apart. What
 * follows the #includes is also put, as it stands, into C that executes inline assembly. */
#ifndef TERN_PTX_NUMBER_H
#define TERN_PTX_NUMBER_H

#include "base/base.h"

#include <math.h>

static inline float float_of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t bits_of_float(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double double_of_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t bits_of_double(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* ---- integers ---- */

/* By 0: all ones, as the hardware's; the least by -1 wraps. */
static inline int64_t ptx_div(int64_t a, int64_t b, int64_t least) {
    if (b == 0) return -1;
    return a == least && b == -1 ? least : a / b;
}

static inline int64_t ptx_rem(int64_t a, int64_t b) { return b == 0 ? -1 : b == -1 ? 0 : a % b; }

static inline uint64_t ptx_mulhi(uint64_t a, uint64_t b) {
    __extension__ typedef unsigned __int128 Wide;
    return (uint64_t)((Wide)a * b >> 64);
}

static inline uint32_t ptx_reverse(uint32_t a) {
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(a);
}

/* bfe: bits above the 31st read as 0 (unsigned) or the sign of the field. */
static inline uint32_t ptx_extract(uint32_t a, uint32_t position, uint32_t length, bool is_signed) {
    position &= 255, length &= 255;
    if (!length) return 0;
    uint32_t last = position + length - 1 > 31 ? 31 : position + length - 1;
    uint32_t field = position > 31 ? 0 : a >> position;
    uint32_t mask = length > 31 ? UINT32_MAX : (1u << length) - 1;
    bool negative = is_signed && (a >> last & 1);
    if (position > 31) return negative ? UINT32_MAX : 0;
    uint32_t have = 32 - position; /* bits of a that the field has */
    if (have < 32 && length > have) mask = (1u << have) - 1;
    return (field & mask) | (negative ? ~mask : 0);
}

static inline uint32_t ptx_permute(uint32_t a, uint32_t b, uint32_t selector) {
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t pick = selector >> (4 * i) & 15,
                 byte = (uint32_t)(bytes >> (8 * (pick & 7))) & 255;
        if (pick & 8) byte = byte & 128 ? 255 : 0;
        result |= byte << (8 * i);
    }
    return result;
}

/* lop3: bit by bit, the bit of the table that the three bits number. */
static inline uint32_t ptx_lookup(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
    uint32_t result = 0;
    for (int i = 0; i < 8; i++)
        if (table >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
}

/* bfi: `length` bits of a take the place of those of b from `position` on. */
static inline uint64_t ptx_insert64(uint64_t a, uint64_t b, uint32_t position, uint32_t length) {
    uint32_t at = position & 255, bits = length & 255;
    if (at > 63 || !bits) return b;
    uint64_t mask = (bits > 63 ? UINT64_MAX : (1ull << bits) - 1) << at;
    return (a << at & mask) | (b & ~mask);
}

/* What is beyond bit 63 is the sign, or 0. */
static inline uint64_t ptx_extract64(uint64_t a, uint32_t position, uint32_t length, bool sign) {
    uint32_t at = position & 255, bits = length & 255;
    uint64_t above = sign && a >> 63 ? UINT64_MAX : 0;
    uint64_t value = at > 63 ? above : at ? a >> at | above << (64 - at) : a;
    if (!bits) return 0;
    if (bits > 63) return value;
    uint64_t mask = (1ull << bits) - 1;
    return sign && value >> (bits - 1) & 1 ? value | ~mask : value & mask;
}

static inline uint32_t ptx_insert(uint32_t a, uint32_t b, uint32_t position, uint32_t length) {
    position &= 255, length &= 255;
    if (!length || position > 31) return b;
    uint32_t mask = (length > 31 ? UINT32_MAX : (1u << length) - 1) << position;
    return (b & ~mask) | (a << position & mask);
}

/* shf: of the 64 bits b:a, the upper half shifted left, or the lower half shifted right. */
static inline uint32_t ptx_funnel(uint32_t a, uint32_t b, uint32_t by, bool left) {
    uint64_t both = (uint64_t)b << 32 | a;
    return (uint32_t)(left ? both << by >> 32 : both >> by);
}

static inline uint32_t ptx_dot4(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed) {
    for (int i = 0; i < 32; i += 8) {
        uint32_t x = a >> i & 255, y = b >> i & 255;
        if (a_signed) x = (uint32_t)(int32_t)(int8_t)x;
        if (b_signed) y = (uint32_t)(int32_t)(int8_t)y;
        c += x * y;
    }
    return c;
}

/* ---- floats ---- */

/* The gross approximations of f64 take and give this: the upper 32 bits, no subnormal numbers. */
static inline double ptx_upper(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= (bits >> 52 & 0x7ff) ? 0xffffffff00000000u : (uint64_t)1 << 63;
    double upper;
    memcpy(&upper, &bits, sizeof upper);
    return x != x ? x : upper;
}
static inline float ptx_flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }

/* What is below the least normal number before it is rounded among subnormal ones is flushed. */
static inline float ptx_flushed_fma(float a, float b, float c) {
    a = ptx_flushed(a), b = ptx_flushed(b), c = ptx_flushed(c);
    float near = fmaf(a, b, c);
    bool is_below = fabs((double)a * (double)b + (double)c) < 0x1p-126 - 0x1p-151;
    return is_below ? copysignf(0, near) : ptx_flushed(near);
}

/* Into [0, 1]; a NaN becomes 0. */
static inline float ptx_saturate(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }

/* The number, not the NaN; -0 is below +0. */
#define PTX_EXTREME(name, T, compare, keeps_negative)                                              \
    static inline T name(T a, T b) {                                                               \
        if (a != a) return b;                                                                      \
        if (b != b) return a;                                                                      \
        if (a == b) return (signbit(a) != 0) == (keeps_negative) ? a : b;                          \
        return a compare b ? a : b;                                                                \
    }
PTX_EXTREME(ptx_min, float, <, true)
PTX_EXTREME(ptx_max, float, >, false)
PTX_EXTREME(ptx_min64, double, <, true)
PTX_EXTREME(ptx_max64, double, >, false)
#undef PTX_EXTREME

/* The sum rounded to nearest and, exactly, what that lost (Knuth): back towards zero when it went
 * too far. */
static inline float ptx_add_to_zero(float a, float b) {
    float sum = a + b;
    if (!isfinite(sum)) return isfinite(a) && isfinite(b) ? copysignf(0x1.fffffep127f, sum) : sum;
    float part = sum - a, lost = (a - (sum - part)) + (b - part);
    bool too_far = (sum > 0 && lost < 0) || (sum < 0 && lost > 0);
    return too_far ? nextafterf(sum, 0) : sum;
}

static inline float ptx_f32_to_zero(double x) {
    float near = (float)x;
    if (isinf(near) && !isinf(x)) return copysignf(0x1.fffffep127f, near);
    return fabs((double)near) > fabs(x) ? nextafterf(near, 0) : near;
}

typedef enum PtxRounding { PTX_TO_ZERO, PTX_DOWN, PTX_UP } PtxRounding;

/* Where the number, rounded to nearest, goes on: `rest` is what rounding lost of it. */
static inline bool ptx_rounds_on(double near, double rest, PtxRounding to, bool *up) {
    *up = rest > 0;
    return to == PTX_TO_ZERO ? near != 0 && rest != 0 && (near > 0) != *up
                             : rest != 0 && *up == (to == PTX_UP);
}
/* x + rest, rest being small. */
static inline float ptx_round32(double x, double rest, PtxRounding to) {
    bool up;
    float near = (float)x;
    if (!isfinite(x)) return near;
    if (isinf(near))
        return (near > 0) == (to == PTX_UP) && to != PTX_TO_ZERO ? near
                                                                 : copysignf(0x1.fffffep127f, near);
    return ptx_rounds_on((double)near, x - (double)near + rest, to, &up)
               ? nextafterf(near, up ? __builtin_inff() : -__builtin_inff())
               : near;
}
static inline float ptx_mul32(float a, float b, PtxRounding to) {
    return ptx_round32((double)a * (double)b, 0, to);
}
static inline float ptx_fma32(float a, float b, float c, PtxRounding to) {
    double product = (double)a * (double)b, addend = (double)c, sum = product + addend;
    double part = sum - product, rest = (product - (sum - part)) + (addend - part);
    bool cancels = sum == 0 && rest == 0 &&
                   (product != 0 || __builtin_signbit(product) != __builtin_signbit(addend));
    if (cancels) return to == PTX_DOWN ? -0.0f : 0.0f;
    return ptx_round32(sum, isfinite(sum) ? rest : 0, to);
}
static inline double ptx_round64(double near, double rest, PtxRounding to) {
    bool up;
    return isfinite(near) && ptx_rounds_on(near, rest, to, &up)
               ? nextafter(near, up ? __builtin_inff() : -__builtin_inff())
               : near;
}
static inline double ptx_add64(double a, double b, PtxRounding to) {
    double sum = a + b, part = sum - a, rest = (a - (sum - part)) + (b - part);
    bool cancels = sum == 0 && (a != 0 || __builtin_signbit(a) != __builtin_signbit(b));
    if (cancels) return to == PTX_DOWN ? -0.0 : 0.0;
    if (isinf(sum) && isfinite(a) && isfinite(b) &&
        (to == PTX_TO_ZERO || (sum > 0) != (to == PTX_UP)))
        return copysign(0x1.fffffffffffffp1023, sum);
    return ptx_round64(sum, rest, to);
}
/* The sign of what rounding lost of a * b: of small products by larger numbers. */
static inline double ptx_lost64(double a, double b, double product) {
    if (product == 0 && a != 0 && b != 0) return copysign(1, product);
    if (!(fabs(product) < 0x1p-900)) return fma(a, b, -product);
    bool a_is_small = fabs(a) < fabs(b);
    return fma(a_is_small ? a * 0x1p200 : a, a_is_small ? b : b * 0x1p200, -product * 0x1p200);
}
static inline double ptx_mul64(double a, double b, PtxRounding to) {
    double product = a * b;
    if (isinf(product) && isfinite(a) && isfinite(b) &&
        (to == PTX_TO_ZERO || (product > 0) != (to == PTX_UP)))
        return copysign(0x1.fffffffffffffp1023, product);
    return ptx_round64(product, ptx_lost64(a, b, product), to);
}

static inline float ptx_f16(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ff;
    if (exponent == 31) return float_of_bits(fraction ? 0x7fffffff : sign | 0x7f800000);
    if (exponent) return float_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
    float small = (float)fraction * 0x1p-24f;
    return sign ? -small : small;
}

static inline float ptx_bf16(uint16_t h) { return float_of_bits((uint32_t)h << 16); }

/* sticky: something below the float's last bit was cut off (then that bit is odd, see ptx_fma_f16).
 */
static inline uint16_t ptx_f16_round(float x, bool to_zero) {
    uint32_t bits = bits_of_float(x), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return 0x7fff;
    if (magnitude == 0x7f800000) return (uint16_t)(sign | 0x7c00);
    if (magnitude >= 0x47800000) return (uint16_t)(sign | (to_zero ? 0x7bff : 0x7c00)); /* 2^16 */
    int exponent = (int)(magnitude >> 23) - 127, drop = exponent < -14 ? 13 + (-14 - exponent) : 13;
    uint32_t significand = (magnitude & 0x7fffff) | (magnitude >> 23 ? 0x800000 : 0);
    if (drop > 25) return (uint16_t)sign; /* below half of the least */
    uint32_t kept = significand >> drop, rest = significand & ((1u << drop) - 1),
             half = 1u << (drop - 1);
    if (!to_zero && (rest > half || (rest == half && (kept & 1)))) kept++;
    uint32_t result =
        exponent < -14 ? kept : kept + ((uint32_t)(exponent + 14) << 10); /* a carry moves on */
    if (to_zero && result > 0x7bff) result = 0x7bff;
    return (uint16_t)(sign | result);
}

static inline uint16_t ptx_f16_of(float x) { return ptx_f16_round(x, false); }
static inline uint16_t ptx_f16_to_zero(float x) { return ptx_f16_round(x, true); }

/* The product is exact in double. The sum is cut to a float whose last bit tells that something was
 * lost (rounding to odd), so that a last rounding to 16 bits sees which side of a tie it is on. */
static inline float ptx_fma_odd(double a, double b, double addend) {
    double product = a * b, sum = product + addend;
    if (!isfinite(sum)) return (float)sum;
    double part = sum - product, error = (product - (sum - part)) + (addend - part);
    float cut = ptx_f32_to_zero(sum);
    double below = (sum - (double)cut) + error;
    if (below == 0) return cut;
    if (cut != 0 && (below > 0) != (cut > 0))
        cut = nextafterf(cut, 0); /* the true sum is nearer to 0 */
    return float_of_bits(bits_of_float(cut) | 1);
}

/* Rounded down once. */
static inline float ptx_fma_down(float a, float b, float c) {
    double product = (double)a * (double)b, addend = (double)c, sum = product + addend;
    if (!isfinite(product) || !isfinite(addend)) return (float)sum;
    double part = sum - product, error = (product - (sum - part)) + (addend - part);
    if (sum == 0 && error == 0)
        return __builtin_signbit(product) || __builtin_signbit(addend) ? -0.0f : 0.0f;
    float near = (float)sum;
    return (double)near - sum > error ? nextafterf(near, -__builtin_inff()) : near;
}

static inline uint16_t ptx_fma_f16(uint16_t a, uint16_t b, uint16_t c) {
    return ptx_f16_of(ptx_fma_odd((double)ptx_f16(a), (double)ptx_f16(b), (double)ptx_f16(c)));
}

static inline uint16_t ptx_bf16_of(float x) {
    uint32_t bits = bits_of_float(x);
    if (x != x) return 0x7fff;
    uint32_t rest = bits & 0xffff, kept = bits >> 16;
    return (uint16_t)(kept + (rest > 0x8000 || (rest == 0x8000 && (kept & 1))));
}

static inline uint16_t ptx_fma_bf16(uint16_t a, uint16_t b, uint16_t c) {
    return ptx_bf16_of(ptx_fma_odd((double)ptx_bf16(a), (double)ptx_bf16(b), (double)ptx_bf16(c)));
}

/* Nearest, ties away from zero, 10 bits of fraction. */
static inline uint32_t ptx_tf32_of(uint32_t bits) {
    uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return 0x7fffffff;
    if (magnitude == 0x7f800000) return bits;
    return (bits + 0x1000) & ~0x1fffu;
}

/* Floats to integers saturate; a NaN gives 0, and the top bit alone where a double or 64 bits are
 * involved (PTX ISA 9.7.9.21). */
static inline int32_t ptx_to_s32(double x) {
    if (x != x) return 0;
    return x <= -2147483648.0 ? INT32_MIN : x >= 2147483647.0 ? INT32_MAX : (int32_t)x;
}

static inline uint32_t ptx_to_u32(double x) {
    if (x != x || x <= 0) return 0;
    return x >= 4294967295.0 ? UINT32_MAX : (uint32_t)x;
}

static inline uint64_t ptx_to_s64(double x) {
    if (x != x || x <= -0x1p63) return 1ull << 63;
    return x >= 0x1p63 ? INT64_MAX : (uint64_t)(int64_t)x;
}

static inline uint64_t ptx_to_u64(double x) {
    if (x != x) return 1ull << 63;
    return x <= 0 ? 0 : x >= 0x1p64 ? UINT64_MAX : (uint64_t)x;
}

/* ---- floats of 8 and 4 bits: bits of the fraction, bias, greatest number, NaN ---- */

#define PTX_E4M3 3, 7, 0x7e, 0x7f
#define PTX_E5M2 2, 15, 0x7b, 0x7f
#define PTX_E2M1 1, 1, 7, 7

/* Nearest even; past the greatest that, a NaN the NaN (e2m1: the greatest, positive). */
static inline uint32_t ptx_code_of(int fraction, int bias, uint32_t most, uint32_t nan, float x) {
    if (x != x) return nan;
    uint32_t sign = bits_of_float(x) >> 31 << (most < 8 ? 3 : 7);
    float magnitude = fabsf(x);
    int exponent = (int)(bits_of_float(magnitude) >> 23) - 127;
    if (exponent < 1 - bias) exponent = 1 - bias;
    if (exponent > bias + 1) return sign | most;
    float steps =
        nearbyintf(magnitude * float_of_bits((uint32_t)(127 + fraction - exponent) << 23));
    uint32_t code = (uint32_t)steps + ((uint32_t)(exponent + bias - 1) << fraction);
    return sign | (code > most ? most : code);
}
#define ptx_small_of(format, x) ptx_code_of(format, x)

/* e5m2 has an infinity, at 0x7c. */
static inline float ptx_code(int fraction, int bias, uint32_t most, uint32_t nan, uint32_t code) {
    uint32_t sign = (code & 128) << 24, magnitude = code & 127;
    if (magnitude > most)
        return float_of_bits(magnitude + 3 == nan ? sign | 0x7f800000 : 0x7fffffff);
    uint32_t exponent = magnitude >> fraction, rest = magnitude & ((1u << fraction) - 1);
    if (exponent)
        return float_of_bits(sign | (exponent + 127 - (uint32_t)bias) << 23 |
                             rest << (23 - fraction));
    float small = (float)rest * float_of_bits((uint32_t)(128 - bias - fraction) << 23);
    return sign ? -small : small;
}
#define ptx_small(format, code) ptx_code(format, code)

/* ue8m0: the least power of two that is not below x; what is negative or not a number: 255, which
 * is a NaN; past 2^127 that. */
static inline uint32_t ptx_power_above(float x) {
    uint32_t bits = bits_of_float(x);
    if (x != x || bits >> 31) return x == 0 ? 0 : 255;
    uint32_t code = (bits >> 23) + ((bits & 0x7fffff) != 0);
    if (bits >> 23 == 0) code = bits > 0x400000;
    return code > 254 ? 254 : code;
}

/* ---- two numbers in a register ---- */

static inline uint32_t ptx_pair(uint16_t high, uint16_t low) { return (uint32_t)high << 16 | low; }

#define PTX_PAIR1(name, type, of, function)                                                        \
    static inline uint32_t name(uint32_t a) {                                                      \
        double high = (double)type((uint16_t)(a >> 16)), low = (double)type((uint16_t)a);          \
        return ptx_pair(of((float)function(high)), of((float)function(low)));                      \
    }
#define PTX_PAIR2(name, type, of, expression)                                                      \
    static inline uint16_t name##_half(uint16_t x, uint16_t y) {                                   \
        float a = type(x), b = type(y);                                                            \
        return of(expression);                                                                     \
    }                                                                                              \
    static inline uint32_t name(uint32_t a, uint32_t b) {                                          \
        return ptx_pair(name##_half((uint16_t)(a >> 16), (uint16_t)(b >> 16)),                     \
                        name##_half((uint16_t)a, (uint16_t)b));                                    \
    }
#define PTX_PAIRS(f16)                                                                             \
    PTX_PAIR1(ptx_tanh_##f16##x2, ptx_##f16, ptx_##f16##_of, tanh)                                 \
    PTX_PAIR1(ptx_ex2_##f16##x2, ptx_##f16, ptx_##f16##_of, exp2)                                  \
    PTX_PAIR2(ptx_add_##f16##x2, ptx_##f16, ptx_##f16##_of, a + b)                                 \
    PTX_PAIR2(ptx_sub_##f16##x2, ptx_##f16, ptx_##f16##_of, a - b)                                 \
    PTX_PAIR2(ptx_mul_##f16##x2, ptx_##f16, ptx_##f16##_of, a *b)                                  \
    PTX_PAIR2(ptx_min_##f16##x2, ptx_##f16, ptx_##f16##_of, ptx_min(a, b))                         \
    PTX_PAIR2(ptx_max_##f16##x2, ptx_##f16, ptx_##f16##_of, ptx_max(a, b))                         \
    static inline uint32_t ptx_fma_##f16##x2(uint32_t a, uint32_t b, uint32_t c) {                 \
        return ptx_pair(                                                                           \
            ptx_fma_##f16((uint16_t)(a >> 16), (uint16_t)(b >> 16), (uint16_t)(c >> 16)),          \
            ptx_fma_##f16((uint16_t)a, (uint16_t)b, (uint16_t)c));                                 \
    }
PTX_PAIRS(f16)
PTX_PAIRS(bf16)
#undef PTX_PAIRS
#undef PTX_PAIR1
#undef PTX_PAIR2

/* ---- a number as it lies in a register, and back ---- */

#define from_none(bits)   ((void)(bits), 0)
#define from_pred(bits)   ((bits) != 0)
#define from_u8(bits)     (uint8_t)(bits)
#define from_s8(bits)     (int8_t)(bits)
#define from_b16(bits)    (uint16_t)(bits)
#define from_u16(bits)    (uint16_t)(bits)
#define from_s16(bits)    (int16_t)(bits)
#define from_f16(bits)    (uint16_t)(bits)
#define from_bf16(bits)   (uint16_t)(bits)
#define from_pair16(bits) (uint16_t)(bits)
#define from_pair32(bits) (uint32_t)(bits)
#define from_pair64(bits) (bits)
#define from_b32(bits)    (uint32_t)(bits)
#define from_u32(bits)    (uint32_t)(bits)
#define from_s32(bits)    (int32_t)(bits)
#define from_f32(bits)    float_of_bits((uint32_t)(bits))
#define from_tf32(bits)   (uint32_t)(bits)
#define from_bits32(bits) (uint32_t)(bits)
#define from_b64(bits)    (bits)
#define from_u64(bits)    (bits)
#define from_s64(bits)    (int64_t)(bits)
#define from_f64(bits)    double_of_bits(bits)

static inline uint64_t to_pred(bool x) { return x; }
static inline uint64_t to_u8(uint8_t x) { return x; }
static inline uint64_t to_u16(uint16_t x) { return x; }
static inline uint64_t to_u32(uint32_t x) { return x; }
static inline uint64_t to_u64(uint64_t x) { return x; }
static inline uint64_t to_f32(float x) { return x == x ? bits_of_float(x) : 0x7fffffff; }
static inline uint64_t to_f64(double x) { return x == x ? bits_of_double(x) : 0x7fffffffffffffff; }
#define to_b16    to_u16
#define to_f16    to_u16
#define to_bf16   to_u16
#define to_pair16 to_u16
#define to_pair32 to_u32
#define to_pair64 to_u64
#define to_b32    to_u32
#define to_bits32 to_u32
#define to_tf32   to_u32
#define to_b64    to_u64

#define PTX_WIDE(name, expression)                                                                 \
    static inline uint64_t name(uint64_t x, uint64_t y, uint64_t z) {                              \
        uint64_t result = 0;                                                                       \
        for (int i = 0; i < 64; i += 32) {                                                         \
            float a = from_f32(x >> i), b = from_f32(y >> i), c = from_f32(z >> i);                \
            (void)c;                                                                               \
            result |= to_f32(expression) << i;                                                     \
        }                                                                                          \
        return result;                                                                             \
    }
PTX_WIDE(ptx_add_f32x2, a + b)
PTX_WIDE(ptx_sub_f32x2, a - b)
PTX_WIDE(ptx_mul_f32x2, a *b)
PTX_WIDE(ptx_fma_f32x2, fmaf(a, b, c))
#undef PTX_WIDE

/* ---- atomics ---- */

typedef enum PtxNumber {
    NUMBER_BITS,
    NUMBER_UNSIGNED,
    NUMBER_SIGNED,
    NUMBER_FLOAT,
    NUMBER_BF16
} PtxNumber;
typedef enum PtxAtomic {
    ATOMIC_ADD,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCHANGE,
    ATOMIC_CAS,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_INC,
    ATOMIC_DEC,
} PtxAtomic;
/* number: PtxNumber. */
static inline bool ptx_less(int number, int bytes, uint64_t a, uint64_t b) {
    if (number != NUMBER_SIGNED) return a < b;
    return bytes == 8 ? (int64_t)a < (int64_t)b : (int32_t)a < (int32_t)b;
}

static inline uint64_t ptx_atomic_sum(int number, int bytes, uint64_t a, uint64_t b) {
    if (number != NUMBER_FLOAT && number != NUMBER_BF16) return a + b;
    if (bytes == 8) return to_f64(from_f64(a) + from_f64(b));
    if (bytes == 4) return to_f32(from_f32(a) + from_f32(b));
    if (number == NUMBER_BF16) return ptx_bf16_of(ptx_bf16((uint16_t)a) + ptx_bf16((uint16_t)b));
    return ptx_f16_of(ptx_f16((uint16_t)a) + ptx_f16((uint16_t)b));
}

/* What an atomic writes where `old` is. */
static inline uint64_t ptx_atomic_value(PtxAtomic kind, int number, int bytes, uint64_t old,
                                        uint64_t value, uint64_t other) {
    switch (kind) {
    case ATOMIC_ADD: return ptx_atomic_sum(number, bytes, old, value);
    case ATOMIC_AND: return old & value;
    case ATOMIC_OR: return old | value;
    case ATOMIC_XOR: return old ^ value;
    case ATOMIC_EXCHANGE: return value;
    case ATOMIC_CAS: return old == value ? other : old;
    case ATOMIC_MIN: return ptx_less(number, bytes, old, value) ? old : value;
    case ATOMIC_MAX: return ptx_less(number, bytes, old, value) ? value : old;
    case ATOMIC_INC: return old >= value ? 0 : old + 1;
    case ATOMIC_DEC: return old == 0 || old > value ? value : old - 1;
    }
    return 0;
}

#endif
