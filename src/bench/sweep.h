// SPDX-License-Identifier: Apache-2.0
/* sweep: what sweep.c keeps and sweep_files.c writes. */
#ifndef TERN_SWEEP_H
#define TERN_SWEEP_H

#include "base/base.h"
#include "tern.h"

typedef struct SweepCell {
    bool present;
    double y, low, high; /* NaN: none */
    const char *failed;
    bool has_timing;
    tern_timing timing;
} SweepCell;

typedef struct SweepRow {
    double x[TERN_MAX_X];
    SweepCell *cells; /* one a line */
} SweepRow;

struct tern_sweep {
    jmp_buf oom;
    Arena *arena;
    tern_sweep_options options;
    const char **x_names, **line_names;
    VEC(SweepRow) rows;
    const char *message;
};

/* NAME without what cannot be in a file's name. */
const char *sweep_file_name(tern_sweep *sweep);
/* The texts, in the sweep's arena; they unwind to sweep->oom. */
Str sweep_text_csv(tern_sweep *sweep, bool full);
Str sweep_text_gnuplot(tern_sweep *sweep);
void number_print(Buf *out, double value); /* five figures, without an exponent where it can */

#endif
