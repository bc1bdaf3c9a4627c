// SPDX-License-Identifier: Apache-2.0
/* pieces_plan: what is known of a function whose tiles are cut, between what plans the loops over
 * pieces (pieces_plan.c) and what writes them (pieces.c). */
#ifndef TERN_PIECES_PLAN_H
#define TERN_PIECES_PLAN_H

#include "opt/gpu/pieces.h"

typedef struct Pieces {
    PassCtx *px;
    Func *fn;
    Facts *facts;
    const Dims *dims;
    Map order; /* of ops, from 1 on */
    int threads;
    int number; /* of the dimension that is cut */
    int size, piece;
    Cluster cluster; /* whose blocks share the pieces */
    bool has_atomics;
    bool scans;      /* there are any of it */
    bool is_short;   /* registers are; .. */
    int scan_lanes;  /* .. and scans are long (scans_lanes): what has one is cut for that alone */
    bool joins;      /* sums of exponentials are made with their maximum */
    bool *is_costly; /* by value id: not made of indices alone */
    bool may_stow;   /* much would be spilled */
    int first_row;   /* above what is put by already */
    Map stowed;      /* results of loads that are put by -> which, from 1 on */
    bool stows_more; /* than it did when the plan began */
    int *waits;      /* by value id: of which nest it waits for a result */
    const Nest **loaded; /* by value id of loads: in which nest, where there are atomics */
    VEC(Nest *) nests;
    VEC(Meet) meets; /* what is made in another order than it stands in, if it does not meet */
    Nest *open;      /* the last, while it takes ends; or NULL */
    Map held;     /* results of loads that are held from nest to nest -> which one it is, from 1 */
    Map home;     /* .. -> the region of these nests: other nests load for themselves */
    int each;     /* registers of a piece that is held */
    int num_held; /* pieces, the first ones, of which they are: in registers .. */
    int num_kept; /* .. and then in shared memory */
    bool loops;   /* what reads the latter again is a loop .. */
    bool brief;   /* .. even where it loads others, too */
    int first_kept;     /* above the numbers of those that are kept already, .. */
    int64_t first_part; /* .. and of the stores that are parts already */
    bool again;         /* much is read again: the second cache is told what */
    bool holds_narrow;  /* what is held has fewer than 32 bits */
    Map *held_of;       /* for each of these: results of loads -> those of the piece */
    bool failed;
} Pieces;

intptr_t pieces_order(const Pieces *p, const Op *op); /* of ops of the function, from 1 on */
/* The nests of the dimension, and what they must not meet; false: it cannot be cut. */
bool pieces_plan(Pieces *p);
/* Of a load or a scan that is put by: its first result's, from 1 on; else 0. */
int pieces_row(const Pieces *p, const Op *op);
/* Those ops that are no such, or among the ends: a nest makes them, and does not fetch them. */
Ops pieces_made(const Pieces *p, const Ops *ops, const Ops *ends);

#endif
