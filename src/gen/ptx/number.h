// SPDX-License-Identifier: Apache-2.0
/* number: arithmetic that C has no operator for, for the table of instructions (isa.def), from PTX
 * ISA 8.7 and IEEE 754. test/unit/ptx_reference.h has all of it once more, written apart. */
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

static inline int64_t ptx_rem(int64_t a, int64_t b) { return b == 0 ? a : b == -1 ? 0 : a % b; }

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

/* ---- floats ---- */

static inline float ptx_flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }

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
 * lost (rounding to odd), so that the last rounding sees which side of a tie it is on. */
static inline uint16_t ptx_fma_f16(uint16_t a, uint16_t b, uint16_t c) {
    double product = (double)ptx_f16(a) * (double)ptx_f16(b), addend = (double)ptx_f16(c);
    double sum = product + addend;
    if (!isfinite(sum)) return ptx_f16_of((float)sum);
    double part = sum - product, error = (product - (sum - part)) + (addend - part);
    float cut = ptx_f32_to_zero(sum);
    double below = (sum - (double)cut) + error;
    if (below == 0) return ptx_f16_of(cut);
    if (cut != 0 && (below > 0) != (cut > 0))
        cut = nextafterf(cut, 0); /* the true sum is nearer to 0 */
    return ptx_f16_of(float_of_bits(bits_of_float(cut) | 1));
}

static inline uint16_t ptx_bf16_of(float x) {
    uint32_t bits = bits_of_float(x);
    if (x != x) return 0x7fff;
    uint32_t rest = bits & 0xffff, kept = bits >> 16;
    return (uint16_t)(kept + (rest > 0x8000 || (rest == 0x8000 && (kept & 1))));
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

#endif
