// SPDX-License-Identifier: Apache-2.0
/* dtype: the element types of tern.h, their names and conversions. One row each. */
#include "api/context.h"

#include <math.h>

enum { ROW_SIGNED = 0, ROW_UNSIGNED = 1, ROW_FLOAT = 0 };
static const struct {
    const char *name; /* Triton's */
    const char
        *aliases; /* NumPy's and torch's, and the language's long names; space on both sides */
    ScalarKind type;
    bool is_unsigned;
} rows[] = {
#define DTYPE(name, kind, sign, printed, language, signature, torch, shorter, others)              \
    [TERN_##name] = {signature, " " printed " " language " " torch " " shorter others,             \
                     SCALAR_##kind, ROW_##sign},
#include "base/dtypes.def"
};

/* tern.h has its own list, for people: each type of the table, in its order, and no more. */
enum {
    DTYPE_NUMBER_VOID,
#define DTYPE(name, ...) DTYPE_NUMBER_##name,
#include "base/dtypes.def"
};
#define DTYPE(name, ...)                                                                           \
    _Static_assert((int)TERN_##name == (int)DTYPE_NUMBER_##name, "TERN_" #name " in tern.h");
#include "base/dtypes.def"

static bool is_known(tern_dtype dtype) { /* any number may come */
    return dtype != TERN_VOID && (unsigned)dtype < (unsigned)COUNT(rows);
}

tern_dtype dtype_of(ScalarKind type, bool is_unsigned) {
    bool has_sign = type != SCALAR_I1 && !scalar_is_float(type);
    for (int i = 1; i < COUNT(rows); i++)
        if (rows[i].type == type && (!has_sign || rows[i].is_unsigned == is_unsigned))
            return (tern_dtype)i;
    BUG("a number type without a row");
}

size_t tern_dtype_size(tern_dtype dtype) {
    return is_known(dtype) ? (size_t)scalar_bytes(rows[dtype].type) : 0;
}

const char *tern_dtype_name(tern_dtype dtype) {
    return is_known(dtype) ? rows[dtype].name : "void";
}

tern_dtype tern_dtype_from_name(const char *name) {
    if (!name) return TERN_VOID;
    if (!strncmp(name, "torch.", 6) || !strncmp(name, "numpy.", 6))
        name += 6;
    else if (!strncmp(name, "tl.", 3) || !strncmp(name, "np.", 3))
        name += 3;
    size_t length = strlen(name);
    if (!length || memchr(name, ' ', length)) return TERN_VOID;
    for (int i = 1; i < COUNT(rows); i++) {
        if (!strcmp(rows[i].name, name)) return (tern_dtype)i;
        for (const char *at = rows[i].aliases; (at = strstr(at, name)); at++)
            if (at[-1] == ' ' && at[length] == ' ') return (tern_dtype)i;
    }
    return TERN_VOID;
}

bool tern_dtype_is_float(tern_dtype dtype) {
    return is_known(dtype) && scalar_is_float(rows[dtype].type);
}

bool tern_dtype_is_signed(tern_dtype dtype) { return is_known(dtype) && !rows[dtype].is_unsigned; }

/* ---- elements in memory ---- */

static uint64_t get_bits(const void *element, size_t size) {
    uint64_t bits = 0;
    memcpy(&bits, element, size);
    return bits;
}

static void set_bits(void *element, size_t size, uint64_t bits) { memcpy(element, &bits, size); }

static uint64_t unsigned_of(double value, double limit) { /* [0, limit) is what fits */
    return !(value > 0)     ? 0
           : value >= limit ? (limit < 0x1p64 ? (uint64_t)limit : 0) - 1
                            : (uint64_t)value;
}

static int64_t signed_of(double value, int bits) {
    double limit = ldexp(1, bits - 1);
    if (value != value) return 0;
    if (value >= limit) return (int64_t)(((uint64_t)1 << (bits - 1)) - 1);
    return value < -limit ? -(int64_t)(((uint64_t)1 << (bits - 1)) - 1) - 1 : (int64_t)value;
}

double tern_element_double(tern_dtype dtype, const void *element) {
    if (!is_known(dtype)) return 0;
    if (tern_dtype_is_float(dtype))
        return scalar_to_double(rows[dtype].type, get_bits(element, tern_dtype_size(dtype)));
    int64_t integer = tern_element_int(dtype, element);
    return rows[dtype].is_unsigned ? (double)(uint64_t)integer : (double)integer;
}

int64_t tern_element_int(tern_dtype dtype, const void *element) {
    if (!is_known(dtype)) return 0;
    uint64_t bits = get_bits(element, tern_dtype_size(dtype));
    if (dtype == TERN_BOOL) return bits != 0;
    if (tern_dtype_is_float(dtype)) return signed_of(scalar_to_double(rows[dtype].type, bits), 64);
    return rows[dtype].is_unsigned ? (int64_t)bits : scalar_to_int(rows[dtype].type, bits);
}

void tern_element_set_double(tern_dtype dtype, void *element, double value) {
    if (!is_known(dtype)) return;
    ScalarKind type = rows[dtype].type;
    size_t size = tern_dtype_size(dtype);
    if (dtype == TERN_BOOL)
        set_bits(element, 1, value != 0);
    else if (scalar_is_float(type))
        set_bits(element, size, scalar_from_double(type, value));
    else if (rows[dtype].is_unsigned)
        set_bits(element, size, unsigned_of(value, ldexp(1, scalar_bits(type))));
    else
        set_bits(element, size, (uint64_t)signed_of(value, scalar_bits(type)));
}

void tern_element_set_int(tern_dtype dtype, void *element, int64_t value) {
    if (!is_known(dtype)) return;
    size_t size = tern_dtype_size(dtype);
    if (dtype == TERN_BOOL)
        set_bits(element, 1, value != 0);
    else if (tern_dtype_is_float(dtype))
        set_bits(element, size, scalar_from_double(rows[dtype].type, (double)value));
    else
        set_bits(element, size, (uint64_t)value);
}

void tern_convert(tern_dtype from_dtype, const void *from, tern_dtype to_dtype, void *to,
                  size_t count) {
    size_t from_size = tern_dtype_size(from_dtype), to_size = tern_dtype_size(to_dtype);
    bool whole = from_dtype != TERN_VOID && !tern_dtype_is_float(from_dtype);
    for (size_t i = 0; i < count && from_size && to_size; i++) {
        const char *in = (const char *)from + i * from_size;
        char *out = (char *)to + i * to_size;
        if (from_dtype == to_dtype)
            memmove(out, in, from_size);
        else if (whole && !tern_dtype_is_float(to_dtype))
            tern_element_set_int(to_dtype, out, tern_element_int(from_dtype, in));
        else
            tern_element_set_double(to_dtype, out, tern_element_double(from_dtype, in));
    }
}
