// SPDX-License-Identifier: Apache-2.0
/* tolerance: how far two right results may be apart. The only such table of the command. */
#ifndef TERN_CLI_TOLERANCE_H
#define TERN_CLI_TOLERANCE_H

#include "cli/flow.h"

/* What a kernel does that makes results depend on order or on the machine's shortcuts; a kernel
 * that does several counts as the last of them. */
typedef enum OpClass {
    CLASS_ELEMENTWISE,
    CLASS_REDUCTION, /* reduce, scan, or a loop that may carry a sum */
    CLASS_ATOMIC,    /* sums in no fixed order, from one run to the next */
    CLASS_DOT,
    NUM_OP_CLASSES
} OpClass;

typedef struct Tolerance {
    double relative,
        absolute; /* |got - want| <= absolute + relative * |want|, as NumPy's allclose */
} Tolerance;

OpClass class_of_ir(const char *ir_text);
const char *class_name(OpClass op_class);
/* Integers and bool: 0, 0. The absolute part is for data of order 1: multiply it by the largest
 * number among the results, because what cancellation leaves is a part of the terms, not of the
 * sum. */
Tolerance tolerance_of(tern_dtype dtype, OpClass op_class);
/* Of numbers of `dtype` that were made so: a float that was rounded to a narrower one on its way is
 * compared as that, ints that come from rounded floats may be 1 apart. `largest`: of the results,
 * which the absolute part is multiplied by. */
Tolerance tolerance_made(tern_dtype dtype, OpClass op_class, Origin origin, double largest);

#endif
