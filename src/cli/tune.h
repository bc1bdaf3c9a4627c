// SPDX-License-Identifier: Apache-2.0
/* tune: what tern tune knows, for its parts: the space and the answer (tune.c), whether candidates
 * are right (tune_try.c, tune_apart.c), the race, and several ranks that share it (tune_race.c). */
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
    bool is_heard;  /* tried by the nursery */
    bool is_unlike; /* rank 0: its rank had other bits */
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
    int nursery, from_nursery; /* its process, 0: none; the pipe that it answers through */
    Buf said;                  /* what it has said, */
    int taken;                 /* .. of which so much was taken */
    bool is_nursery;           /* this process is */
    tern_tuning tuning;
} Tune;

/* Opens `device`, reads the space of candidates. An ExitCode. */
int tune_prepare(Tune *tune, const char *device);
/* Before any device is open: keeps a process from which candidates for a GPU are forked, which
 * begins to try this rank's. */
void tune_apart_open(Tune *tune);
void tune_apart_take(Tune *tune, const Entry *entry); /* waits for what came of it */
void tune_apart_close(Tune *tune);
/* Tries all entries that are wanted in processes of their own. */
void tune_try_apart(Tune *tune);
/* Compiles, launches once, looks at what came out. entry->bound is open. */
tern_candidate_state tune_try_one(Tune *tune, Entry *entry, bool checks);
/* What was complained, in one line, without the command's name in front. */
const char *tune_words(Arena *arena, const char *text);
/* Tries all entries that are wanted: those that end READY are open here. */
int tune_try(Tune *tune);
/* Of several ranks: do their devices compute the same? The hash is of what entry's launch gave, 0
 * where it is not open here. tune_devices_put answers rank 0, which asks by tune_devices_agree of
 * those that are unlike, and makes all WRONG where two devices differ. */
uint64_t tune_results_hash(const Entry *entry);
bool tune_devices_put(const Tune *tune);
void tune_devices_agree(Tune *tune);
/* Who of those that are open here and READY has the same results: sets entry->group, of each that
 * is not grouped yet, and of the groups' first ones. */
void tune_group(Tune *tune);
/* What most have is right: the others become WRONG. */
void tune_agree(Tune *tune);
/* All of it, with the other ranks; tune->tuning is the answer, on rank 0. An ExitCode. */
int tune_run(Tune *tune);

#endif
