// SPDX-License-Identifier: Apache-2.0
/* sweep: what sweep.c keeps and sweep_files.c writes. */
#ifndef TERN_SWEEP_H
#define TERN_SWEEP_H

#include "base/base.h"
#include "tern.h"

typedef struct SweepCell {
    bool present;
    double y, low, high; /* NaN: none */
    const char *failed, *where;
    bool has_timing;
    tern_timing timing;
    double bytes, flops; /* 0: not known */
} SweepCell;

typedef struct SweepRow {
    double x[TERN_MAX_X];
    SweepCell *cells; /* one a line */
} SweepRow;

struct tern_sweep {
    jmp_buf oom;
    Arena *arena;
    tern_sweep_options options;
    tern_peaks peaks; /* options.peaks points here, or nowhere */
    const char **x_names, **line_names;
    VEC(SweepRow) rows;
    const char *message;
};

/* NAME without what cannot be in a file's name. */
const char *sweep_file_name(tern_sweep *sweep);
/* The texts, in the sweep's arena; they unwind to sweep->oom. */
Str sweep_text_csv(tern_sweep *sweep, bool full);
Str sweep_text_gnuplot(tern_sweep *sweep);
Str sweep_text_roofline(tern_sweep *sweep); /* empty: no point has bytes, operations and a time */
int line_dash(const char *dash);            /* gnuplot's number of it; 0: unknown */
/* Parts of scripts: the head up to 'set output', quoted text, the lines' looks. */
void script_head(Buf *out, const char *file);
void script_quoted(Buf *out, const char *text);
void script_lines(Buf *out, const tern_sweep *sweep);

#endif
