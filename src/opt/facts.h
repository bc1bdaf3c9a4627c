// SPDX-License-Identifier: Apache-2.0
/* facts: what facts.c and address.c share; others see opt.h. */
#ifndef TERN_FACTS_H
#define TERN_FACTS_H

#include "opt/opt.h"

__extension__ typedef __int128 Wide;

typedef struct Range {
    int64_t low, high; /* both may occur */
} Range;

typedef struct Reach { /* a range before it is known to fit a type */
    Wide low, high;
} Reach;

struct Facts {
    Arena *arena;
    const Func *fn;
    AxisFacts *axis;       /* by value id */
    const Linear **linear; /* by value id; NULL: not asked for */
    const Value **base;    /* by value id: of a pointer, the parameter it comes from */
    Range *range;          /* by value id */
    bool *nonnegative; /* by value id: in each lane, as a signed number; assumes as axis facts */
    const bool *given; /* by value id: not negative, whatever is known; NULL: none */
    Needs *needs;      /* where parameters are taken to be apart, a launch is asked; or NULL */
    int64_t budget;    /* ops that may still be looked at before loops get no second round */
};

/* ---- address.c ---- */
/* Bases and linear forms of the results of one op other than if, for and while. */
void address_transfer(Facts *facts, const Op *op);
/* Sets the form of a loop-carried value or a result of if, for, while: the value itself with the
 * strides of `like`; none where `like` has none. NULL for `like` of a tile: none. */
void linear_set_opaque(Facts *facts, Value *value, const Value *like);
/* Forgets the form of `into` if that of `from` has other strides; says whether it did. */
bool linear_join(Facts *facts, const Value *into, const Value *from);
/* Forgets the form of a tile with factors, whose definitions may not be visible here. */
void linear_drop_factors(Facts *facts, const Value *value);
/* The lanes of the result are lanes of the first operand. */
bool op_moves_lanes(OpKind kind);

/* ---- range.c ---- */
Range range_of_type(const Type *type);
bool range_is_within(Range inner, Range outer);
Range range_union(Range a, Range b);
Reach range_product(Range a, Range b);
Range range_of_result(const Facts *facts, const Op *op);
Range range_of_counter(const Facts *facts, const Op *loop);

/* ---- views.c: two loads or stores, by pointers of two parameters ---- */
typedef struct Pair Pair;
/* loop: of any two of its turns; NULL: of the same of all. */
Pair *pair_new(Arena *arena, const Op *a, const Op *b, const Op *loop);
void pair_near_only(Pair *pair);      /* apart, where numbers of programs do not cancel */
bool pair_is_known(const Pair *pair); /* false: they may be anywhere */
/* The ints whose ranges are asked for, one after the other; of a loop its index, and its bounds.
 * NULL: no more. */
const Value *pair_asks(const Pair *pair, int *at);
/* With these ranges, by value id, and so many bytes from b's parameter to a's: do they never share
 * a byte? Of any lanes of one program. near: by other distances they do not, either. */
bool pair_is_apart(Pair *pair, const Range *range, int64_t distance, Range *near);

#endif
