// SPDX-License-Identifier: Apache-2.0
/* math: functions of one lane, in f32 and f64, out of fma, shifts and selects; no library is
 * linked. doc/ptx.md has the measured errors. Coefficients are minimax fits made for tern, except
 * where a comment names a series. */
#include "gen/ptx/math.h"

#include <math.h>

/* ---- small helpers: f32 ---- */

static Tir fma32(Tirs *b, Tir x, Tir y, Tir z) { return tir_3(b, TIR_FMA_F32, x, y, z); }
static Tir mul32(Tirs *b, Tir x, Tir y) { return tir_2(b, TIR_MUL_F32, x, y); }
static Tir add32(Tirs *b, Tir x, Tir y) { return tir_2(b, TIR_ADD_F32, x, y); }
static Tir abs32(Tirs *b, Tir x) { return tir_2(b, TIR_AND32, x, tir_i32(b, 0x7fffffff)); }
static Tir sign32(Tirs *b, Tir x) { return tir_2(b, TIR_AND32, x, tir_i32(b, INT32_MIN)); }

/* c[0] + x * (c[1] + x * ...) */
static Tir horner32(Tirs *b, Tir x, const float *c, int count) {
    Tir p = tir_f32(b, c[count - 1]);
    for (int i = count - 2; i >= 0; i--) p = fma32(b, x, p, tir_f32(b, c[i]));
    return p;
}

/* The integer n nearest to y, where scale * x + 0.5 = y / 252 + 0.5, held to [-126, 126]; 2^n is
 * the result: t is 1.5 * 2^23 + 127 + n, whose low bits are an exponent. NaN counts as small. */
static Tir nearest_power(Tirs *b, Tir x, float scale, Tir *minus_n) {
    Tir part = tir_3(b, TIR_FMASAT_F32, x, tir_f32(b, scale), tir_f32(b, 0.5f));
    Tir t = fma32(b, part, tir_f32(b, 252), tir_f32(b, 12582912 + 1));
    *minus_n = tir_2(b, TIR_SUB_F32, tir_f32(b, 12582912 + 127), t);
    return tir_2(b, TIR_SHL32, t, tir_i32(b, 23));
}

/* 2^n * ex2(r), r = x * log2(e) - n. Where n is held, r grows instead: ex2 overflows, or is so
 * small that the product is rounded once, to a subnormal number. */
static Tir exp_f32(Tirs *b, Accuracy accuracy, Tir x) {
    Tir log2_e = tir_f32(b, 0x1.715476p+0f);
    if (accuracy == ACCURACY_FAST) return tir_1(b, TIR_EX2KEEP_F32, mul32(b, x, log2_e));
    Tir minus_n, power = nearest_power(b, x, 0x1.77313cp-8f, &minus_n);
    Tir r = fma32(b, x, log2_e, minus_n);
    r = fma32(b, x, tir_f32(b, 0x1.4ae0cp-26f), r); /* what log2_e lacks */
    return mul32(b, tir_1(b, TIR_EX2_F32, r), power);
}

static Tir exp2_f32(Tirs *b, Accuracy accuracy, Tir x) {
    if (accuracy == ACCURACY_FAST) return tir_1(b, TIR_EX2_F32, x);
    Tir minus_n, power = nearest_power(b, x, 0x1.041042p-8f, &minus_n);
    return mul32(b, tir_1(b, TIR_EX2_F32, add32(b, x, minus_n)), power);
}

static Tir sqrt_f32(Tirs *b, Accuracy accuracy, Tir x) {
    return tir_1(b,
                 accuracy == ACCURACY_EXACT  ? TIR_SQRT_F32
                 : accuracy == ACCURACY_FAST ? TIR_SQRTFLUSH_F32
                                             : TIR_SQRTAPPROX_F32,
                 x);
}

static Tir rsqrt_f32(Tirs *b, Accuracy accuracy, Tir x) {
    return tir_1(b, accuracy == ACCURACY_FAST ? TIR_RSQRTFLUSH_F32 : TIR_RSQRT_F32, x);
}

/* a * 2^(e0) = 2^e * m with m in [sqrt(1/2), sqrt(2)): log(m) by a polynomial in m - 1. */
static Tir log_of(Tirs *b, Tir a, Tir e0, bool base_2) {
    static const float c[] = {0x1.555554p-2f, -0x1.000226p-2f, 0x1.99a008p-3f, -0x1.547244p-3f,
                              0x1.22da1ep-3f, -0x1.0d8542p-3f, 0x1.055b6ap-3f, -0x1.38b57ep-4f};
    Tir k = tir_2(b, TIR_AND32, tir_2(b, TIR_SUB32, a, tir_i32(b, 0x3f3504f3)),
                  tir_i32(b, (int32_t)0xff800000));
    Tir f = tir_2(b, TIR_SUB_F32, tir_2(b, TIR_SUB32, a, k), tir_f32(b, 1));
    Tir e = fma32(b, tir_1(b, TIR_F32_FROM_S32, k), tir_f32(b, 0x1p-23f), e0);
    Tir p = horner32(b, f, c, COUNT(c));
    Tir s = mul32(b, f, f);
    p = fma32(b, f, p, tir_f32(b, -0.5f));
    if (base_2) {
        /* log2(m) = f * log2(e) + (s * p) * log2(e), log2(e) in two parts. */
        Tir high = mul32(b, f, tir_f32(b, 0x1.715476p+0f));
        Tir rest = fma32(b, f, tir_f32(b, 0x1.715476p+0f),
                         tir_2(b, TIR_XOR32, high, tir_i32(b, INT32_MIN)));
        rest = fma32(b, f, tir_f32(b, 0x1.4ae0cp-26f), rest);
        rest = fma32(b, mul32(b, s, p), tir_f32(b, 0x1.715476p+0f), rest);
        return add32(b, e, add32(b, high, rest));
    }
    return fma32(b, e, tir_f32(b, 0x1.62e430p-1f), fma32(b, s, p, f));
}

Tir math_log_normal(Tirs *b, Tir x, bool base_2) { return log_of(b, x, tir_f32(b, 0), base_2); }

static Tir log_f32(Tirs *b, Tir x, bool base_2) {
    Tir tiny = tir_2(b, TIR_LT_F32, x, tir_f32(b, 0x1p-126f));
    Tir a = tir_select(b, tiny, mul32(b, x, tir_f32(b, 0x1p23f)), x);
    Tir r = log_of(b, a, tir_select(b, tiny, tir_f32(b, -23), tir_f32(b, 0)), base_2);
    Tir positive = tir_2(b, TIR_GT_F32, x, tir_f32(b, 0)), odd = x;
    Tir good = tir_2(b, TIR_LT_F32, x, tir_f32(b, INFINITY));
    if (!tir_is_const(b, positive, NULL)) {
        /* The bits of a positive, finite number; of 0, infinity, NaN and less lg2 is right. */
        good = tir_2(b, TIR_LT_U32, tir_2(b, TIR_SUB32, x, tir_i32(b, 1)), tir_i32(b, 0x7f7fffff));
        odd = tir_1(b, TIR_LG2FLUSH_F32, a);
    }
    return tir_select(b, good, r, odd);
}

static Tir tanh_f32(Tirs *b, Tir x) {
    static const float c[] = {-0x1.55553ep-2f, 0x1.1109aep-3f, -0x1.b898dcp-5f, 0x1.54b898p-6f,
                              -0x1.825834p-8f};
    Tir a = abs32(b, x), minus_half = tir_f32(b, -0.5f);
    Tir e = tir_1(b, TIR_EX2_F32, mul32(b, a, tir_f32(b, 0x1.715476p+1f)));
    /* -2 / (e + 1); of NaN it is NaN. */
    Tir far = tir_1(b, TIR_RCP_F32, fma32(b, e, minus_half, minus_half));
    Tir one = tir_2(b, TIR_COPYSIGN_F32, x, tir_f32(b, 1));
    Tir s = mul32(b, x, x);
    Tir p = fma32(b, mul32(b, s, x), horner32(b, s, c, COUNT(c)), x);
    return tir_select(b, tir_2(b, TIR_LT_F32, a, tir_f32(b, 0.6f)), p, fma32(b, far, one, one));
}

static Tir erf_f32(Tirs *b, Tir x) {
    static const float near[] = {0x1.06eba8p-3f, -0x1.81273ep-2f,  0x1.ce2cf8p-4f, -0x1.b7f90cp-6f,
                                 0x1.5405bp-8f,  -0x1.a3f6f8p-11f, 0x1.496a1ep-14f};
    static const float far[] = {-0x1.1405b2p-12f, 0x1.a12d68p+0f, 0x1.d3c5dep-1f,  0x1.402b5ap-3f,
                                -0x1.297e9ap-5f,  0x1.8c3d3ap-8f, -0x1.4bb2fp-11f, 0x1.038ap-15f};
    Tir p = horner32(b, abs32(b, x), far, COUNT(far)); /* beyond 4 it is above 25: 1 is left */
    Tir e = tir_1(b, TIR_EX2_F32, tir_2(b, TIR_XOR32, p, tir_i32(b, INT32_MIN)));
    Tir r = tir_2(b, TIR_COPYSIGN_F32, x, tir_2(b, TIR_SUB_F32, tir_f32(b, 1), e));
    Tir t = fma32(b, x, horner32(b, mul32(b, x, x), near, COUNT(near)), x);
    return tir_select(b, tir_2(b, TIR_LT_F32, abs32(b, x), tir_f32(b, 1)), t, r);
}

/* ---- sine and cosine, f32 ---- */

typedef struct Reduced {
    Tir r, quadrant;
} Reduced;

/* Payne and Hanek: x * 2/pi modulo 4 from the 6 words of 2/pi, in integers. */
static Reduced reduce_large_f32(Tirs *b, Tir x) {
    static const uint32_t two_over_pi[] = {0x3c439041, 0xdb629599, 0xf534ddc0,
                                           0xfc2757d1, 0x4e441529, 0xa2f9836e};
    Tir m = tir_2(b, TIR_OR32, tir_2(b, TIR_SHL32, x, tir_i32(b, 8)), tir_i32(b, INT32_MIN));
    Tir e = tir_2(b, TIR_AND32, tir_2(b, TIR_SHR_U32, x, tir_i32(b, 23)), tir_i32(b, 255));
    e = tir_2(b, TIR_SUB32, e, tir_i32(b, 128));
    Tir wide = tir_1(b, TIR_ZEXT, m), carry = tir_i64(b, 0), words[7];
    for (int i = 0; i < 6; i++) {
        Tir product = tir_2(b, TIR_MUL64, wide, tir_i64(b, two_over_pi[i]));
        carry = tir_2(b, TIR_ADD64, carry, product);
        words[i] = tir_1(b, TIR_LOW32, carry);
        carry = tir_2(b, TIR_SHR_U64, carry, tir_i32(b, 32));
    }
    words[6] = tir_1(b, TIR_LOW32, carry);
    Tir index = tir_2(b, TIR_SHR_U32, e, tir_i32(b, 5)); /* 0 .. 3: words from the top */
    Tir hi = words[6], mid = words[5], lo = words[4];
    for (int i = 1; i < 4; i++) {
        Tir is = tir_2(b, TIR_EQ32, index, tir_i32(b, i));
        hi = tir_select(b, is, words[6 - i], hi);
        mid = tir_select(b, is, words[5 - i], mid);
        lo = tir_select(b, is, words[4 - i], lo);
    }
    Tir shift = tir_2(b, TIR_AND32, e, tir_i32(b, 31));
    Tir back = tir_2(b, TIR_SUB32, tir_i32(b, 32), shift); /* 32: the shift gives 0 */
    hi = tir_2(b, TIR_OR32, tir_2(b, TIR_SHL32, hi, shift), tir_2(b, TIR_SHR_U32, mid, back));
    mid = tir_2(b, TIR_OR32, tir_2(b, TIR_SHL32, mid, shift), tir_2(b, TIR_SHR_U32, lo, back));
    Tir quadrant = tir_2(b, TIR_SHR_U32, hi, tir_i32(b, 30));
    hi = tir_2(b, TIR_OR32, tir_2(b, TIR_SHL32, hi, tir_i32(b, 2)),
               tir_2(b, TIR_SHR_U32, mid, tir_i32(b, 30)));
    mid = tir_2(b, TIR_SHL32, mid, tir_i32(b, 2));
    /* To the nearest multiple: a fraction of one half and more is negative. */
    quadrant = tir_2(b, TIR_ADD32, quadrant, tir_2(b, TIR_SHR_U32, hi, tir_i32(b, 31)));
    Tir fraction = tir_2(b, TIR_PACK32, mid, hi);
    Tir d = tir_1(b, TIR_F64_FROM_S64, fraction);
    d = tir_2(b, TIR_MUL_F64, d, tir_f64(b, 0x1.921fb54442d18p-64)); /* pi/2 * 2^-64 */
    Tir r = tir_1(b, TIR_F32_FROM_F64, d), sign = sign32(b, x);
    r = tir_2(b, TIR_XOR32, r, sign);
    Tir negated = tir_2(b, TIR_SUB32, tir_i32(b, 0), quadrant);
    quadrant = tir_select(b, tir_2(b, TIR_LT_S32, x, tir_i32(b, 0)), negated, quadrant);
    Tir finite = tir_2(b, TIR_LT_F32, abs32(b, x), tir_f32(b, INFINITY));
    return (Reduced){tir_select(b, finite, r, tir_i32(b, 0x7fffffff)), quadrant};
}

/* x = quadrant * pi/2 + r. The large case is behind a branch: no lane takes it as a rule. */
static Reduced reduce_f32(Tirs *b, Tir x) {
    Tir n = tir_1(b, TIR_ROUND_F32, mul32(b, x, tir_f32(b, 0x1.45f306p-1f)));
    Tir r = fma32(b, n, tir_f32(b, -0x1.921fb4p+0f), x);
    r = fma32(b, n, tir_f32(b, -0x1.4442d0p-24f), r);
    r = fma32(b, n, tir_f32(b, -0x1.846988p-48f), r);
    Tir quadrant = tir_1(b, TIR_S32_FROM_F32, n);
    Tir small = tir_2(b, TIR_LT_F32, abs32(b, x), tir_f32(b, 100000));
    uint64_t bits;
    if (tir_is_const(b, small, &bits))
        return bits ? (Reduced){r, quadrant} : reduce_large_f32(b, x);
    Reduced result = {tir_var(b, CLASS_B32), tir_var(b, CLASS_B32)};
    int end = tir_new_label(b);
    tir_set(b, result.r, r);
    tir_set(b, result.quadrant, quadrant);
    tir_branch(b, end, small, false);
    int scope = tir_enter(b);
    Reduced large = reduce_large_f32(b, x);
    tir_set(b, result.r, large.r);
    tir_set(b, result.quadrant, large.quadrant);
    tir_leave(b, scope);
    tir_label(b, end);
    return result;
}

static Tir sin_cos_f32(Tirs *b, Tir x, bool is_cos) {
    static const float sines[] = {-0x1.555556p-3f, 0x1.111108p-7f, -0x1.a00f64p-13f,
                                  0x1.6ccb5cp-19f};
    static const float cosines[] = {0x1.555556p-5f, -0x1.6c16b8p-10f, 0x1.a010c6p-16f,
                                    -0x1.2419a2p-22f};
    Reduced reduced = reduce_f32(b, x);
    Tir q = is_cos ? tir_2(b, TIR_ADD32, reduced.quadrant, tir_i32(b, 1)) : reduced.quadrant;
    Tir r = reduced.r, s = mul32(b, r, r);
    Tir c = fma32(b, mul32(b, s, s), horner32(b, s, cosines, COUNT(cosines)),
                  fma32(b, s, tir_f32(b, -0.5f), tir_f32(b, 1)));
    Tir sine = fma32(b, mul32(b, s, r), horner32(b, s, sines, COUNT(sines)), r);
    Tir odd = tir_2(b, TIR_NE32, tir_2(b, TIR_AND32, q, tir_i32(b, 1)), tir_i32(b, 0));
    Tir p = tir_select(b, odd, c, sine);
    Tir sign = tir_2(b, TIR_SHL32, tir_2(b, TIR_AND32, q, tir_i32(b, 2)), tir_i32(b, 30));
    return tir_2(b, TIR_XOR32, p, sign);
}

/* ---- all ---- */

Tir math_function(Tirs *b, OpKind kind, Accuracy accuracy, bool is_f64, Tir x) {
    switch (kind) {
#define FLOAT1(row, text, rule, meaning, lane, f32, f64)                                           \
    case OP_##row:                                                                                 \
        return is_f64 ? f64 : f32;
#include "ir/ops.def"
#define OP(row, ...) case OP_##row:
#define FLOAT1(...)
#include "ir/ops.def"
    case NUM_OP_KINDS: break;
    }
    BUG("no function for %s", op_info(kind)->name);
}

/* ---- fmod: exact, by subtracting y * 2^k from the largest such down ---- */

typedef struct FmodOps {
    TirOp less_equal, subtract, add, multiply, different, equal;
    Tir half, infinity, zero, nan;
    RegClass class;
} FmodOps;

static FmodOps fmod_ops(Tirs *b, bool is_f64) {
    if (is_f64)
        return (FmodOps){TIR_LE_F64,      TIR_SUB_F64,
                         TIR_ADD_F64,     TIR_MUL_F64,
                         TIR_NE_F64,      TIR_EQ_F64,
                         tir_f64(b, 0.5), tir_f64(b, INFINITY),
                         tir_f64(b, 0),   tir_const(b, CLASS_B64, 0x7fffffffffffffff),
                         CLASS_B64};
    return (FmodOps){TIR_LE_F32,       TIR_SUB_F32,
                     TIR_ADD_F32,      TIR_MUL_F32,
                     TIR_NE_F32,       TIR_EQ_F32,
                     tir_f32(b, 0.5f), tir_f32(b, INFINITY),
                     tir_f32(b, 0),    tir_const(b, CLASS_B32, 0x7fffffff),
                     CLASS_B32};
}

static Tir magnitude(Tirs *b, bool is_f64, Tir x) {
    return is_f64 ? tir_2(b, TIR_AND64, x, tir_const(b, CLASS_B64, ~0ull >> 1)) : abs32(b, x);
}

Tir math_fmod(Tirs *b, bool is_f64, Tir x, Tir y) {
    FmodOps f = fmod_ops(b, is_f64);
    Tir ax = magnitude(b, is_f64, x), ay = magnitude(b, is_f64, y);
    Tir bad = tir_2(b, TIR_OR_P, tir_2(b, f.equal, ay, f.zero), tir_2(b, f.equal, ax, f.infinity));
    bad = tir_2(b, TIR_OR_P, bad,
                tir_2(b, TIR_OR_P, tir_2(b, f.different, x, x), tir_2(b, f.different, y, y)));
    Tir r = tir_var(b, f.class), t = tir_var(b, f.class);
    int up = tir_new_label(b), down = tir_new_label(b), end = tir_new_label(b);
    tir_set(b, r, ax);
    tir_set(b, t, ay);
    tir_branch(b, end, bad, false);
    /* t doubles while 2t <= r; both stay exact, as t is y times a power of two. */
    tir_label(b, up);
    int scope = tir_enter(b);
    Tir fits = tir_2(b, f.less_equal, t, tir_2(b, f.subtract, r, t));
    tir_branch(b, down, fits, true);
    tir_set(b, t, tir_2(b, f.add, t, t));
    tir_branch(b, up, 0, false);
    tir_leave(b, scope);
    tir_label(b, down);
    scope = tir_enter(b);
    Tir take = tir_2(b, f.less_equal, t, r);
    Tir next = tir_select(b, take, tir_2(b, f.subtract, r, t), r);
    Tir last = tir_2(b, f.less_equal, t, ay);
    tir_set(b, r, next);
    tir_set(b, t, tir_2(b, f.multiply, t, f.half));
    tir_branch(b, down, last, true);
    tir_leave(b, scope);
    tir_label(b, end);
    Tir sign = is_f64 ? tir_2(b, TIR_AND64, x, tir_const(b, CLASS_B64, 1ull << 63)) : sign32(b, x);
    Tir result = tir_2(b, is_f64 ? TIR_OR64 : TIR_OR32, r, sign);
    return tir_select(b, bad, f.nan, result);
}
