// SPDX-License-Identifier: Apache-2.0
/* pieces: what the pass of that name asks of a function's tiles: which of their dimensions are one,
 * so that a piece of one is a piece of all of them, and which may be cut (dims.c). */
#ifndef TERN_PIECES_H
#define TERN_PIECES_H

#include "opt/opt.h"

/* Dimensions of values are one if an op ties them lane by lane; a number stands for all of them. */
typedef struct Dims Dims;
Dims *dims_find(Arena *arena, const Func *fn);
/* The number of a tile's dimension; -1 where it has one lane. */
int dims_of(const Dims *dims, const Value *value, int dim);
/* Which dimension of the value has this number; -1: none. */
int dims_at(const Dims *dims, const Value *value, int number);
typedef VEC(int) DimNumbers;
DimNumbers dims_free(Arena *arena, const Dims *dims, const Func *fn); /* those that do not stay */
bool dims_touch(const Dims *dims, const Op *op, int number); /* an operand or a result has it */
/* It is stored, or reduced along it. */
bool dims_end_at(const Dims *dims, const Op *op, int number);
/* What there is to know before tiles are cut along one. */
typedef struct Cut {
    const Func *fn;
    const Dims *dims;
    int number;
    int size, lanes; /* of the dimension, of the largest tile with it */
    int least_bytes; /* of a lane of what is loaded with it */
    bool fits;       /* all that has it can be made anew, or is an end */
    bool reduced;    /* there is a reduction along it, or a scan */
    bool scanned;    /* a scan has it */
    bool fast;       /* it is a tile's last of several */
    bool of_rows;    /* it is another one */
    bool narrow;     /* it is the last, and pieces would be of few neighbours in memory */
} Cut;
Cut dims_cut(const Dims *dims, const Func *fn, int number); /* but for `narrow` */

/* Is it of one program, rather than of all? */
bool pieces_of_program(Arena *scratch, const Value *value);

/* live.c: what a thread has of tiles at each op. */
typedef struct Live {
    const Map *order;    /* of ops, from 1 on */
    const Dims *dims;    /* where a number is given */
    int threads, number; /* of tiles with this dimension; -1: of all */
    bool *is_costly;     /* set, by value id: not made of indices alone */
    int *last;           /* by value id: the last op that reads it */
    int *change;         /* by op: registers, in bytes a thread, that are live from it on */
} Live;
int live_most(Arena *scratch, Func *fn, Live *live); /* registers, at most */
int bytes_a_thread(int threads, const Type *type);
int registers_a_thread(int threads, const Type *type);

/* A write by one parameter, and a load by another that pieces make again behind it. */
typedef struct Meet {
    const Op *write, *load;
    bool together; /* of the same lanes it comes first */
} Meet;
/* Do they not meet, or is each launch asked? number: of the dimension that is cut. (meets.c) */
bool meets_never(PassCtx *px, const Facts *facts, const Dims *dims, int number, const Meet *meet);

/* May the sum `total` be made in the loop over pieces that makes the maximum `most`? (online.c) */
bool online_follows(const Op *most, const Op *total);
/* Of what is reduced by value: of each `fold` lanes one is left, so that few are carried. */
enum { FOLD = 4 }; /* of a piece */
void fold_lanes(Builder *b, const Op *reduce, int fold, Value **values);
/* A piece x of what `most` is made of comes to maxima and sums so far; NULL: it is the first. */
void online_turn(Builder *b, const Op *most, const Op *total, Value *x, Value *so_far[2]);
/* Of these, and of what is subtracted, which stands before it, `total` is reduced. */
void online_end(Func *fn, Op *total, Value *so_far[2]);

typedef VEC(Op *) Ops;
bool ops_have(const Ops *ops, const Op *op);

/* scans.c: a scan along the dimension that is cut. */
enum { SCANS_FORWARDS = 1, SCANS_BACKWARDS, SCANS_BOTH_WAYS };
bool scan_is_along(const Dims *dims, const Op *op, int number);
/* Where the text of scans is long, or what threads tell each other has no room, or much would be
 * spilled, as a thread has so many registers: how many lanes it should have of a piece; else 0:
 * they stay whole. */
int scans_lanes(PassCtx *px, Func *fn, int threads, int registers, bool spills);
int scans_order(const Dims *dims, const Ops *ops, int number); /* of those along it; 0: none is */
/* How many values those before `end` have; NULL: all. */
int scans_count(const Dims *dims, const Ops *ops, int number, const Op *end);
/* `piece` is the scan of a piece: its results with what was before, which then is all up to its
 * end. before: NULLs for the first. */
void scan_go_on(Builder *b, const Op *scan, Op *piece, Value **before, Value **results);
/* What is reduced, lane by lane, of the pieces before (left) comes to that of one more (right);
 * number: of the dimension along which those before lie; -1: they lie behind. */
void reduce_combine(Builder *b, const Dims *dims, int number, const Op *reduce, Value *const *left,
                    Value **right);

typedef struct Nest {
    Op *before;     /* it stands before this op */
    Ops ends;       /* stores and reductions, in order */
    Ops ops;        /* what they are made of, they too, in order */
    Ops behind;     /* what is made of its reductions and stood between: moves behind it */
    int order;      /* of its scans: the pieces' */
    const Op *most; /* one of its ends, and .. */
    Op *total;      /* .. the sum that is made with it (online.c), which moves behind it; or NULL */
} Nest;

/* exp(of) in the loop of such a number, where it is but of a sum that is 1 at least: as exp2, which
 * has no subnormal numbers, and so half of the instructions. NULL: it is not. (online.c) */
Value *online_rough(Builder *b, Nest *const *nests, int number, const Op *power, Value *of);

/* A quotient by a sum that is 1 at least, as a product. NULL: it is none. (online.c) */
Value *online_inverse(Builder *b, Nest *const *nests, int number, const Op *quotient, Value *x,
                      Value *y);

/* cluster.c: the blocks that a program is, with rows so held that others have room beside them. */
typedef struct Cluster {
    PassCtx *px;
    Func *fn;
    Facts *facts;
    Ops ops;          /* of all loops over pieces */
    Ops held;         /* those loads whose tiles are held from loop to loop */
    bool chosen;      /* or threads and lanes say nothing */
    int blocks;       /* 1: it is one */
    int threads;      /* of a block: as given; of several they are more blocks, instead; .. */
    int lanes;        /* .. of a piece, that each has */
    int beside;       /* blocks of a multiprocessor, at most */
    int groups;       /* of `blocks`: one for each row of a tile; 1: it has one */
    bool tells;       /* what they reduce */
    bool rereads;     /* weights that several loops read are not held */
    bool is_straight; /* what reads pieces again is no loop */
    Ops others;       /* stores that are of no piece */
} Cluster;
/* held: results of those loads. */
void cluster_choose(Cluster *c, int num_nests, Nest *const *nests, const Map *held);
/* Where rows of a tile have nothing to do with each other, each may be a block's. */
void cluster_choose_rows(Cluster *c, int num_nests, Nest *const *nests, int rows);
void cluster_begin(const Cluster *c); /* before anything is written */
/* What one block writes and another accesses by another parameter, of which each launch is asked.
 * number: of the dimension that is cut. */
void cluster_ask(const Cluster *c, const Dims *dims, int number);
/* Where a block's piece starts, which is its own or one of those of all blocks. */
Value *cluster_start(const Cluster *c, Builder *b, Value *own, int piece);
/* What the reductions among the ends have become of a block's pieces becomes that of all. */
void cluster_meet(const Cluster *c, Builder *b, const Ops *ends);
void cluster_store(const Cluster *c); /* the others: by one block */
/* weights.c */
void load_weights(Func *fn, int threads);
bool load_weights_of_whole(Func *fn, int threads, int live); /* live: registers of a thread */
void load_ahead(Func *fn, int threads);

#endif
