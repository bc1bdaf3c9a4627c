// SPDX-License-Identifier: Apache-2.0
/* ceilings: a result against what the device reaches at best: cold runs against memory, hot ones
 * against the caches where they fit there. */
#ifndef TERN_CLI_CEILINGS_H
#define TERN_CLI_CEILINGS_H

#include "cli/measure.h"

typedef struct CeilingWords {
    const char *impossible; /* NULL: the result may be */
    const char *doubt;      /* NULL: none */
} CeilingWords;

/* Fills the peaks, share and ceiling of what was measured. A result above its ceiling has the
 * ceiling measured again, first of all, unless request->keeps_peaks. Words go to `arena`. */
CeilingWords ceilings_judge(Arena *arena, tern_context *context, const MeasureRequest *request,
                            Measured *measured);

#endif
