// SPDX-License-Identifier: Apache-2.0
/* ptxas: NVIDIA's assembler, where one is on PATH: PTX -> machine code, and what it says of it. */
#ifndef TERN_PTXAS_H
#define TERN_PTXAS_H

#include "base/base.h"

typedef enum PtxasResult {
    PTXAS_FINE,
    PTXAS_MISSING, /* none on PATH, or it could not be run: *words say so */
    PTXAS_REFUSED  /* it does not take the text: *words are its own */
} PtxasResult;

/* As the driver does it for a launch: a second time with fewer registers where that pays (cap.h).
 * target: "sm_90a". *words: what `ptxas -v` says. cubin NULL: the machine code is not wanted; with
 * `lines` it says of which line of the source (.loc) it is. Leaves errno and no file behind. */
PtxasResult ptxas_run(Arena *arena, const char *target, Str ptx, bool lines, Str *cubin,
                      Str *words);

/* Of a thread; -1: the words do not say. */
typedef struct PtxasUse {
    int registers, stack_bytes, spill_stores, spill_loads; /* spills: bytes */
} PtxasUse;
PtxasUse ptxas_use(Str words);

#endif
