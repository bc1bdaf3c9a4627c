// SPDX-License-Identifier: Apache-2.0
#include "bench/ceiling.h"

#include <math.h>

enum { MOST_ROUNDS = 4 };
static const double agreement = 0.95;
/* Reading alone moves fewer bytes than copying, and is no slower: up to what its sums cost. */
static const double least_read = 0.9;

bool memory_round(MemoryRounds *rounds, double copy, double read) {
    bool agrees = copy >= agreement * rounds->copy && copy * agreement <= rounds->copy &&
                  read >= agreement * rounds->read && read * agreement <= rounds->read;
    rounds->copy = fmax(rounds->copy, copy);
    rounds->read = fmax(rounds->read, read);
    rounds->rounds++;
    rounds->is_doubtful = !agrees || rounds->read < least_read * rounds->copy;
    return !rounds->is_doubtful || rounds->rounds == MOST_ROUNDS;
}
