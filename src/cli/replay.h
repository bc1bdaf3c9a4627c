// SPDX-License-Identifier: Apache-2.0
/* replay: what happened to one recorded launch. */
#ifndef TERN_CLI_REPLAY_H
#define TERN_CLI_REPLAY_H

#include "cli/case.h"
#include "cli/cli.h"

typedef enum ReplayStatus {
    REPLAY_OK,
    REPLAY_MISMATCH,
    REPLAY_REFUSED,
    REPLAY_ERROR,
    REPLAY_SKIPPED,
    NUM_REPLAY_STATUS
} ReplayStatus;

/* Goes through a pipe from the process that replays to the one that reports. */
typedef struct ReplayResult {
    int index; /* of the case; -1: the device was opened, reason describes it; -2: it was not */
    ReplayStatus status;
    int exit_code; /* what this case alone would make the command return */
    bool compared, timed;
    double max_abs, max_rel, ms;
    int line;
    char file[512], reason[1024];
} ReplayResult;

typedef struct ReplayOptions {
    const Cli *cli; /* for --global */
    const char *root;
    double relative, absolute; /* negative: from the table */
    bool time;
    tern_context
        *against; /* what it computes is wanted, not what was recorded; NULL: what was recorded */
} ReplayOptions;

void replay_case(tern_context *context, const char *folder, const ReplayOptions *options,
                 ReplayResult *result);

#endif
