// SPDX-License-Identifier: Apache-2.0
/* tune: what tern tune knows, for its parts: the space and the answer (tune.c), whether candidates
 * are right (tune_try.c), the race, and several ranks that share it (tune_race.c). */
#ifndef TERN_CLI_TUNE_H
#define TERN_CLI_TUNE_H

#include "cli/bind.h"
#include "cli/progress.h"
#include "cli/ranks.h"

typedef struct Entry {
    const char *choice, *name; /* NAME=VALUE a line; "BLOCK=1024 num_warps=4" */
    Cli cli;
    Bound bound;
    bool is_open;
    tern_argument *arguments;
    int num_arguments;
    int owner;      /* the rank whose it is */
    bool is_wanted; /* by tune_try; then, by the race */
    int group;      /* of those with the same results: the first one's index */
    tern_candidate_state state;
    const char *words;
    unsigned char *
        *restored; /* of each argument what it gets before a sample; NULL: it is left alone */
} Entry;

typedef struct Tune {
    Cli *cli;
    const char *operand;
    Bound base; /* the context, the module; of the arguments only the key is made */
    const char *key;
    tern_autotune autotune;
    VEC(Entry) entries;
    double limit_s, margin, max_time_ms;
    bool hot;
    Progress progress;
    Ranks ranks;
    tern_tuning tuning;
} Tune;

/* Tries all entries that are wanted: those that end READY are open here. */
int tune_try(Tune *tune);
/* Who of those that are open here and READY has the same results: sets entry->group, of each that
 * is not grouped yet, and of the groups' first ones. */
void tune_group(Tune *tune);
/* What most have is right: the others become WRONG. */
void tune_agree(Tune *tune);
/* All of it, with the other ranks; tune->tuning is the answer, on rank 0. An ExitCode. */
int tune_run(Tune *tune);

#endif
