// SPDX-License-Identifier: Apache-2.0
/* facts: what facts.c and address.c share; others see opt.h. */
#ifndef TERN_FACTS_H
#define TERN_FACTS_H

#include "opt/opt.h"

struct Facts {
    Arena *arena;
    Func *fn;
    AxisFacts *axis;       /* by value id */
    const Affine **affine; /* by value id */
    const Value **base;    /* by value id: of a pointer, the parameter it comes from */
    bool *nonnegative;     /* by value id: in each lane, as a signed number */
    int64_t budget;        /* ops that may still be looked at before loops get no second round */
};

/* Bases and affine forms of the results of one op other than if, for and while. */
void address_transfer(Facts *facts, const Op *op);
/* Of a loop-carried value or a result of if, for, while: the value itself with the strides of
 * `like`; none where `like` has none. NULL for `like` of a tile: none. */
const Affine *affine_opaque(Facts *facts, Value *value, const Affine *like);
bool affine_same_strides(const Affine *a, const Affine *b);
/* No stride has a factor: it stays valid where the factor's definition may not be visible. */
bool affine_has_plain_strides(const Affine *affine);

#endif
