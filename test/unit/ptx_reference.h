// SPDX-License-Identifier: Apache-2.0
/* ptx_reference: what a pure instruction computes, as PTX ISA 8.x defines it, written apart from
 * isa.def and number.h, which are compared with it. Approximate instructions give the correctly
 * rounded result. */
#ifndef TERN_TEST_PTX_REFERENCE_H
#define TERN_TEST_PTX_REFERENCE_H

#include "gen/ptx/isa.h"
#include "ir/ir.h"

#include <fenv.h>
#include <math.h>

static float as_f32(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof(x));
    return x;
}

static double as_f64(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static uint64_t ptx_from_f32(float x) {
    uint32_t bits = 0x7fffffff; /* the GPU's NaN */
    if (x == x) memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static uint64_t ptx_from_f64(double x) {
    uint64_t bits = 0x7fffffffffffffff;
    if (x == x) memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static float f16_to_f32(uint64_t h) {
    int exponent = h >> 10 & 31;
    uint32_t fraction = h & 0x3ff;
    float x = exponent == 31  ? (fraction ? NAN : INFINITY)
              : exponent == 0 ? ldexpf((float)fraction, -24)
                              : ldexpf((float)(fraction | 0x400), exponent - 25);
    return h & 0x8000 ? -x : x;
}

/* Nearest even, or toward zero. */
static uint64_t f32_to_f16(float x, bool to_zero) {
    uint64_t bits = ptx_from_f32(x), sign = bits >> 16 & 0x8000;
    double a = fabs((double)x);
    if (x != x) return 0x7fff;
    if (a == (double)INFINITY) return sign | 0x7c00;
    int exponent;
    frexp(a, &exponent);
    if (exponent < -13) exponent = -13; /* below 2^-14 the spacing stays 2^-24 */
    double scaled = ldexp(a, 11 - exponent);
    double rounded = to_zero ? floor(scaled) : nearbyint(scaled);
    double value = ldexp(rounded, exponent - 11);
    if (value > 65504) return sign | (to_zero ? 0x7bff : 0x7c00);
    if (value < 0x1p-14) return sign | (uint64_t)ldexp(value, 24);
    frexp(value, &exponent);
    return sign | ((uint64_t)(exponent + 14) << 10) |
           ((uint64_t)ldexp(value, 11 - exponent) & 0x3ff);
}

static uint64_t f32_to_bf16(float x) {
    uint64_t bits = ptx_from_f32(x);
    if (x != x) return 0x7fff;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16 & 0xffff;
}

static float toward_zero(double exact) {
    float x = (float)exact;
    if (fabs((double)x) > fabs(exact)) x = nextafterf(x, 0.0f);
    return x;
}

/* The sum to nearest, and what that lost, exactly (Knuth): back when it went too far. */
static float sum_toward_zero(float x, float y) {
    float sum = x + y;
    if (isinf(sum) && isfinite(x) && isfinite(y)) return copysignf(0x1.fffffep127f, sum);
    float part = sum - x, lost = (x - (sum - part)) + (y - part);
    bool too_far = (sum > 0 && lost < 0) || (sum < 0 && lost > 0);
    return too_far ? nextafterf(sum, 0.0f) : sum;
}

/* -0 is below +0 (PTX ISA 9.7.3.11); NaNs are the callers' matter. */
static double lesser(double x, double y) { return x == y ? signbit(x) ? x : y : x < y ? x : y; }
static double greater(double x, double y) { return x == y ? signbit(x) ? y : x : x > y ? x : y; }

/* Saturating; NaN gives what PTX ISA 9.7.9.21 says. */
static uint64_t to_int(double x, int bits, bool is_signed, bool from_double) {
    double low = is_signed ? -ldexp(1.0, bits - 1) : 0;
    double high = ldexp(1.0, is_signed ? bits - 1 : bits);
    uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
    if (x != x) return from_double || bits == 64 ? 1ull << (bits - 1) : 0;
    x = trunc(x);
    if (x <= low) return is_signed ? 1ull << (bits - 1) : 0;
    if (x >= high) return is_signed ? mask >> 1 : mask;
    return (x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x) & mask;
}

static uint64_t prmt(uint64_t a, uint64_t b, uint64_t selector) {
    uint64_t bytes = (a & 0xffffffff) | b << 32, result = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t s = selector >> (4 * i), byte = bytes >> (8 * (s & 7)) & 255;
        if (s & 8) byte = byte & 128 ? 255 : 0;
        result |= byte << (8 * i);
    }
    return result;
}

static uint64_t extract(uint64_t a, uint64_t position, uint64_t length, bool is_signed) {
    position &= 255, length &= 255;
    if (length == 0) return 0;
    uint64_t last = position + length - 1 < 31 ? position + length - 1 : 31;
    uint64_t sign = is_signed ? a >> last & 1 : 0, result = 0;
    for (uint64_t i = 0; i < 32; i++) {
        uint64_t bit = i < length && position + i <= 31 ? a >> (position + i) & 1 : sign;
        result |= bit << i;
    }
    return result;
}

static float flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }

static bool eval_int32(TirOp op, const uint64_t *v, uint64_t *r) {
    uint32_t a = (uint32_t)v[0], b = (uint32_t)v[1];
    int32_t x = (int32_t)a, y = (int32_t)b;
    switch ((int)op) {
    case TIR_MULWIDE_U32: *r = (uint64_t)a * b; return true;
    case TIR_DIV_S32:
        if (!b || (a == 0x80000000 && y == -1)) return false;
        *r = (uint32_t)(x / y);
        return true;
    case TIR_DIV_U32:
        if (!b) return false;
        *r = a / b;
        return true;
    case TIR_REM_S32:
        if (!b || (a == 0x80000000 && y == -1)) return false;
        *r = (uint32_t)(x % y);
        return true;
    case TIR_REM_U32:
        if (!b) return false;
        *r = a % b;
        return true;
    case TIR_BFE_S32: *r = extract(a, v[1], v[2], true); return true;
    case TIR_BFE_U32: *r = extract(a, v[1], v[2], false); return true;
    case TIR_PRMT: *r = prmt(a, b, v[2]); return true;
    case TIR_SELECT32:
    case TIR_SELECT64:
    case TIR_SELECT16: *r = v[2] ? v[0] : v[1]; return true;
    case TIR_SEXT: *r = (uint64_t)(int64_t)x; return true;
    case TIR_ZEXT:
    case TIR_LOW32: *r = a; return true;
    case TIR_LOW16:
    case TIR_WIDE16: *r = a & 0xffff; return true;
    case TIR_EQ32: *r = a == b; return true;
    case TIR_NE32: *r = a != b; return true;
    case TIR_LT_S32: *r = x < y; return true;
    case TIR_LE_S32: *r = x <= y; return true;
    case TIR_GT_S32: *r = x > y; return true;
    case TIR_GE_S32: *r = x >= y; return true;
    case TIR_LT_U32: *r = a < b; return true;
    case TIR_LE_U32: *r = a <= b; return true;
    case TIR_GT_U32: *r = a > b; return true;
    case TIR_GE_U32: *r = a >= b; return true;
    case TIR_AND_P: *r = v[0] & v[1]; return true;
    case TIR_OR_P: *r = v[0] | v[1]; return true;
    case TIR_XOR_P: *r = v[0] ^ v[1]; return true;
    case TIR_NOT_P: *r = !v[0]; return true;
    case TIR_PACK16: *r = (v[0] & 0xffff) | (v[1] & 0xffff) << 16; return true;
    case TIR_PACK32: *r = (v[0] & 0xffffffff) | v[1] << 32; return true;
    default: return false;
    }
}

static bool eval_int64(TirOp op, const uint64_t *v, uint64_t *r) {
    uint64_t a = v[0], b = v[1];
    int64_t x = (int64_t)a, y = (int64_t)b;
    bool bad = !b || (a == 1ull << 63 && y == -1);
    switch ((int)op) {
    case TIR_DIV_S64:
        if (bad) return false;
        *r = (uint64_t)(x / y);
        return true;
    case TIR_DIV_U64:
        if (!b) return false;
        *r = a / b;
        return true;
    case TIR_REM_S64:
        if (bad) return false;
        *r = (uint64_t)(x % y);
        return true;
    case TIR_REM_U64:
        if (!b) return false;
        *r = a % b;
        return true;
    case TIR_EQ64: *r = a == b; return true;
    case TIR_NE64: *r = a != b; return true;
    case TIR_LT_S64: *r = x < y; return true;
    case TIR_LE_S64: *r = x <= y; return true;
    case TIR_GT_S64: *r = x > y; return true;
    case TIR_GE_S64: *r = x >= y; return true;
    case TIR_LT_U64: *r = a < b; return true;
    case TIR_LE_U64: *r = a <= b; return true;
    case TIR_GT_U64: *r = a > b; return true;
    case TIR_GE_U64: *r = a >= b; return true;
    default: return false;
    }
}

static bool eval_f32(TirOp op, const uint64_t *v, uint64_t *r) {
    float x = as_f32(v[0]), y = as_f32(v[1]);
    bool nan = x != x || y != y;
    switch ((int)op) {
    case TIR_EQ_F32: *r = x == y; return true;
    case TIR_NE_F32: *r = x != y; return true;
    case TIR_LT_F32: *r = x < y; return true;
    case TIR_LE_F32: *r = x <= y; return true;
    case TIR_GT_F32: *r = x > y; return true;
    case TIR_GE_F32: *r = x >= y; return true;
    case TIR_ADD_F32: *r = ptx_from_f32(x + y); return true;
    case TIR_ADDZ_F32: *r = ptx_from_f32(sum_toward_zero(x, y)); return true;
    case TIR_SUB_F32: *r = ptx_from_f32(x - y); return true;
    case TIR_MUL_F32: *r = ptx_from_f32(x * y); return true;
    case TIR_FMA_F32: *r = ptx_from_f32(fmaf(x, y, as_f32(v[2]))); return true;
    case TIR_FMASAT_F32: { /* NaN becomes 0 */
        float sum = fmaf(x, y, as_f32(v[2]));
        *r = ptx_from_f32(sum > 0 ? sum < 1 ? sum : 1 : 0);
        return true;
    }
    case TIR_DIV_F32:
    case TIR_DIVFULL_F32: *r = ptx_from_f32(x / y); return true;
    case TIR_MIN_F32:
        *r = ptx_from_f32(x != x ? y : y != y ? x : (float)lesser((double)x, (double)y));
        return true;
    case TIR_MAX_F32:
        *r = ptx_from_f32(x != x ? y : y != y ? x : (float)greater((double)x, (double)y));
        return true;
    case TIR_MINNAN_F32:
        *r = ptx_from_f32(nan ? NAN : (float)lesser((double)x, (double)y));
        return true;
    case TIR_MAXNAN_F32:
        *r = ptx_from_f32(nan ? NAN : (float)greater((double)x, (double)y));
        return true;
    case TIR_SQRT_F32:
    case TIR_SQRTAPPROX_F32: *r = ptx_from_f32(sqrtf(x)); return true;
    case TIR_RSQRT_F32: *r = ptx_from_f32((float)(1 / sqrt((double)x))); return true;
    case TIR_RCP_F32: *r = ptx_from_f32(flushed(1 / flushed(x))); return true;
    case TIR_EX2_F32: *r = ptx_from_f32(flushed((float)exp2((double)x))); return true;
    case TIR_FLOOR_F32: *r = ptx_from_f32(floorf(x)); return true;
    case TIR_CEIL_F32: *r = ptx_from_f32(ceilf(x)); return true;
    case TIR_TRUNC_F32: *r = ptx_from_f32(truncf(x)); return true;
    case TIR_ROUND_F32: *r = ptx_from_f32(nearbyintf(x)); return true;
    case TIR_F16_FROM_F32: *r = f32_to_f16(x, false); return true;
    case TIR_F16Z_FROM_F32: *r = f32_to_f16(x, true); return true;
    case TIR_BF16_FROM_F32: *r = f32_to_bf16(x); return true;
    case TIR_F64_FROM_F32: *r = ptx_from_f64((double)x); return true;
    case TIR_S32_FROM_F32: *r = to_int((double)x, 32, true, false); return true;
    case TIR_U32_FROM_F32: *r = to_int((double)x, 32, false, false); return true;
    case TIR_S64_FROM_F32: *r = to_int((double)x, 64, true, false); return true;
    case TIR_U64_FROM_F32: *r = to_int((double)x, 64, false, false); return true;
    case TIR_TF32_FROM_F32: /* nearest, ties away from zero */
        *r = nan ? 0x7fffffff
                 : ((v[0] & 0x7f800000) == 0x7f800000 ? v[0] : v[0] + 0x1000) & 0xffffe000;
        return true;
    case TIR_F32_FROM_F16: *r = ptx_from_f32(f16_to_f32(v[0])); return true;
    case TIR_ADD_F16: *r = f32_to_f16(f16_to_f32(v[0]) + f16_to_f32(v[1]), false); return true;
    case TIR_SUB_F16: *r = f32_to_f16(f16_to_f32(v[0]) - f16_to_f32(v[1]), false); return true;
    case TIR_MUL_F16: *r = f32_to_f16(f16_to_f32(v[0]) * f16_to_f32(v[1]), false); return true;
    default: return false;
    }
}

static bool eval_f64(TirOp op, const uint64_t *v, uint64_t *r) {
    double x = as_f64(v[0]), y = as_f64(v[1]);
    switch ((int)op) {
    case TIR_EQ_F64: *r = x == y; return true;
    case TIR_NE_F64: *r = x != y; return true;
    case TIR_LT_F64: *r = x < y; return true;
    case TIR_LE_F64: *r = x <= y; return true;
    case TIR_GT_F64: *r = x > y; return true;
    case TIR_GE_F64: *r = x >= y; return true;
    case TIR_ADD_F64: *r = ptx_from_f64(x + y); return true;
    case TIR_SUB_F64: *r = ptx_from_f64(x - y); return true;
    case TIR_MUL_F64: *r = ptx_from_f64(x * y); return true;
    case TIR_FMA_F64: *r = ptx_from_f64(fma(x, y, as_f64(v[2]))); return true;
    case TIR_DIV_F64: *r = ptx_from_f64(x / y); return true;
    case TIR_MIN_F64: *r = ptx_from_f64(x != x ? y : y != y ? x : lesser(x, y)); return true;
    case TIR_MAX_F64: *r = ptx_from_f64(x != x ? y : y != y ? x : greater(x, y)); return true;
    case TIR_SQRT_F64: *r = ptx_from_f64(sqrt(x)); return true;
    case TIR_FLOOR_F64: *r = ptx_from_f64(floor(x)); return true;
    case TIR_CEIL_F64: *r = ptx_from_f64(ceil(x)); return true;
    case TIR_TRUNC_F64: *r = ptx_from_f64(trunc(x)); return true;
    case TIR_ROUND_F64: *r = ptx_from_f64(nearbyint(x)); return true;
    case TIR_F32_FROM_F64: *r = ptx_from_f32((float)x); return true;
    case TIR_F32Z_FROM_F64: *r = ptx_from_f32(x == x ? toward_zero(x) : NAN); return true;
    case TIR_F32_FROM_S32: *r = ptx_from_f32((float)(int32_t)v[0]); return true;
    case TIR_F32_FROM_U32: *r = ptx_from_f32((float)(uint32_t)v[0]); return true;
    case TIR_F32_FROM_S64: *r = ptx_from_f32((float)(int64_t)v[0]); return true;
    case TIR_F32_FROM_U64: *r = ptx_from_f32((float)v[0]); return true;
    case TIR_F64_FROM_S32: *r = ptx_from_f64((double)(int32_t)v[0]); return true;
    case TIR_F64_FROM_U32: *r = ptx_from_f64((double)(uint32_t)v[0]); return true;
    case TIR_F64_FROM_S64: *r = ptx_from_f64((double)(int64_t)v[0]); return true;
    case TIR_F64_FROM_U64: *r = ptx_from_f64((double)v[0]); return true;
    case TIR_S32_FROM_F64: *r = to_int(x, 32, true, true); return true;
    case TIR_U32_FROM_F64: *r = to_int(x, 32, false, true); return true;
    case TIR_S64_FROM_F64: *r = to_int(x, 64, true, true); return true;
    case TIR_U64_FROM_F64: *r = to_int(x, 64, false, true); return true;
    default: return false;
    }
}

/* ---- what only inline assembly has ---- */

__extension__ typedef __float128 Exact;
typedef Exact Decoded(int code);

static Exact decoded(int code, int fraction, int bias) {
    int exponent = code >> fraction, rest = code & ((1 << fraction) - 1);
    return exponent ? (Exact)ldexp(rest + (1 << fraction), exponent - bias - fraction)
                    : (Exact)ldexp(rest, 1 - bias - fraction);
}
static Exact decoded_f16(int code) { return decoded(code, 10, 15); }
static Exact decoded_bf16(int code) { return decoded(code, 7, 127); }
static Exact decoded_e4m3(int code) { return decoded(code, 3, 7); }
static Exact decoded_e5m2(int code) { return decoded(code, 2, 15); }
static Exact decoded_e2m1(int code) { return decoded(code, 1, 1); }

/* The code nearest to a magnitude, an even one between two, found among 0 .. most. */
static uint64_t nearest(Exact x, Decoded *decode, int most) {
    int low = 0, high = most + 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (decode(middle) <= x)
            low = middle;
        else
            high = middle;
    }
    Exact below = x - decode(low), above = decode(high) - x;
    return (uint64_t)(below < above ? low : above < below ? high : low & 1 ? high : low);
}

/* Of a float: past `most` that. nan: with its sign bit. */
static uint64_t small_of(float x, Decoded *decode, int most, uint64_t nan, int sign_bit) {
    if (x != x) return nan;
    uint64_t sign = (uint64_t)(signbit(x) != 0) << sign_bit;
    if (isinf(x)) return sign | (uint64_t)most;
    uint64_t code = nearest((Exact)fabs((double)x), decode, most);
    return sign | (code > (uint64_t)most ? (uint64_t)most : code);
}

/* ue8m0, rounded up: the exponent + 127. */
static uint64_t power_above(float x) {
    int exponent;
    if (x != x || x < 0) return 255;
    if (isinf(x)) return 254;
    bool is_power = frexp((double)x, &exponent) == 0.5;
    if (is_power) exponent--;
    return x == 0 || exponent < -127 ? 0 : exponent > 127 ? 254 : (uint64_t)(exponent + 127);
}

static float of_e4m3(uint64_t code) {
    return (code & 127) == 127 ? NAN : (float)decoded_e4m3(code & 127) * (code & 128 ? -1 : 1);
}
static float of_e5m2(uint64_t code) {
    float x = (code & 127) > 124    ? NAN
              : (code & 127) == 124 ? INFINITY
                                    : (float)decoded_e5m2(code & 127);
    return code & 128 ? -x : x;
}
static float of_bf16(uint64_t h) { return as_f32(h << 16); }

/* a * b + c of 16 bits, rounded once; which zero and which NaN are another rule. */
static bool fma16(const uint64_t *v, bool is_bf16, int shift, uint64_t *r) {
    float (*decode)(uint64_t) = is_bf16 ? of_bf16 : f16_to_f32;
    float x = decode(v[0] >> shift & 0xffff), y = decode(v[1] >> shift & 0xffff),
          z = decode(v[2] >> shift & 0xffff);
    Exact sum = (Exact)x * (Exact)y + (Exact)z;
    if (!isfinite(x) || !isfinite(y) || !isfinite(z) || sum == 0) return false;
    uint64_t sign = sum < 0 ? 0x8000 : 0;
    if (sum < 0) sum = -sum;
    *r = sign | (is_bf16 ? nearest(sum, decoded_bf16, 0x7f7f) : nearest(sum, decoded_f16, 0x7bff));
    return true;
}

static uint64_t one_f16(char op, uint64_t a, uint64_t b, bool is_bf16) {
    float x = is_bf16 ? of_bf16(a) : f16_to_f32(a), y = is_bf16 ? of_bf16(b) : f16_to_f32(b);
    float z = op == '+'   ? x + y
              : op == '-' ? x - y
              : op == '*' ? x * y
              : op == 't' ? (float)tanh((double)x)
              : op == '2' ? (float)exp2((double)x)
              : x != x    ? y
              : y != y    ? x
              : op == '<' ? (float)lesser((double)x, (double)y)
                          : (float)greater((double)x, (double)y);
    return is_bf16 ? f32_to_bf16(z) : f32_to_f16(z, false);
}

static uint64_t pair_of(char op, const uint64_t *v, bool is_bf16) {
    return one_f16(op, v[0] & 0xffff, v[1] & 0xffff, is_bf16) |
           one_f16(op, v[0] >> 16 & 0xffff, v[1] >> 16 & 0xffff, is_bf16) << 16;
}

static uint64_t wide_of(char op, const uint64_t *v) {
    uint64_t result = 0;
    for (int i = 0; i < 64; i += 32) {
        float x = as_f32(v[0] >> i), y = as_f32(v[1] >> i), z = as_f32(v[2] >> i);
        result |= ptx_from_f32(op == '+'   ? x + y
                               : op == '-' ? x - y
                               : op == '*' ? x * y
                                           : fmaf(x, y, z))
                  << i;
    }
    return result;
}

static uint64_t dot4(const uint64_t *v, bool a_signed, bool b_signed) {
    int64_t sum = (int64_t)v[2];
    for (int i = 0; i < 4; i++) {
        int64_t x = (int64_t)(v[0] >> (8 * i) & 255), y = (int64_t)(v[1] >> (8 * i) & 255);
        if (a_signed && x > 127) x -= 256;
        if (b_signed && y > 127) y -= 256;
        sum += x * y;
    }
    return (uint64_t)sum & 0xffffffff;
}

static bool eval_inline_int(TirOp op, const uint64_t *v, uint64_t *r) {
    uint64_t a = v[0], b = v[1], by = v[2], result = 0, both = b << 32 | (a & 0xffffffff);
    switch ((int)op) {
    case TIR_LOP3:
        for (int i = 0; i < 32; i++)
            result |= (v[3] >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (v[2] >> i & 1)) & 1) << i;
        *r = result;
        return true;
    case TIR_BFI32:
        for (uint64_t i = 0; i < 32; i++) {
            bool inside = i >= (v[2] & 255) && i < (v[2] & 255) + (v[3] & 255);
            result |= (inside ? a >> (i - (v[2] & 255)) & 1 : b >> i & 1) << i;
        }
        *r = result;
        return true;
    case TIR_SHF_L_CLAMP: *r = (by > 31 ? both : both << by >> 32) & 0xffffffff; return true;
    case TIR_SHF_L_WRAP: *r = both << (by & 31) >> 32 & 0xffffffff; return true;
    case TIR_SHF_R_CLAMP: *r = (by > 31 ? b : both >> by) & 0xffffffff; return true;
    case TIR_SHF_R_WRAP: *r = both >> (by & 31) & 0xffffffff; return true;
    case TIR_DP4A_U32: *r = dot4(v, false, false); return true;
    case TIR_DP4A_S32: *r = dot4(v, true, true); return true;
    case TIR_DP4A_US32: *r = dot4(v, false, true); return true;
    case TIR_DP4A_SU32: *r = dot4(v, true, false); return true;
    case TIR_AND16: *r = a & b; return true;
    case TIR_OR16: *r = a | b; return true;
    case TIR_XOR16: *r = a ^ b; return true;
    case TIR_NOT16: *r = a ^ 0xffff; return true;
    case TIR_SHL16: *r = b > 15 ? 0 : a << b & 0xffff; return true;
    case TIR_SHR_U16: *r = b > 15 ? 0 : a >> b; return true;
    case TIR_SHR_S16:
        *r = (a >> (b > 15 ? 15 : b) | (a >> 15 ? ~0ull << (b > 15 ? 0 : 15 - b) : 0)) & 0xffff;
        return true;
    case TIR_ADD16: *r = (a + b) & 0xffff; return true;
    case TIR_SUB16: *r = (a - b) & 0xffff; return true;
    case TIR_MUL16: *r = a * b & 0xffff; return true;
    case TIR_WIDE8: *r = a & 255; return true;
    case TIR_WIDE8_S: *r = (((a & 255) ^ 128) - 128) & 0xffffffff; return true;
    case TIR_F32_FROM_U8: *r = ptx_from_f32((float)(a & 255)); return true;
    case TIR_F32_FROM_S8: *r = ptx_from_f32((float)(int)(a & 127) - (float)(a & 128)); return true;
    case TIR_F32_FROM_U16: *r = ptx_from_f32((float)a); return true;
    case TIR_F32_FROM_S16:
        *r = ptx_from_f32((float)(a & 0x7fff) - (float)(a & 0x8000));
        return true;
    default: return false;
    }
}

static bool eval_inline_f32(TirOp op, const uint64_t *v, uint64_t *r) {
    float x = as_f32(v[0]), y = as_f32(v[1]), z = as_f32(v[2]), fx = flushed(x), fy = flushed(y);
    switch ((int)op) {
    case TIR_U32N_FROM_F32: *r = to_int((double)rintf(x), 32, false, false); return true;
    case TIR_S32DOWN_FROM_F32: *r = to_int(floor((double)x), 32, true, false); return true;
    case TIR_S32UP_FROM_F32: *r = to_int(ceil((double)x), 32, true, false); return true;
    case TIR_NEO_F32: *r = x == x && y == y && x != y; return true;
    case TIR_ADDFLUSH_F32: *r = ptx_from_f32(flushed(fx + fy)); return true;
    case TIR_SUBFLUSH_F32: *r = ptx_from_f32(flushed(fx - fy)); return true;
    case TIR_MULFLUSH_F32: *r = ptx_from_f32(flushed(fx * fy)); return true;
    case TIR_FMAFLUSH_F32: *r = ptx_from_f32(flushed(fmaf(fx, fy, flushed(z)))); return true;
    case TIR_MINFLUSH_F32:
        *r = ptx_from_f32(x != x ? fy : y != y ? fx : (float)lesser((double)fx, (double)fy));
        return true;
    case TIR_MAXFLUSH_F32:
        *r = ptx_from_f32(x != x ? fy : y != y ? fx : (float)greater((double)fx, (double)fy));
        return true;
    case TIR_MULZ_F32: {
        double exact = (double)x * (double)y;
        *r = ptx_from_f32(isfinite(exact) && fabs(exact) > 0x1.fffffep127
                              ? copysignf(0x1.fffffep127f, (float)exact)
                              : toward_zero(exact));
        return true;
    }
    case TIR_RCPRN_F32:
    case TIR_RCPKEEP_F32: *r = ptx_from_f32((float)(1 / (double)x)); return true;
    case TIR_RSQRTFLUSH_F32: *r = ptx_from_f32((float)(1 / sqrt((double)fx))); return true;
    case TIR_SQRTFLUSH_F32: *r = ptx_from_f32((float)sqrt((double)fx)); return true;
    case TIR_DIVFLUSH_F32: *r = ptx_from_f32(flushed(fx / fy)); return true;
    case TIR_SINFLUSH_F32: *r = ptx_from_f32(flushed((float)sin((double)fx))); return true;
    case TIR_COSFLUSH_F32: *r = ptx_from_f32((float)cos((double)fx)); return true;
    case TIR_ADD_F32X2: *r = wide_of('+', v); return true;
    case TIR_SUB_F32X2: *r = wide_of('-', v); return true;
    case TIR_MUL_F32X2: *r = wide_of('*', v); return true;
    case TIR_FMA_F32X2: *r = wide_of('f', v); return true;
    default: return false;
    }
}

static bool eval_inline_f16(TirOp op, const uint64_t *v, uint64_t *r) {
    uint64_t high;
    switch ((int)op) {
#define BOTH(name, sign)                                                                           \
    case TIR_##name##_F16X2: *r = pair_of(sign, v, false); return true;                            \
    case TIR_##name##_BF16X2: *r = pair_of(sign, v, true); return true;
        BOTH(ADD, '+')
        BOTH(SUB, '-')
        BOTH(MUL, '*')
        BOTH(MIN, '<')
        BOTH(MAX, '>')
        BOTH(TANH, 't')
#undef BOTH
    case TIR_EX2_F16X2: *r = pair_of('2', v, false); return true;
    case TIR_EX2_F16: *r = one_f16('2', v[0], 0, false); return true;
    case TIR_TANH_F16: *r = one_f16('t', v[0], 0, false); return true;
    case TIR_TANH_BF16: *r = one_f16('t', v[0], 0, true); return true;
    case TIR_ADD_BF16: *r = one_f16('+', v[0], v[1], true); return true;
    case TIR_SUB_BF16: *r = one_f16('-', v[0], v[1], true); return true;
    case TIR_MUL_BF16: *r = one_f16('*', v[0], v[1], true); return true;
    case TIR_FMA_BF16: return fma16(v, true, 0, r);
    case TIR_FMA_F16X2:
    case TIR_FMA_BF16X2:
        if (!fma16(v, op == TIR_FMA_BF16X2, 0, r) || !fma16(v, op == TIR_FMA_BF16X2, 16, &high))
            return false;
        *r |= high << 16;
        return true;
    case TIR_NEG_F16X2:
    case TIR_NEG_BF16X2: *r = v[0] ^ 0x80008000; return true;
    case TIR_ABS_F16X2:
    case TIR_ABS_BF16X2: *r = v[0] & ~0x80008000ull; return true;
    default: return false;
    }
}

static bool eval_inline_pair(TirOp op, const uint64_t *v, uint64_t *r) {
    float x = as_f32(v[0]), y = as_f32(v[1]);
    float high = f16_to_f32(v[0] >> 16 & 0xffff), low = f16_to_f32(v[0] & 0xffff);
    switch ((int)op) {
    case TIR_F16X2_FROM_F32: *r = f32_to_f16(x, false) << 16 | f32_to_f16(y, false); return true;
    case TIR_BF16X2_FROM_F32: *r = f32_to_bf16(x) << 16 | f32_to_bf16(y); return true;
#define SMALL(x) small_of(x, decoded_e4m3, 0x7e, 0x7f, 7)
    case TIR_E4M3X2_FROM_F32: *r = SMALL(x) << 8 | SMALL(y); return true;
    case TIR_E4M3X2_FROM_F16X2: *r = SMALL(high) << 8 | SMALL(low); return true;
#undef SMALL
#define SMALL(x) small_of(x, decoded_e5m2, 0x7b, 0x7f, 7)
    case TIR_E5M2X2_FROM_F32: *r = SMALL(x) << 8 | SMALL(y); return true;
    case TIR_E5M2X2_FROM_F16X2: *r = SMALL(high) << 8 | SMALL(low); return true;
#undef SMALL
    case TIR_F16X2_FROM_E4M3X2:
        *r = f32_to_f16(of_e4m3(v[0] >> 8), false) << 16 | f32_to_f16(of_e4m3(v[0] & 255), false);
        return true;
    case TIR_F16X2_FROM_E5M2X2:
        *r = f32_to_f16(of_e5m2(v[0] >> 8), false) << 16 | f32_to_f16(of_e5m2(v[0] & 255), false);
        return true;
    case TIR_UE8M0X2UP_FROM_F32: *r = power_above(x) << 8 | power_above(y); return true;
    case TIR_E2M1X2_FROM_F32:
        *r = small_of(x, decoded_e2m1, 7, 7, 3) << 4 | small_of(y, decoded_e2m1, 7, 7, 3);
        return true;
    default: return false;
    }
}

/* The integer ops of the tile IR. Division is apart: PTX does not say what it is by zero. */
static bool eval_row(TirOp op, const uint64_t *v, uint64_t *r) {
    switch ((int)op) {
#define INT(kind, name, operands, traits, meaning, form, lane)                                     \
    case TIR_##kind##32:                                                                           \
        return (form) != FORM_DIVIDE &&                                                            \
               eval_int(OP_##kind, 32, (uint32_t)v[0], operands > 1 ? (uint32_t)v[1] : 0, r);      \
    case TIR_##kind##64:                                                                           \
        return (form) != FORM_DIVIDE && eval_int(OP_##kind, 64, v[0],                              \
                                                 operands < 2           ? 0                        \
                                                 : (form) == FORM_SHIFT ? (uint32_t)v[1]           \
                                                                        : v[1],                    \
                                                 r);
#include "ir/ops.def"
    default: return false;
    }
}

/* False: not known here. */
static int order_of(double x, double y) { /* 2: not ordered */
    return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
}

static bool eval_nvcc_compare(TirOp op, const uint64_t *v, uint64_t *r) {
    int f = order_of((double)as_f32(v[0]), (double)as_f32(v[1]));
    int d = order_of(as_f64(v[0]), as_f64(v[1]));
    int h = order_of((double)f16_to_f32(v[0] & 0xffff), (double)f16_to_f32(v[1] & 0xffff));
    int b = order_of((double)as_f32((v[0] & 0xffff) << 16), (double)as_f32((v[1] & 0xffff) << 16));
    int u = order_of((double)(v[0] & 0xffff), (double)(v[1] & 0xffff));
    int s = order_of((double)((v[0] & 0xffff) ^ 0x8000), (double)((v[1] & 0xffff) ^ 0x8000));
    switch ((int)op) {
#define UNORDERED(type, o)                                                                         \
    case TIR_EQU_##type: *r = o == 0 || o == 2; return true;                                       \
    case TIR_LTU_##type: *r = o == -1 || o == 2; return true;                                      \
    case TIR_LEU_##type: *r = o == -1 || o == 0 || o == 2; return true;                            \
    case TIR_GTU_##type: *r = o >= 1; return true;                                                 \
    case TIR_GEU_##type: *r = o >= 0; return true;
        UNORDERED(F32, f)
        UNORDERED(F64, d)
#undef UNORDERED
#define ORDERED(type, o)                                                                           \
    case TIR_LT_##type: *r = o == -1; return true;                                                 \
    case TIR_LE_##type: *r = o == -1 || o == 0; return true;                                       \
    case TIR_GT_##type: *r = o == 1; return true;                                                  \
    case TIR_GE_##type: *r = o == 1 || o == 0; return true;
        ORDERED(S16, s)
        ORDERED(U16, u)
        ORDERED(F16, h)
        ORDERED(BF16, b)
#undef ORDERED
    case TIR_EQ_F16: *r = h == 0; return true;
    case TIR_EQ_BF16: *r = b == 0; return true;
    case TIR_NE_F16: *r = h != 0; return true;
    case TIR_NE_BF16: *r = b != 0; return true;
    case TIR_EQ16: *r = u == 0; return true;
    case TIR_NE16: *r = u != 0; return true;
    case TIR_NEO_F64: *r = d == 1 || d == -1; return true;
    case TIR_NAN_F64: *r = d == 2; return true;
    case TIR_NUM_F64: *r = d != 2; return true;
    default: return false;
    }
}

/* An integer, rounded once to nearest even: to so many bits of fraction. */
static uint64_t rounded_int(int64_t value, bool is_bf16) {
    int digits = is_bf16 ? 8 : 11, shift = 0;
    uint64_t size = (uint64_t)(value < 0 ? -value : value), whole = size;
    while (whole >> digits) whole >>= 1, shift++;
    uint64_t rest = size - (whole << shift), half = shift ? 1ull << (shift - 1) : 0;
    if (shift && (rest > half || (rest == half && (whole & 1)))) whole++;
    float rounded = ldexpf((float)whole, shift) * (value < 0 ? -1 : 1);
    return is_bf16 ? f32_to_bf16(rounded) : f32_to_f16(rounded, false);
}

static bool eval_nvcc(TirOp op, const uint64_t *v, uint64_t *r) {
    uint64_t a = v[0] & 0xffff, b = v[1] & 0xffff, c = v[2] & 0xffff, sign = 0x80000000;
    int64_t byte = (int64_t)(v[0] & 127) - (int64_t)(v[0] & 128);
    int64_t x = (int64_t)(a & 0x7fff) - (int64_t)(a & 0x8000);
    int64_t y = (int64_t)(b & 0x7fff) - (int64_t)(b & 0x8000);
    int64_t whole = (int64_t)(v[0] & 0x7fffffff) - (int64_t)(v[0] & sign);
    float f = as_f32(v[0]);
    uint64_t at = v[2] & 255, bits = v[3] & 255, from = v[1] & 255, many = v[2] & 255;
    switch ((int)op) {
    case TIR_FMADOWN_F32: {
        int mode = fegetround();
        volatile float fa = f, fb = as_f32(v[1]), fc = as_f32(v[2]);
        fesetround(FE_DOWNWARD);
        volatile float down = fmaf(fa, fb, fc);
        fesetround(mode);
        *r = ptx_from_f32(down);
        return true;
    }
    case TIR_BFI64:
        *r = 0;
        for (uint64_t i = 0; i < 64; i++) {
            bool inside = i >= at && i < at + bits;
            *r |= (inside ? v[0] >> (i - at) & 1 : v[1] >> i & 1) << i;
        }
        return true;
    case TIR_BFE_U64:
    case TIR_BFE_S64: {
        bool negative = op == TIR_BFE_S64 && v[0] >> 63;
        *r = 0;
        for (uint64_t i = 0, bit = 0; i < 64; i++) {
            uint64_t next = i + from > 63 ? negative : v[0] >> (i + from) & 1;
            if (i < many)
                bit = next;
            else if (op == TIR_BFE_U64 || !many)
                bit = 0;
            *r |= bit << i;
        }
        return true;
    }
    case TIR_BREV64:
        *r = 0;
        for (int i = 0; i < 64; i++) *r |= (v[0] >> i & 1) << (63 - i);
        return true;
    case TIR_SAT_F32: *r = ptx_from_f32(f > 1 ? 1 : f > 0 ? f : 0); return true;
    case TIR_COPYSIGN_F32: *r = (v[0] & sign) | (v[1] & ~sign & 0xffffffff); return true;
    case TIR_COPYSIGN_F64:
        *r = ptx_from_f64(as_f64((v[0] & sign << 32) | (v[1] & ~(sign << 32))));
        return true;
    case TIR_ABS_F64: *r = ptx_from_f64(as_f64(v[0] & ~(sign << 32))); return true;
    case TIR_NEG_F64: *r = ptx_from_f64(as_f64(v[0] ^ sign << 32)); return true;
    case TIR_RCPRN_F64: *r = ptx_from_f64(1 / as_f64(v[0])); return true;
    case TIR_F16_FROM_S32: *r = rounded_int(whole, false); return true;
    case TIR_BF16_FROM_S32: *r = rounded_int(whole, true); return true;
    case TIR_F16_FROM_U32: *r = rounded_int((int64_t)(v[0] & 0xffffffff), false); return true;
    case TIR_BF16_FROM_U32: *r = rounded_int((int64_t)(v[0] & 0xffffffff), true); return true;
    case TIR_F16_FROM_S16: *r = rounded_int(x, false); return true;
    case TIR_F16_FROM_U16: *r = rounded_int((int64_t)a, false); return true;
    case TIR_F64_FROM_U8: *r = ptx_from_f64((double)(v[0] & 255)); return true;
    case TIR_F64_FROM_S8: *r = ptx_from_f64((double)byte); return true;
    case TIR_F64_FROM_U16: *r = ptx_from_f64((double)a); return true;
    case TIR_F64_FROM_S16: *r = ptx_from_f64((double)x); return true;
    case TIR_LOW16_64:
    case TIR_WIDE16_64: *r = a; return true;
    case TIR_WIDE16_S64: *r = (uint64_t)x; return true;
    case TIR_WIDE8_16:
    case TIR_WIDE8_64: *r = v[0] & 255; return true;
    case TIR_WIDE8_S64: *r = (uint64_t)byte; return true;
    case TIR_WIDE8_S16: *r = (uint64_t)byte & 0xffff; return true;
    case TIR_MULWIDE_U16: *r = a * b; return true;
    case TIR_MULWIDE_S16: *r = (uint64_t)(x * y) & 0xffffffff; return true;
    case TIR_MAD16: *r = (a * b + c) & 0xffff; return true;
    case TIR_NEG16: *r = (0x10000 - a) & 0xffff; return true;
    case TIR_MIN_S16: *r = x < y ? a : b; return true;
    case TIR_MAX_S16: *r = x > y ? a : b; return true;
    case TIR_MIN_U16: *r = a < b ? a : b; return true;
    case TIR_MAX_U16: *r = a > b ? a : b; return true;
    default: return false;
    }
}

static bool reference_eval(TirOp op, const uint64_t *args, uint64_t *result) {
    return eval_row(op, args, result) || eval_int32(op, args, result) ||
           eval_int64(op, args, result) || eval_f32(op, args, result) ||
           eval_f64(op, args, result) || eval_inline_int(op, args, result) ||
           eval_inline_f32(op, args, result) || eval_inline_f16(op, args, result) ||
           eval_inline_pair(op, args, result) || eval_nvcc_compare(op, args, result) ||
           eval_nvcc(op, args, result);
}

#endif
