// SPDX-License-Identifier: Apache-2.0
/* compare: the bytes of a storage after a launch against those that were recorded. */
#ifndef TERN_CLI_COMPARE_H
#define TERN_CLI_COMPARE_H

#include "base/base.h"
#include "cli/tolerance.h"

typedef struct Difference {
    int64_t num_wrong;       /* elements beyond the tolerance */
    int64_t num_touched;     /* of these, those that the recorded launch left alone */
    int64_t first_wrong;     /* element of the storage */
    double got, want;        /* there */
    double max_abs, max_rel; /* over all elements that are numbers on both sides */
} Difference;

/* got: after our launch; before, want: recorded before and after. nan equals nan; an infinity only
 * itself; integers are exact; a 0 that the recorded launch left alone must stay 0. The bytes past
 * the last whole element count as left alone, too. */
void compare_storage(tern_dtype dtype, const unsigned char *got, const unsigned char *before,
                     const unsigned char *want, size_t size_bytes, Tolerance tolerance,
                     Difference *difference);

/* The largest finite |element|, for tolerances that grow with the data. */
double storage_largest(tern_dtype dtype, const unsigned char *bytes, size_t size_bytes);

#endif
