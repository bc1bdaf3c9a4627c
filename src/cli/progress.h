// SPDX-License-Identifier: Apache-2.0
/* progress: how far a long command is, on stderr. A terminal's line is redrawn; into a pipe or file
 * goes a line every few seconds, the first after as long (TERN_PROGRESS=SECONDS; 0: none). */
#ifndef TERN_CLI_PROGRESS_H
#define TERN_CLI_PROGRESS_H

#include "cli/cli.h"

#include <pthread.h>

typedef struct Progress {
    const Cli *cli;
    bool is_silent, is_terminal, is_drawn;
    double every_ms, started_ms, next_ms;
    /* Of a watch: a thread of its own that says the words of old when nothing new is said. */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool is_watching, stop;
    char words[256];
} Progress;

void progress_start(Progress *progress, const Cli *cli);
/* Also speaks while the caller is busy; not beside what is timed. */
void progress_watch(Progress *progress, const char *words);
void progress_say(Progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Who waits by poll needs no watch: milliseconds until the words of old are due; -1: never. */
int progress_wait(const Progress *progress);
void progress_repeat(Progress *progress); /* says them, if they are due */
void progress_end(Progress *progress);    /* clears a terminal's line */

/* Whether words are due at this time; the next are then due `every` later. */
bool progress_is_due(Progress *progress, double now_ms);

#endif
