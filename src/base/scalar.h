// SPDX-License-Identifier: Apache-2.0
/* scalar: the types of numbers in memory, dtypes.def's TYPE rows in their order, for those who have
 * bits and no IR. An int's sign is its user's to know. */
#ifndef TERN_SCALAR_H
#define TERN_SCALAR_H

#include "base/float.h"

typedef enum ScalarKind {
#define TYPE_INT(kind, ...)   SCALAR_##kind,
#define TYPE_FLOAT(kind, ...) SCALAR_##kind,
#include "base/dtypes.def"
    NUM_SCALAR_KINDS
} ScalarKind;

int scalar_bits(ScalarKind kind); /* I1: 1 */
int scalar_bytes(ScalarKind kind);
bool scalar_is_float(ScalarKind kind);
double scalar_to_double(ScalarKind kind, uint64_t bits);    /* of a float */
uint64_t scalar_from_double(ScalarKind kind, double value); /* of a float; to nearest even */
int64_t scalar_to_int(ScalarKind kind, uint64_t bits);      /* sign-extended; I1: 0 or 1 */

#endif
