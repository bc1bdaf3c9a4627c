// SPDX-License-Identifier: Apache-2.0
#include "base/float.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const FloatFormat formats[NUM_FLOAT_KINDS] = {
#define TYPE_FLOAT(kind, text, bits, exponent, mantissa, bias, largest, nan, infinity, saturates,  \
                   ...)                                                                            \
    [FLOAT_##kind] = {exponent, mantissa, bias, largest, nan, infinity, saturates},
#include "base/dtypes.def"
};

const FloatFormat *float_format(FloatKind kind) { return &formats[kind]; }

int float_bits(FloatKind kind) {
    return 1 + formats[kind].exponent_bits + formats[kind].mantissa_bits;
}

/* The exponent of the least number (2^exponent) and of the largest. */
bool format_holds(FloatKind wide, FloatKind narrow) {
    const FloatFormat *w = &formats[wide], *n = &formats[narrow];
    if (wide == narrow) return true;
    if (!w->nan && n->nan) return false;
    return w->mantissa_bits >= n->mantissa_bits &&
           w->bias + w->mantissa_bits >= n->bias + n->mantissa_bits &&
           float_decode(wide, w->largest) >= float_decode(narrow, n->largest) &&
           (w->has_infinity || !n->has_infinity);
}

uint64_t float_nan(FloatKind kind) {
    return formats[kind].nan ? formats[kind].nan : formats[kind].largest;
}

double float_decode(FloatKind kind, uint64_t bits) {
    const FloatFormat *format = &formats[kind];
    if (kind == FLOAT_F64) return bits_double(bits);
    int mantissa_bits = format->mantissa_bits;
    uint64_t sign = (bits >> (float_bits(kind) - 1) & 1) << 63;
    uint64_t mantissa = bits & ((1ull << mantissa_bits) - 1);
    int exponent = (int)(bits >> mantissa_bits & ((1ull << format->exponent_bits) - 1));
    uint64_t magnitude = bits & ((1ull << (float_bits(kind) - 1)) - 1);
    if (magnitude > format->largest) {
        if (format->has_infinity && mantissa == 0) return bits_double(sign | 0x7ff0000000000000);
        return bits_double(sign | 0x7ff8000000000000 | mantissa << (52 - mantissa_bits));
    }
    /* Made of a double's own fields: simulated products ask for every element. */
    if (exponent != 0)
        return bits_double(sign | (uint64_t)(exponent - format->bias + 1023) << 52 |
                           mantissa << (52 - mantissa_bits));
    /* Below 2^53 times a power of two within a double's normal range: exact. */
    uint64_t power = (uint64_t)(1 - format->bias - mantissa_bits + 1023) << 52;
    double value = (double)mantissa * bits_double(power);
    return sign ? -value : value;
}

/* (-1)^negative * significand * 2^exponent, significand not 0. */
static uint64_t encode_parts(const FloatFormat *format, bool negative, uint64_t significand,
                             int exponent, FloatRounding rounding) {
    int leading = __builtin_clzll(significand);
    significand <<= leading;
    int top = exponent - leading + 63; /* the number is in [2^top, 2^(top+1)) */
    int least_exponent = 1 - format->bias;
    bool is_subnormal = top < least_exponent;
    int quantum = (is_subnormal ? least_exponent : top) - format->mantissa_bits;
    int shift = quantum - (top - 63); /* at least 11, as no format has more than 53 bits */
    uint64_t kept = shift > 63 ? 0 : significand >> shift;
    if (rounding == FLOAT_NEAREST_EVEN && shift <= 64) {
        uint64_t rest = shift == 64 ? significand : significand & ((1ull << shift) - 1);
        uint64_t half = 1ull << (shift - 1);
        if (rest > half || (rest == half && (kept & 1))) kept++;
    }
    /* `kept` has the leading one, which adds 1 to the exponent field; a carry out of rounding adds
     * one more, as it should. */
    uint64_t field = is_subnormal ? 0 : (uint64_t)(top - least_exponent);
    uint64_t bits =
        top - least_exponent > 4096 ? UINT64_MAX >> 1 : (field << format->mantissa_bits) + kept;
    if (bits > format->largest) {
        bool to_largest = format->saturates || rounding == FLOAT_TOWARD_ZERO;
        bits = to_largest ? format->largest : format->largest + 1;
    }
    return bits | (uint64_t)negative << (format->exponent_bits + format->mantissa_bits);
}

uint64_t float_encode(FloatKind kind, double value, FloatRounding rounding) {
    const FloatFormat *format = &formats[kind];
    uint64_t from = double_bits(value);
    if (kind == FLOAT_F64) return from;
    bool negative = from >> 63;
    uint64_t sign = (uint64_t)negative << (float_bits(kind) - 1);
    uint64_t mantissa = from & 0xfffffffffffff;
    int exponent = (int)(from >> 52 & 0x7ff);
    if (exponent == 0x7ff && mantissa) {
        if (!format->nan) return format->largest;
        if (!format->has_infinity) return sign | format->nan;
        return sign | format->nan | mantissa >> (52 - format->mantissa_bits);
    }
    if (exponent == 0x7ff)
        return sign | (format->saturates ? format->largest : format->largest + 1);
    if (exponent == 0 && mantissa == 0) return sign;
    if (exponent == 0) return encode_parts(format, negative, mantissa, -1074, rounding);
    return encode_parts(format, negative, mantissa | 1ull << 52, exponent - 1075, rounding);
}

uint64_t float_from_unsigned(FloatKind kind, uint64_t value) {
    if (value == 0) return 0;
    return encode_parts(&formats[kind], false, value, 0, FLOAT_NEAREST_EVEN);
}

uint64_t float_from_signed(FloatKind kind, int64_t value) {
    if (value >= 0) return float_from_unsigned(kind, (uint64_t)value);
    return encode_parts(&formats[kind], true, 0 - (uint64_t)value, 0, FLOAT_NEAREST_EVEN);
}

/* For formats narrower than f32 the product is exact in double; the sum is rounded to odd, which
 * keeps what the final rounding needs to know (Boldo and Melquiond, 2008). */
uint64_t float_fma(FloatKind kind, uint64_t a, uint64_t b, uint64_t c) {
    double x = float_decode(kind, a), y = float_decode(kind, b), z = float_decode(kind, c);
    if (kind == FLOAT_F64) return double_bits(fma(x, y, z));
    if (kind == FLOAT_F32)
        return float_encode(kind, (double)fmaf((float)x, (float)y, (float)z), FLOAT_NEAREST_EVEN);
    double product = x * y;
    double sum = product + z;
    if (!isfinite(sum) || sum == 0) return float_encode(kind, sum, FLOAT_NEAREST_EVEN);
    double of_z = sum - product;
    double error = (product - (sum - of_z)) + (z - of_z);
    uint64_t bits = double_bits(sum);
    /* Toward the exact sum's other side only when the last bit is even: then the result is odd. */
    if (error != 0 && !(bits & 1)) bits += (error > 0) == (sum > 0) ? 1 : UINT64_MAX;
    return float_encode(kind, bits_double(bits), FLOAT_NEAREST_EVEN);
}

bool float_parse(Str text, double *value) {
    enum { LONGEST = 400 };
    char copy[LONGEST + 16];
    const char *point = localeconv()->decimal_point;
    int length = 0, digits = 0;
    if (text.length > LONGEST) return false;
    for (int i = 0; i < text.length; i++) {
        char c = text.data[i];
        bool is_sign = (c == '-' || c == '+') && (i == 0 || (text.data[i - 1] | 32) == 'e');
        if (c >= '0' && c <= '9')
            digits++;
        else if (c == '.') {
            if (length + strlen(point) > LONGEST) return false;
            length += snprintf(copy + length, sizeof copy - (size_t)length, "%s", point);
            continue;
        } else if (!is_sign && ((c | 32) != 'e' || !digits))
            return false;
        if (length > LONGEST) return false;
        copy[length++] = c;
    }
    if (!digits) return false;
    copy[length] = 0;
    int saved = errno;
    char *end;
    *value = strtod(copy, &end);
    errno = saved;
    return *end == 0;
}

static void print_digits(Buf *out, double value, int digits) {
    char text[64];
    snprintf(text, sizeof text, "%.*g", digits, value);
    bool looks_like_int = true;
    for (const char *c = text; *c; c++) {
        bool is_plain = (*c >= '0' && *c <= '9') || *c == '-' || *c == '+';
        if (is_plain)
            buf_putc(out, *c);
        else if (*c == 'e')
            buf_putc(out, 'e'), looks_like_int = false;
        else if (looks_like_int)
            buf_putc(out, '.'), looks_like_int = false; /* whatever the locale's is */
    }
    if (looks_like_int) buf_puts(out, ".0");
}

void float_print(Buf *out, FloatKind kind, uint64_t bits) {
    double value = float_decode(kind, bits);
    if (isnan(value)) {
        if (bits == float_nan(kind))
            buf_puts(out, "nan");
        else
            buf_printf(out, "0x%llx", (unsigned long long)bits);
        return;
    }
    if (isinf(value)) {
        buf_puts(out, value < 0 ? "-inf" : "inf");
        return;
    }
    char scratch[64];
    int digits = 1;
    for (; digits < 17; digits++) {
        int saved = errno;
        snprintf(scratch, sizeof scratch, "%.*g", digits, value);
        double back = strtod(scratch, NULL);
        errno = saved;
        /* Of 8 bits the number itself: the shortest would read 448 as 4.5e+02. */
        bool is_same = float_bits(kind) == 8 ? back == value
                                             : float_encode(kind, back, FLOAT_NEAREST_EVEN) == bits;
        if (is_same) break;
    }
    print_digits(out, value, digits);
}
