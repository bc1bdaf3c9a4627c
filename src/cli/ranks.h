// SPDX-License-Identifier: Apache-2.0
/* ranks: one command as several processes that share its work: `mpirun -n 4 tern tune ..`, `srun
 * tern bench ..`, or --devices cuda:0,cuda:1, which starts them on this machine.
 *
 * Who is who stands in the launcher's environment. What a rank has found goes to rank 0 through
 * files of a folder below the cache folder that all see, written whole or not at all: so no MPI
 * library, of one ABI or another, is needed, and a rank that dies takes nothing with it but what it
 * was at. Rank 0 prints. */
#ifndef TERN_CLI_RANKS_H
#define TERN_CLI_RANKS_H

#include "cli/cli.h"

#include <pthread.h>

typedef struct Ranks {
    Cli *cli;
    int rank, count; /* of 1: alone, and nothing below does anything */
    int local;       /* which of those on this machine */
    const char *folder, *host;
    bool is_forked; /* by --devices: rank 0 waits for the others' ends */
    VEC(int) children;
    double started_ms;
    /* A thread that shows the others that this rank lives, by its file's time. */
    const char *own_file;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool beats, stop;
} Ranks;

/* Before a context is opened. on_device: gives each rank its GPU, in cli->device. Rank 0 goes on
 * printing, the others say nothing but complaints. An ExitCode, after complaining. */
int ranks_open(Ranks *ranks, Cli *cli, bool on_device);
/* Rank 0 waits for those it has started, and removes the folder. Returns `code`. Of another rank
 * that is only what kept it from giving what it has: launchers end all where one fails. */
int ranks_close(Ranks *ranks, int code);

static inline bool ranks_has(const Ranks *ranks, int item) {
    return item % ranks->count == ranks->rank;
}
/* Shows `bytes` to all under a name and the own rank. False: complained. */
bool ranks_put(const Ranks *ranks, const char *name, Str bytes);
/* What `rank` has put; waits for it. False: interrupted, or it has ended without. */
bool ranks_get(const Ranks *ranks, int rank, const char *name, Str *bytes);
/* Between these, of the ranks on this machine that have this device one alone runs: what is timed
 * is alone. Returns what ranks_unlock wants. */
int ranks_lock(const Ranks *ranks, const char *device);
void ranks_unlock(int lock);

#endif
