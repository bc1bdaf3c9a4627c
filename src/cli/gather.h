// SPDX-License-Identifier: Apache-2.0
/* gather: what speaks against the points of a benchmark, each thing once, with the points that it
 * is said of. Words that differ in their numbers alone are one thing. */
#ifndef TERN_CLI_GATHER_H
#define TERN_CLI_GATHER_H

#include "base/base.h"

typedef struct GatherRow {
    const char *words;
    VEC(const char *) where;
} GatherRow;

typedef struct Gathered {
    Arena *arena;
    VEC(GatherRow) rows;
} Gathered;

extern const char gather_between[]; /* what stands between two doubts of a text */

/* `doubts` of a point, as a Measured holds them; a point counts once. */
void gather_add(Gathered *gathered, const char *where, Str doubts);
/* A line each: "trust   noisy: .. (n=8 cpu, n=16 cpu; 2 of 17 points)". */
void gather_print(Buf *out, const Gathered *gathered, int num_points);

#endif
