// SPDX-License-Identifier: Apache-2.0
/* math64: functions of f64 by series that converge to double precision on a reduced argument. They
 * are for correctness, not speed: f64 kernels are rare on these GPUs. */
#include "gen/ptx/math.h"

#include <math.h>

static Tir fma64(Tirs *b, Tir x, Tir y, Tir z) { return tir_3(b, TIR_FMA_F64, x, y, z); }
static Tir mul64(Tirs *b, Tir x, Tir y) { return tir_2(b, TIR_MUL_F64, x, y); }
static Tir add64(Tirs *b, Tir x, Tir y) { return tir_2(b, TIR_ADD_F64, x, y); }
static Tir sub64(Tirs *b, Tir x, Tir y) { return tir_2(b, TIR_SUB_F64, x, y); }
static Tir num(Tirs *b, double x) { return tir_f64(b, x); }
static Tir abs64(Tirs *b, Tir x) {
    return tir_2(b, TIR_AND64, x, tir_const(b, CLASS_B64, ~0ull >> 1));
}
static Tir sign64(Tirs *b, Tir x) {
    return tir_2(b, TIR_AND64, x, tir_const(b, CLASS_B64, 1ull << 63));
}
static Tir less64(Tirs *b, Tir x, double y) { return tir_2(b, TIR_LT_F64, x, num(b, y)); }

static Tir keep_nan64(Tirs *b, Tir x, Tir result) {
    return tir_select(b, tir_2(b, TIR_NE_F64, x, x), x, result);
}

/* Taylor: sum of x^k / k! for k = first, first + step, ..; step 2 takes x squared. */
static Tir factorial_series(Tirs *b, Tir x, int first, int step, int last) {
    double factorial = 1;
    for (int k = 2; k <= last; k++) factorial *= k;
    Tir p = num(b, 1 / factorial);
    for (int k = last - step; k >= first; k -= step) {
        for (int i = 0; i < step; i++) factorial /= k + step - i;
        p = fma64(b, x, p, num(b, 1 / factorial));
    }
    return p;
}

static Tir power64(Tirs *b, Tir n) { /* 2^n, n an i32 in [-1022, 1023] */
    Tir wide = tir_1(b, TIR_SEXT, tir_2(b, TIR_ADD32, n, tir_i32(b, 1023)));
    return tir_2(b, TIR_SHL64, wide, tir_i32(b, 52));
}

/* e^r * 2^n for |r| <= 0.35: in two steps, so that a subnormal result is rounded once. */
static Tir scaled_exp(Tirs *b, Tir r, Tir n) {
    Tir half = tir_2(b, TIR_SHR_S32, n, tir_i32(b, 1));
    Tir e = factorial_series(b, r, 0, 1, 14);
    return mul64(b, mul64(b, e, power64(b, half)), power64(b, tir_2(b, TIR_SUB32, n, half)));
}

/* ln 2 = HIGH + LOW, HIGH with 11 low bits zero, so that n * HIGH is exact. */
#define LN2_HIGH 0x1.62e42fefa3800p-1
#define LN2_LOW  0x1.ef35793c76730p-45

Tir exp_f64(Tirs *b, Tir x) {
    Tir clamped = tir_2(b, TIR_MIN_F64, tir_2(b, TIR_MAX_F64, x, num(b, -750)), num(b, 710));
    Tir n = tir_1(b, TIR_ROUND_F64, mul64(b, clamped, num(b, 0x1.71547652b82fep+0)));
    Tir r = fma64(b, n, num(b, -LN2_HIGH), clamped);
    r = fma64(b, n, num(b, -LN2_LOW), r);
    return keep_nan64(b, x, scaled_exp(b, r, tir_1(b, TIR_S32_FROM_F64, n)));
}

Tir exp2_f64(Tirs *b, Tir x) {
    Tir clamped = tir_2(b, TIR_MIN_F64, tir_2(b, TIR_MAX_F64, x, num(b, -1080)), num(b, 1025));
    Tir n = tir_1(b, TIR_ROUND_F64, clamped);
    Tir f = sub64(b, clamped, n);
    Tir r = fma64(b, f, num(b, LN2_LOW), mul64(b, f, num(b, LN2_HIGH)));
    return keep_nan64(b, x, scaled_exp(b, r, tir_1(b, TIR_S32_FROM_F64, n)));
}

/* x = 2^e * m, m in [sqrt(1/2), sqrt(2)); with s = (m - 1) / (m + 1),
 * log m = 2 * (s + s^3 / 3 + s^5 / 5 + ..), written as f - s * (f - rest) with f = m - 1, which
 * keeps the digits of f. */
Tir log_f64(Tirs *b, Tir x, bool base_2) {
    Tir tiny = less64(b, x, 0x1p-1022);
    Tir a = tir_select(b, tiny, mul64(b, x, num(b, 0x1p54)), x);
    Tir high = tir_1(b, TIR_LOW32, tir_2(b, TIR_SHR_U64, a, tir_i32(b, 32)));
    Tir shifted = tir_2(b, TIR_SUB32, high, tir_i32(b, 0x3fe6a09e)); /* upper half of sqrt(1/2) */
    Tir e = tir_2(b, TIR_SHR_S32, shifted, tir_i32(b, 20));
    Tir down = tir_2(b, TIR_SHL64, tir_1(b, TIR_SEXT, e), tir_i32(b, 52));
    Tir f = sub64(b, tir_2(b, TIR_SUB64, a, down), num(b, 1));
    e = tir_2(b, TIR_SUB32, e, tir_select(b, tiny, tir_i32(b, 54), tir_i32(b, 0)));
    Tir exponent = tir_1(b, TIR_F64_FROM_S32, e);
    Tir s = tir_2(b, TIR_DIV_F64, f, add64(b, f, num(b, 2)));
    Tir z = mul64(b, s, s), p = num(b, 2.0 / 27);
    for (int k = 25; k >= 3; k -= 2) p = fma64(b, z, p, num(b, 2.0 / k));
    p = mul64(b, z, p);
    Tir half = mul64(b, mul64(b, f, f), num(b, 0.5));
    /* log(1 + f) = f - (half - s * (half + p)) */
    Tir rest = sub64(b, half, mul64(b, s, add64(b, half, p)));
    Tir r;
    if (base_2) {
        Tir inverse = num(b, 0x1.71547652b82fep+0), low = num(b, 0x1.777d0ffda0d24p-56);
        Tir top = mul64(b, f, inverse);
        Tir error =
            fma64(b, f, inverse, tir_2(b, TIR_XOR64, top, tir_const(b, CLASS_B64, 1ull << 63)));
        error = fma64(b, f, low, error);
        error = sub64(b, error, mul64(b, rest, inverse));
        r = add64(b, exponent, add64(b, top, error));
    } else {
        rest = sub64(b, rest, mul64(b, exponent, num(b, LN2_LOW)));
        r = fma64(b, exponent, num(b, LN2_HIGH), sub64(b, f, rest));
    }
    Tir positive = tir_2(b, TIR_GT_F64, x, num(b, 0)), finite = less64(b, x, INFINITY);
    Tir odd = tir_select(b, positive, x, tir_const(b, CLASS_B64, ~0ull >> 1));
    odd = tir_select(b, tir_2(b, TIR_EQ_F64, x, num(b, 0)), num(b, -INFINITY), odd);
    return tir_select(b, tir_2(b, TIR_AND_P, positive, finite), r, odd);
}

/* Near 0 the quotient of the series of sinh and cosh; else from exp. */
Tir tanh_f64(Tirs *b, Tir x) {
    Tir a = abs64(b, x), z = mul64(b, x, x);
    Tir near = tir_2(b, TIR_DIV_F64, mul64(b, x, factorial_series(b, z, 1, 2, 19)),
                     factorial_series(b, z, 0, 2, 20));
    Tir e = exp_f64(b, mul64(b, tir_2(b, TIR_MIN_F64, a, num(b, 30)), num(b, 2)));
    Tir far = sub64(b, num(b, 1), tir_2(b, TIR_DIV_F64, num(b, 2), add64(b, e, num(b, 1))));
    far = tir_2(b, TIR_OR64, far, sign64(b, x));
    return keep_nan64(b, x, tir_select(b, less64(b, a, 0.6), near, far));
}

/* |x| < 3: 2 / sqrt(pi) * exp(-x^2) * sum of 2^n x^(2n+1) / (2n+1)!!, all terms positive. Above:
 * 1 - erfc, by the continued fraction of erfc, which is below 2.3e-5 there, so that a relative
 * 1e-12 of it is enough. */
Tir erf_f64(Tirs *b, Tir x) {
    enum { TERMS = 60, STEPS = 40 };
    long double c[TERMS];            /* a product of many factors: rounded once, at its use */
    c[0] = 0x1.20dd750429b6d11ap+0L; /* 2 / sqrt(pi) */
    for (int n = 1; n < TERMS; n++) c[n] = c[n - 1] * 2 / (2 * n + 1);
    Tir a = tir_2(b, TIR_MIN_F64, abs64(b, x), num(b, 6.5)), z = mul64(b, a, a),
        p = num(b, (double)c[TERMS - 1]);
    for (int n = TERMS - 2; n >= 0; n--) p = fma64(b, z, p, num(b, (double)c[n]));
    Tir e = exp_f64(b, tir_2(b, TIR_XOR64, z, tir_const(b, CLASS_B64, 1ull << 63)));
    /* What rounding z lost: e^-(z + lost) = e^-z * (1 - lost). */
    Tir lost = fma64(b, a, a, tir_2(b, TIR_XOR64, z, tir_const(b, CLASS_B64, 1ull << 63)));
    e = sub64(b, e, mul64(b, e, lost));
    Tir near = mul64(b, mul64(b, a, p), e);
    /* A(k) = x A(k-1) + k/2 A(k-2), the same for B: erfc = exp(-x^2) / sqrt(pi) * B / A. */
    Tir top = num(b, 0), top_next = num(b, 1), under = num(b, 1), under_next = a;
    for (int k = 1; k <= STEPS; k++) {
        Tir t = fma64(b, a, top_next, mul64(b, top, num(b, k / 2.0)));
        Tir u = fma64(b, a, under_next, mul64(b, under, num(b, k / 2.0)));
        top = top_next, top_next = t, under = under_next, under_next = u;
    }
    Tir ratio = tir_2(b, TIR_DIV_F64, top_next, under_next);
    Tir far = sub64(b, num(b, 1), mul64(b, mul64(b, e, num(b, 0x1.20dd750429b6dp-1)), ratio));
    Tir r = tir_select(b, less64(b, a, 3), near, far);
    return keep_nan64(b, x, tir_2(b, TIR_OR64, r, sign64(b, x)));
}

/* ---- sine and cosine ---- */

typedef struct Reduced64 {
    Tir r, low, quadrant; /* r + low */
} Reduced64;

/* x * 2/pi for large |x| by Payne and Hanek: of the 1216 bits of 2/pi, the bits that
 * matter for this exponent are picked, and their product with the significand taken modulo 4. */
static const uint64_t two_over_pi[] = {
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb1f8d5d085,
    0x6033046fc7b6babf,
};

static Tir pick_word(Tirs *b, Tir index, int offset) {
    Tir result = tir_const(b, CLASS_B64, 0);
    for (int i = 0; i < COUNT(two_over_pi); i++) {
        if (i - offset < 0) continue;
        Tir is = tir_2(b, TIR_EQ32, index, tir_i32(b, i - offset));
        result = tir_select(b, is, tir_const(b, CLASS_B64, two_over_pi[i]), result);
    }
    return result;
}

/* a << s | b >> (64 - s), s in [0, 63]; a shift by 64 gives 0. */
static Tir funnel(Tirs *b, Tir high, Tir low, Tir s) {
    Tir back = tir_2(b, TIR_SUB32, tir_i32(b, 64), s);
    return tir_2(b, TIR_OR64, tir_2(b, TIR_SHL64, high, s), tir_2(b, TIR_SHR_U64, low, back));
}

static Reduced64 reduce_large64(Tirs *b, Tir x) {
    Tir exponent = tir_1(b, TIR_LOW32, tir_2(b, TIR_SHR_U64, x, tir_i32(b, 52)));
    exponent = tir_2(b, TIR_AND32, exponent, tir_i32(b, 2047));
    Tir m = tir_2(b, TIR_AND64, x, tir_const(b, CLASS_B64, (1ull << 52) - 1));
    m = tir_2(b, TIR_OR64, m, tir_const(b, CLASS_B64, 1ull << 52));
    /* |x| = m * 2^e, e = exponent - 1075. Bits of 2/pi that give multiples of 4 do not matter: the
     * window starts where m * 2^e times the bit is 2. The table has 64 zeros before the point, so
     * that this is a place in it for all |x| >= 2^20. */
    Tir start = tir_2(b, TIR_SUB32, exponent, tir_i32(b, 1013));
    Tir word = tir_2(b, TIR_SHR_U32, start, tir_i32(b, 6)),
        s = tir_2(b, TIR_AND32, start, tir_i32(b, 63));
    Tir w[4];
    for (int i = 0; i < 4; i++) w[i] = pick_word(b, word, i);
    Tir high = funnel(b, w[0], w[1], s), middle = funnel(b, w[1], w[2], s),
        low = funnel(b, w[2], w[3], s);
    /* product = m * (high, middle, low), modulo 2^192. */
    Tir p2 = tir_2(b, TIR_MULHI_U64, m, low);
    Tir p1 = tir_2(b, TIR_MUL64, m, middle), p1_high = tir_2(b, TIR_MULHI_U64, m, middle);
    Tir p0 = tir_2(b, TIR_MUL64, m, high);
    Tir lower = tir_2(b, TIR_ADD64, p1, p2);
    Tir carry = tir_select(b, tir_2(b, TIR_LT_U64, lower, p1), tir_i64(b, 1), tir_i64(b, 0));
    Tir upper = tir_2(b, TIR_ADD64, tir_2(b, TIR_ADD64, p0, p1_high), carry);
    /* The two top bits of upper are integer. */
    Tir quadrant = tir_1(b, TIR_LOW32, tir_2(b, TIR_SHR_U64, upper, tir_i32(b, 62)));
    Tir f1 = funnel(b, upper, lower, tir_i32(b, 2)), f0 = tir_2(b, TIR_SHL64, lower, tir_i32(b, 2));
    Tir negative = tir_2(b, TIR_LT_S64, f1, tir_i64(b, 0));
    quadrant = tir_2(b, TIR_ADD32, quadrant, tir_select(b, negative, tir_i32(b, 1), tir_i32(b, 0)));
    Tir ones = tir_select(b, negative, tir_i64(b, -1), tir_i64(b, 0));
    f1 = tir_2(b, TIR_XOR64, f1, ones), f0 = tir_2(b, TIR_XOR64, f0, ones);
    /* (f1, f0) < 2^127 as two doubles: leading 64 bits, then 53 more. */
    Tir zeros = tir_1(b, TIR_CLZ64, f1);
    Tir top = funnel(b, f1, f0, zeros), rest = tir_2(b, TIR_SHL64, f0, zeros);
    Tir cut = tir_2(b, TIR_AND64, top, tir_const(b, CLASS_B64, ~2047ull));
    Tir left = tir_2(b, TIR_OR64, tir_2(b, TIR_SHL64, top, tir_i32(b, 53)),
                     tir_2(b, TIR_SHR_U64, rest, tir_i32(b, 11)));
    Tir scale = power64(b, tir_2(b, TIR_SUB32, tir_i32(b, -64), zeros));
    Tir hi = mul64(b, tir_1(b, TIR_F64_FROM_U64, cut), scale);
    Tir lo = mul64(b, mul64(b, tir_1(b, TIR_F64_FROM_U64, left), num(b, 0x1p-53)), scale);
    Tir pi_high = num(b, 0x1.921fb54442d18p+0), pi_low = num(b, 0x1.1a62633145c07p-54);
    Tir r = mul64(b, hi, pi_high);
    Tir error = fma64(b, hi, pi_high, tir_2(b, TIR_XOR64, r, tir_const(b, CLASS_B64, 1ull << 63)));
    error = fma64(b, hi, pi_low, error);
    error = fma64(b, lo, pi_high, error);
    Tir flip = tir_2(b, TIR_XOR64, sign64(b, x),
                     tir_2(b, TIR_AND64, ones, tir_const(b, CLASS_B64, 1ull << 63)));
    r = tir_2(b, TIR_XOR64, r, flip), error = tir_2(b, TIR_XOR64, error, flip);
    Tir below = tir_2(b, TIR_LT_S64, x, tir_i64(b, 0));
    quadrant = tir_select(b, below, tir_2(b, TIR_SUB32, tir_i32(b, 0), quadrant), quadrant);
    Tir finite = less64(b, abs64(b, x), INFINITY);
    return (Reduced64){tir_select(b, finite, r, tir_const(b, CLASS_B64, ~0ull >> 1)), error,
                       quadrant};
}

/* |x| < 2^20: pi/2 in three parts, the first two with trailing zeros, so that products are exact.
 */
static Reduced64 reduce64(Tirs *b, Tir x) {
    Tir n = tir_1(b, TIR_ROUND_F64, mul64(b, x, num(b, 0x1.45f306dc9c883p-1)));
    Tir t = fma64(b, n, num(b, -0x1.921fb54400000p+0), x); /* 33 bits: exact */
    Tir w = mul64(b, n, num(b, 0x1.0b4611a600000p-34));    /* the next 33 */
    Tir r = sub64(b, t, w);
    Tir low = sub64(b, sub64(b, t, r), w);
    low = fma64(b, n, num(b, -0x1.3198a2e037073p-69), low);
    Tir sum = add64(b, r, low);
    low = add64(b, sub64(b, r, sum), low);
    Tir quadrant = tir_1(b, TIR_S32_FROM_F64, n);
    Tir small = less64(b, abs64(b, x), 0x1p20);
    uint64_t bits;
    if (tir_is_const(b, small, &bits))
        return bits ? (Reduced64){sum, low, quadrant} : reduce_large64(b, x);
    Reduced64 result = {tir_var(b, CLASS_B64), tir_var(b, CLASS_B64), tir_var(b, CLASS_B32)};
    int end = tir_new_label(b);
    tir_set(b, result.r, sum), tir_set(b, result.low, low), tir_set(b, result.quadrant, quadrant);
    tir_branch(b, end, small, false);
    int scope = tir_enter(b);
    Reduced64 large = reduce_large64(b, x);
    tir_set(b, result.r, large.r), tir_set(b, result.low, large.low);
    tir_set(b, result.quadrant, large.quadrant);
    tir_leave(b, scope);
    tir_label(b, end);
    return result;
}

Tir sin_cos_f64(Tirs *b, Tir x, bool is_cos) {
    Reduced64 reduced = reduce64(b, x);
    Tir q = is_cos ? tir_2(b, TIR_ADD32, reduced.quadrant, tir_i32(b, 1)) : reduced.quadrant;
    Tir r = reduced.r, z = mul64(b, r, r);
    /* sin(r + low) = r + (r * z * S(z) + low * (1 - z / 2)); S starts at -1/6. */
    Tir sine = num(b, 0), cosine = num(b, 0);
    static const double sines[] = {
        -1 / 6.0,        1 / 120.0,        -1 / 5040.0,          1 / 362880.0,
        -1 / 39916800.0, 1 / 6227020800.0, -1 / 1307674368000.0, 1 / 355687428096000.0};
    static const double cosines[] = {
        1 / 24.0,        -1 / 720.0,         1 / 40320.0,         -1 / 3628800.0,
        1 / 479001600.0, -1 / 87178291200.0, 1 / 20922789888000.0};
    for (int i = COUNT(sines) - 1; i >= 0; i--) sine = fma64(b, z, sine, num(b, sines[i]));
    for (int i = COUNT(cosines) - 1; i >= 0; i--) cosine = fma64(b, z, cosine, num(b, cosines[i]));
    Tir half = mul64(b, z, num(b, 0.5)), one = sub64(b, num(b, 1), half);
    sine = fma64(b, mul64(b, z, r), sine, mul64(b, reduced.low, one));
    sine = add64(b, r, sine);
    /* cos(r + low) = 1 - z / 2 + (z^2 C(z) - r * low), with what 1 - z / 2 rounded away. */
    Tir lost = sub64(b, sub64(b, num(b, 1), one), half);
    Tir tail = fma64(b, mul64(b, z, z), cosine, lost);
    tail = sub64(b, tail, mul64(b, r, reduced.low));
    cosine = add64(b, one, tail);
    Tir odd = tir_2(b, TIR_NE32, tir_2(b, TIR_AND32, q, tir_i32(b, 1)), tir_i32(b, 0));
    Tir p = tir_select(b, odd, cosine, sine);
    Tir sign = tir_1(b, TIR_ZEXT, tir_2(b, TIR_AND32, q, tir_i32(b, 2)));
    return tir_2(b, TIR_XOR64, p, tir_2(b, TIR_SHL64, sign, tir_i32(b, 62)));
}
