// SPDX-License-Identifier: Apache-2.0
/* points: the launches that `tern check` makes of the one that it was given. What the user wrote in
 * terms of a number (x=randn(n), --grid 'cdiv(n,BLOCK)') still holds when the number is another: so
 * it is tried at the edges of blocks. What he wrote as stride(x,0) lets x lie otherwise in memory.
 * Nothing else is varied: a launch that is wrong by itself finds mistakes in a right kernel. */
#ifndef TERN_CLI_POINTS_H
#define TERN_CLI_POINTS_H

#include "cli/bind.h"

typedef struct Point {
    const char *words;                         /* "n = 257"; "the arguments given" */
    Cli cli;                                   /* with other values of -a */
    bool is_given, varies_size, is_of_nothing; /* a size is 0 */
} Point;

typedef struct Points {
    VEC(Point) list;
    VEC(const char *) fixed; /* ints in terms of which no tensor is written: not varied */
} Points;

/* -x NAME=N: numbers that are no parameters; before bound_values. An ExitCode, after
 * complaining. */
int points_bind(Bound *bound);
/* bound: the launch given, its values taken. The first point is that launch. */
void points_make(const Bound *bound, Points *points);

#endif
