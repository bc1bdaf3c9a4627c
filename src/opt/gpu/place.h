// SPDX-License-Identifier: Apache-2.0
/* place: what the files of the pass `place` share.
 *
 *     place.c        which layout each tile has, and in which others it is wanted
 *     place_dot.c    where a product lies
 *     place_clone.c  writes it into the types, makes clones and conversions */
#ifndef TERN_OPT_PLACE_H
#define TERN_OPT_PLACE_H

#include "ir/arch.h"
#include "ir/place.h"
#include "opt/opt.h"

typedef struct ValuePlan {
    const Layout *home; /* where it is made; NULL: in whichever layout it is wanted (cheap) */
    const Layout *work; /* of the first result of an op across lanes: where that is made */
    VEC(const Layout *) wanted;
    int unit; /* of a product: UNIT_MMA .. */
} ValuePlan;

typedef struct MemoryClass { /* tiles of one shape and order of dimensions */
    const Type *type;
    int order[MAX_RANK];
    int vector_bits;
} MemoryClass;

typedef struct Placer {
    Arena *arena;
    Func *fn;
    Diag *diag;
    const Facts *facts;
    const Arch *arch;
    int warp_bits, threads;
    LayoutTable layouts;
    ValuePlan *plans; /* by value id */
    Map stores;       /* op -> the layout in which it stores */
    const Layout *rows[MAX_ROWS]; /* of what is put by */
    VEC(MemoryClass) classes;
    VEC(const Layout *) products; /* in which tensor cores leave them */
    int loop_depth;
} Placer;

ValuePlan *place_plan(Placer *p, const Value *value);
const Layout *place_home_or_default(Placer *p, const Value *value);
/* The layout in which an op is made: of its results, of reduce its operands; NULL: scalars. */
const Layout *place_made_in(Placer *p, const Op *op);
const Layout *place_operand_layout(Placer *p, const Op *op, int operand, const Layout *layout);
bool place_is_wanted(Placer *p, const Op *op);
/* Lanes that one access takes: logarithm. */
int place_vector_bits(Placer *p, const Op *op, const Layout *layout);

/* ---- place_dot.c ---- */
/* f8 that the tensor cores take as f16 only; says whether the function changed. */
bool place_widen_dots(Placer *p);
/* Notes its unit in the plan of its result, too. */
const Layout *place_dot_layout(Placer *p, const Op *op);
const Layout *place_multiplied(Placer *p, const Op *op, int operand); /* 0 or 1 */

/* ---- place_clone.c ---- */
void place_write(Placer *p);

#endif
