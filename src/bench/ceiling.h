// SPDX-License-Identifier: Apache-2.0
/* ceiling: when the rounds that measure memory are enough. A noisy neighbour can only take away:
 * the best round counts, and it is believed when another one gave the same. */
#ifndef TERN_CEILING_H
#define TERN_CEILING_H

#include "tern.h"

typedef struct MemoryRounds {
    double copy, read; /* bytes/s, the best so far */
    int rounds;
    bool is_doubtful;
} MemoryRounds;

/* Takes one round; true: enough, and is_doubtful says whether to believe it. */
bool memory_round(MemoryRounds *rounds, double copy, double read);

#endif
