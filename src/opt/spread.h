// SPDX-License-Identifier: Apache-2.0
/* spread.h: what the pass spread is made of. */
#ifndef TERN_SPREAD_H
#define TERN_SPREAD_H

#include "opt/opt.h"

/* ---- varying.c ---- */
/* By value id: threads of one block may have different values of it. Of a value made in a loop or
 * an arm of an if: of the threads that are there. */
bool *func_varying(Arena *arena, const Func *fn);

/* ---- spread.c and its parts ---- */

/* The threads for which an op is meant. */
typedef struct Mask {
    Value *lanes;   /* a tile of i1; NULL: all lanes of the tile */
    bool is_some;   /* there is one */
    bool is_living; /* all threads of the block */
} Mask;

typedef struct Spread {
    PassCtx *px;
    Func *fn;
    Builder b; /* of the function as it will be */
    const bool *varying;
    const bool *uniform; /* by value id: none varies */
    int *uses;           /* by value id: of thread form */
    Value **now;         /* by value id of thread form: what it became */
    int rank, shape[MAX_RANK], lanes;
    int depth;          /* of regions of thread form */
    Value *ids[3];      /* threadIdx.x, y, z */
    Value *lane;        /* the thread's place in the tile */
    Value *living;      /* which lanes are threads; NULL: all */
    const Op *top_last; /* the last op of what makes these */
    Value *missed; /* pointers to a byte of each thread: it was not at a barrier; NULL: none yet */
    VEC(Op *) barriers; /* that all living threads come to */
} Spread;

const Type *spread_type(const Spread *s, const Type *lane); /* a tile with a lane for each thread */
Value *spread_tile(Spread *s, Value *value);                /* itself, or the scalar in each lane */
Value *spread_any(Spread *s, Value *lanes);                 /* scalar: is one of them 1 */
Mask spread_under(Spread *s, Mask mask, Value *condition, bool is);
void spread_region(Spread *s, const Region *region, Mask mask); /* without its yield */

/* ---- spread_one.c ---- */
/* The first arm of an if that one thread alone takes; its results as tiles. False: it is
 * another. */
bool spread_one(Spread *s, const Op *op, Mask mask, Value **values);

/* ---- spread_loop.c ---- */
void spread_for(Spread *s, const Op *op, Mask mask);
void spread_while(Spread *s, const Op *op, Mask mask);

/* ---- spread_warp.c ---- */
void spread_shuffle(Spread *s, const Op *op);
void spread_vote(Spread *s, const Op *op, Mask mask);
void spread_active(Spread *s, const Op *op, Mask mask);

/* ---- spread_memory.c ---- */
void spread_memory(Spread *s, const Op *op, Mask mask);
void spread_alloc(Spread *s, const Op *op);
void spread_barrier(Spread *s, Mask mask);
void spread_barriers_end(Spread *s);

#endif
