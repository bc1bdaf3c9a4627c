// SPDX-License-Identifier: Apache-2.0
/* work: how many bytes a launch asks memory for and how many floating-point operations it does,
 * counted from the IR, program by program, without running it. */
#ifndef TERN_WORK_H
#define TERN_WORK_H

#include "base/base.h"

struct Func; /* ir.h */

typedef struct WorkBytes {
    uint64_t loaded, stored;
} WorkBytes;

typedef struct Work {
    WorkBytes *by_param; /* num_params, and one more: through pointers that are no parameter's */
    uint64_t flops;
    bool bytes_exact, flops_exact; /* false: at most this */
} Work;

/* args[i]: the bits of the i-th parameter; only those of integers are looked at. NULL when counted;
 * else why it cannot be ("a loop ends by what was loaded"). */
const char *work_count(Arena *arena, const struct Func *fn, const uint32_t grid[3],
                       const uint64_t *args, Work *work);

#endif
