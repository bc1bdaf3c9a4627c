// SPDX-License-Identifier: Apache-2.0
#include "base/scalar.h"

static const struct {
    int bits;
    bool is_float;
    FloatKind format; /* of a float */
} scalars[] = {
#define TYPE_INT(kind, text, width, ...)   [SCALAR_##kind] = {.bits = width},
#define TYPE_FLOAT(kind, text, width, ...) [SCALAR_##kind] = {width, true, FLOAT_##kind},
#include "base/dtypes.def"
};

int scalar_bits(ScalarKind kind) { return scalars[kind].bits; }

int scalar_bytes(ScalarKind kind) { return (scalars[kind].bits + 7) / 8; }

bool scalar_is_float(ScalarKind kind) { return scalars[kind].is_float; }

double scalar_to_double(ScalarKind kind, uint64_t bits) {
    return float_decode(scalars[kind].format, bits);
}

uint64_t scalar_from_double(ScalarKind kind, double value) {
    return float_encode(scalars[kind].format, value, FLOAT_NEAREST_EVEN);
}

int64_t scalar_to_int(ScalarKind kind, uint64_t bits) {
    int width = scalars[kind].bits;
    if (width == 1) return (int64_t)(bits & 1);
    return (int64_t)(bits << (64 - width)) >> (64 - width);
}
