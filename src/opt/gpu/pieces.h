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
/* Some op needs all of it at once, or takes two of them crosswise. */
bool dims_stay(const Dims *dims, int number);
/* Which dimension of the value has this number; -1: none. */
int dims_at(const Dims *dims, const Value *value, int number);
bool dims_touch(const Dims *dims, const Op *op, int number); /* an operand or a result has it */

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

#endif
