// SPDX-License-Identifier: Apache-2.0
/* ptx_reference: what a pure instruction computes, as PTX ISA 8.x defines it, written apart from
 * isa.def and number.h, which are compared with it. Approximate instructions give the correctly
 * rounded result. */
#ifndef TERN_TEST_PTX_REFERENCE_H
#define TERN_TEST_PTX_REFERENCE_H

#include "gen/ptx/isa.h"
#include "ir/ir.h"

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

static uint64_t from_f64(double x) {
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
    case TIR_F64_FROM_F32: *r = from_f64((double)x); return true;
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
    case TIR_ADD_F64: *r = from_f64(x + y); return true;
    case TIR_SUB_F64: *r = from_f64(x - y); return true;
    case TIR_MUL_F64: *r = from_f64(x * y); return true;
    case TIR_FMA_F64: *r = from_f64(fma(x, y, as_f64(v[2]))); return true;
    case TIR_DIV_F64: *r = from_f64(x / y); return true;
    case TIR_MIN_F64: *r = from_f64(x != x ? y : y != y ? x : lesser(x, y)); return true;
    case TIR_MAX_F64: *r = from_f64(x != x ? y : y != y ? x : greater(x, y)); return true;
    case TIR_SQRT_F64: *r = from_f64(sqrt(x)); return true;
    case TIR_FLOOR_F64: *r = from_f64(floor(x)); return true;
    case TIR_CEIL_F64: *r = from_f64(ceil(x)); return true;
    case TIR_TRUNC_F64: *r = from_f64(trunc(x)); return true;
    case TIR_ROUND_F64: *r = from_f64(nearbyint(x)); return true;
    case TIR_F32_FROM_F64: *r = ptx_from_f32((float)x); return true;
    case TIR_F32Z_FROM_F64: *r = ptx_from_f32(x == x ? toward_zero(x) : NAN); return true;
    case TIR_F32_FROM_S32: *r = ptx_from_f32((float)(int32_t)v[0]); return true;
    case TIR_F32_FROM_U32: *r = ptx_from_f32((float)(uint32_t)v[0]); return true;
    case TIR_F32_FROM_S64: *r = ptx_from_f32((float)(int64_t)v[0]); return true;
    case TIR_F32_FROM_U64: *r = ptx_from_f32((float)v[0]); return true;
    case TIR_F64_FROM_S32: *r = from_f64((double)(int32_t)v[0]); return true;
    case TIR_F64_FROM_U32: *r = from_f64((double)(uint32_t)v[0]); return true;
    case TIR_F64_FROM_S64: *r = from_f64((double)(int64_t)v[0]); return true;
    case TIR_F64_FROM_U64: *r = from_f64((double)v[0]); return true;
    case TIR_S32_FROM_F64: *r = to_int(x, 32, true, true); return true;
    case TIR_U32_FROM_F64: *r = to_int(x, 32, false, true); return true;
    case TIR_S64_FROM_F64: *r = to_int(x, 64, true, true); return true;
    case TIR_U64_FROM_F64: *r = to_int(x, 64, false, true); return true;
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
static bool reference_eval(TirOp op, const uint64_t *args, uint64_t *result) {
    return eval_row(op, args, result) || eval_int32(op, args, result) ||
           eval_int64(op, args, result) || eval_f32(op, args, result) || eval_f64(op, args, result);
}

#endif
