// SPDX-License-Identifier: Apache-2.0
/* box: which copies bring a box of a tensor; see gpu/box.c. */
#ifndef TERN_BOX_H
#define TERN_BOX_H

#include "opt/opt.h"

enum { BOX_DIMS = 5, BOX_TERMS = 16, BOX_CONDITIONS = 4, BOX_LONGEST = 256, BOX_FACTORS = 3 };

typedef struct BoxNumber { /* number, times parameters */
    int64_t number;
    int num_params;
    Value *params[BOX_FACTORS]; /* in order of their ids */
    bool is_narrow;             /* computed in 32 bits, which it is not to leave */
} BoxNumber;

typedef struct BoxTerm { /* scale * (index % modulo - least); without an index: scale */
    BoxNumber scale;
    Value *index;  /* an int */
    Value *modulo; /* or NULL */
    int64_t least;
} BoxTerm;

typedef struct BoxTerms {
    int count;
    BoxTerm data[BOX_TERMS];
} BoxTerms;

typedef struct BoxDim {
    BoxNumber stride, size; /* elements; size.number 0: no end is looked at */
    int tile_dim;           /* that goes along it, or -1 */
    BoxTerms at;            /* where the box begins: their sum, each scale a number */
} BoxDim;

/* Lane (i, k) of the tile is where the indices into dims are `at`, moved on along those of the
 * tile; 0 outside of 0 .. size, and everywhere where not all conditions are true. */
typedef struct Box {
    Value *base; /* a parameter */
    int rank;
    BoxDim dims[BOX_DIMS];             /* the first: of stride 1 */
    Value *conditions[BOX_CONDITIONS]; /* i1 */
    int num_conditions;
} Box;

typedef VEC(Box) Boxes;

/* The box that a load or a fill reads. NULL: there it is; else why there is none. */
const char *box_find(const Facts *facts, const Op *access, Box *box);
/* Where all fills of a ring copy boxes, fill_box takes their place, with coordinates as scalars.
 * Else *why is why one does not. The facts are fn's before any of its fills was replaced. needs:
 * what is to be true at launch may be added to it; NULL: nothing. */
bool box_ring(Arena *arena, Func *fn, const Facts *facts, const Value *ring, Boxes *boxes,
              Needs *needs, const char **why);
/* The box that a store writes, and its coordinates, as scalars before it. NULL: there it is; else
 * why there is none, and nothing was built. */
const char *box_store(Func *fn, const Facts *facts, Op *store, Needs *needs, Box *box, Value **at);

#endif
