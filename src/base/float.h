// SPDX-License-Identifier: Apache-2.0
/* float: the float formats of the language as bits. The only conversions in tern: constants,
 * folding, the interpreter and tests share them, so that they cannot disagree. */
#ifndef TERN_FLOAT_H
#define TERN_FLOAT_H

#include "base/base.h"

typedef enum FloatKind {
#define TYPE_FLOAT(kind, ...) FLOAT_##kind,
#include "base/dtypes.def"
    NUM_FLOAT_KINDS
} FloatKind;

typedef enum FloatRounding { FLOAT_NEAREST_EVEN, FLOAT_TOWARD_ZERO } FloatRounding;

typedef struct FloatFormat {
    int exponent_bits, mantissa_bits, bias;
    uint64_t largest; /* bits of the largest finite number */
    uint64_t nan;     /* 0: has none */
    bool has_infinity;
    bool saturates; /* what is too large becomes the largest finite number */
} FloatFormat;

static inline uint64_t double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double bits_double(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

const FloatFormat *float_format(FloatKind kind);
int float_bits(FloatKind kind);
double float_decode(FloatKind kind, uint64_t bits); /* exact */

/* Rounds once, straight from the double. Overflow: the 8-bit formats saturate at the largest finite
 * number (infinity too); the others give infinity, or toward zero the largest finite number. A NaN
 * stays a NaN with its sign and upper payload; E4B15 has none and takes its largest number. */
uint64_t float_encode(FloatKind kind, double value, FloatRounding rounding);

/* From integers, rounding once to nearest even. */
uint64_t float_from_signed(FloatKind kind, int64_t value);
uint64_t float_from_unsigned(FloatKind kind, uint64_t value);

/* a * b + c, rounded once to the format. */
uint64_t float_fma(FloatKind kind, uint64_t a, uint64_t b, uint64_t c);

bool format_holds(FloatKind wide, FloatKind narrow); /* each number of narrow is one of wide */
uint64_t float_nan(FloatKind kind);                  /* the quiet NaN with sign and payload 0 */

/* The shortest decimal that reads back as the same bits, exact for the 8-bit formats ("1.0", "0.1",
 * "-0.0", "1e+30"); "nan", "inf",
 * "-inf", or "0x7fc00001" for another NaN. Does not depend on the locale, as neither does reading.
 */
void float_print(Buf *out, FloatKind kind, uint64_t bits);
/* Reads decimal digits with '.' and exponent; false when the text is something else. */
bool float_parse(Str text, double *value);

#endif
