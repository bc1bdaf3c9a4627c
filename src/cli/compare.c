// SPDX-License-Identifier: Apache-2.0
#include "cli/compare.h"

#include <math.h>

/* A recorded launch may well have written what was there before: memory that is used again often
 * holds the last launch's result. So what it seems to have left alone is compared like the rest,
 * but for 0, which must stay 0: a stray write of any other number is found. */
static void add_wrong(Difference *difference, int64_t index, double got, double want,
                      bool touched) {
    if (!difference->num_wrong) {
        difference->first_wrong = index;
        difference->got = got;
        difference->want = want;
    }
    difference->num_wrong++;
    difference->num_touched += touched;
}

static bool is_close(double got, double want, Tolerance tolerance, Difference *difference) {
    if (isnan(got) || isnan(want)) return isnan(got) && isnan(want);
    if (got == want) return true;
    if (isinf(got) || isinf(want)) return false;
    double apart = fabs(got - want);
    if (apart > difference->max_abs) difference->max_abs = apart;
    if (want != 0 && apart / fabs(want) > difference->max_rel)
        difference->max_rel = apart / fabs(want);
    return apart <= tolerance.absolute + tolerance.relative * fabs(want);
}

void compare_storage(tern_dtype dtype, const unsigned char *got, const unsigned char *before,
                     const unsigned char *want, size_t size_bytes, Tolerance tolerance,
                     Difference *difference) {
    size_t size = tern_dtype_size(dtype), count = size_bytes / size;
    const Tolerance exact = {0, 0};
    for (size_t i = 0; i < count; i++) {
        const unsigned char *ours = got + i * size, *theirs = want + i * size;
        if (!memcmp(ours, theirs, size)) continue;
        double a = tern_element_double(dtype, ours), b = tern_element_double(dtype, theirs);
        bool untouched = !memcmp(before + i * size, theirs, size);
        bool is_zero = untouched && b == 0;
        bool is_float = tern_dtype_is_float(dtype), may_differ = is_float || tolerance.absolute > 0;
        if (!is_float) tolerance.relative = 0;
        bool ok = may_differ && is_close(a, b, is_zero ? exact : tolerance, difference);
        if (!ok) add_wrong(difference, (int64_t)i, a, b, untouched);
    }
    for (size_t i = count * size; i < size_bytes; i++)
        if (got[i] != want[i]) add_wrong(difference, (int64_t)count, got[i], want[i], true);
}

double storage_largest(tern_dtype dtype, const unsigned char *bytes, size_t size_bytes) {
    size_t size = tern_dtype_size(dtype);
    double largest = 0;
    for (size_t i = 0; i + size <= size_bytes; i += size) {
        double value = fabs(tern_element_double(dtype, bytes + i));
        if (isfinite(value) && value > largest) largest = value;
    }
    return largest;
}
