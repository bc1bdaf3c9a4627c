// SPDX-License-Identifier: Apache-2.0
/* range: the values of a sweep's variable.
 *
 *     n=2^12..2^28     powers of the base      n=256..4096:256    steps of 256
 *     n=1000..64000:*4 factors of 4            n=1..8             steps of 1
 *     n=128,781,4096   these */
#ifndef TERN_CLI_RANGE_H
#define TERN_CLI_RANGE_H

#include "base/base.h"

enum { MOST_POINTS = 4096 };

typedef struct Range {
    Str name;
    bool is_log; /* powers or factors */
    VEC(int64_t) values;
} Range;

/* False: *why says what is wrong. */
bool range_parse(Arena *arena, const char *text, Range *range, Str *why);

#endif
