// SPDX-License-Identifier: Apache-2.0
/* target: what a back end provides. A back end turns a tile-IR function, after its pipeline's
 * passes, into text; it reports what it cannot do through diag_refused at the op's span. */
#ifndef TERN_TARGET_H
#define TERN_TARGET_H

#include "ir/ir.h"

/* What a back end says of the kernel it generated, for launching and for `tern show --stage facts`.
 */
typedef struct GenFacts {
    int shared_bytes;       /* gpu: static + dynamic shared memory of a block */
    int block_threads;      /* gpu: threads of a block */
    int programs_per_block; /* gpu: several programs packed in one block; else 1 */
    bool may_spin;          /* waits for other programs (cas loop, volatile load in a while) */
    size_t scratch_bytes;   /* cpu: per worker */
    VEC(Str) notes;         /* e.g. "loads of x: 16 bytes a thread" */
} GenFacts;

typedef struct GenOptions {
    const char *arch; /* gpu: "sm_90a"; cpu: "avx512", "avx2", "generic" */
    bool debug;       /* device_assert compiled in */
    bool line_info;
} GenOptions;

typedef struct Target {
    const char *name; /* "c", "ptx" */
    /* Fills out with text; false after diag_error or diag_refused. fn may be changed. */
    bool (*generate)(Func *fn, const GenOptions *options, Diag *diag, Buf *out, GenFacts *facts);
} Target;

extern const Target target_c;
extern const Target target_ptx;

#endif
