// SPDX-License-Identifier: Apache-2.0
/* facts: what a back end says of the kernel it generated, for launching and for `tern show --stage
 * facts`. */
#ifndef TERN_GEN_FACTS_H
#define TERN_GEN_FACTS_H

#include "base/base.h"
#include "gen/map.h"

enum { WALK_PARAMS = 3 }; /* of such a text, i32, behind all others: the size of the grid */

typedef struct GenFacts {
    int shared_bytes;     /* gpu: static + dynamic shared memory of a block */
    int extern_bytes;     /* gpu: shared memory beside it that the launch gives; static not known */
    int block[3];         /* gpu: threads of a block along x, y, z */
    int cluster;          /* gpu: blocks side by side that a program is, along x; 0: it is one */
    bool is_cooperative;  /* all programs are to run at the same time: they meet */
    bool may_spin;        /* waits for other programs (cas loop, volatile load in a while) */
    size_t scratch_bytes; /* cpu: per worker */
    size_t prelude_bytes; /* cpu: of the text, what comes before the kernel (gen/c/join.h) */
    VEC(Str) notes;       /* e.g. "loads of x: 16 bytes a thread" */
    int walks; /* gpu: blocks of a multiprocessor that walk over all programs; 0: each runs one */
    int few;   /* .. each of which runs one, where there are no more; where others walk: 1, or 0:
                * such a text would not be faster */
    VEC(MapRecipe) maps; /* gpu: hidden parameters of the text, behind all others */
    struct Needs *needs; /* gpu: of launches with these maps, see kernel_allows; NULL: nothing */
} GenFacts;

static inline int facts_threads(const GenFacts *facts) {
    return facts->block[0] * facts->block[1] * facts->block[2];
}

#endif
