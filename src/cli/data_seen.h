// SPDX-License-Identifier: Apache-2.0
/* data_seen: values that change what a kernel's time says: denormals, over which most CPUs stumble,
 * and tensors that a kernel changes in place until they hold nothing but zeros, infinities or
 * NaNs. */
#ifndef TERN_CLI_DATA_SEEN_H
#define TERN_CLI_DATA_SEEN_H

#include "cli/bind.h"

typedef struct DataSeen { /* of one tensor; parts of those looked at, in [0, 1] */
    double denormal, zero, infinite, nan;
} DataSeen;

/* What each argument's tensor holds on the host; up to a million elements of each are looked at. */
DataSeen *data_look(Arena *arena, const Bound *bound);
/* Words on argument i: after the first launch, and, with `then`, after all; NULL: nothing to
 * say. */
const char *data_denormal_words(Arena *arena, const Bound *bound, int i, const DataSeen *seen);
const char *data_decay_words(Arena *arena, const Bound *bound, int i, const DataSeen *first,
                             const DataSeen *then);

#endif
