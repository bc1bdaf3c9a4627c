// SPDX-License-Identifier: Apache-2.0
/* target: what a back end provides. A back end turns a tile-IR function, after its pipeline's
 * passes, into text; it reports what it cannot do through diag_refused at the op's span. */
#ifndef TERN_TARGET_H
#define TERN_TARGET_H

#include "gen/facts.h"
#include "ir/ir.h"

typedef struct GenOptions {
    const char *arch; /* gpu: "sm_90a"; cpu: a name of base/cpus.def */
    bool debug;       /* device_assert compiled in */
    bool precise;     /* functions of f32 keep subnormal numbers; for gpu */
    bool bounds;      /* accesses are tested, see gen/c/inside.c; for cpu */
    bool maps;        /* who launches the text makes its tensor maps (GenFacts.maps); for gpu */
    bool walks;       /* who launches the text cuts the grid (GenFacts.walks); for gpu */
    bool few;         /* launches are of no more programs than run at a time; for gpu */
    bool line_info;
    const struct Facts *facts; /* opt.h: of the function, where they are known; or NULL */
    struct Needs *needs;       /* opt.h: what each launch is asked; or NULL; for cpu */
} GenOptions;

typedef struct Target {
    const char *name; /* "c", "ptx" */
    /* Fills out with text; false after diag_error or diag_refused. fn may be changed. */
    bool (*generate)(Func *fn, const GenOptions *options, Diag *diag, Buf *out, GenFacts *facts);
} Target;

extern const Target target_c;
extern const Target target_ptx;

#endif
