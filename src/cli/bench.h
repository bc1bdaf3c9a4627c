// SPDX-License-Identifier: Apache-2.0
/* bench: what tern bench knows while it runs, for the part that measures (bench.c) and the part
 * that says it (bench_print.c). */
#ifndef TERN_CLI_BENCH_H
#define TERN_CLI_BENCH_H

#include "cli/gather.h"
#include "cli/progress.h"
#include "cli/range.h"
#include "cli/ranks.h"
#include "cli/runfile.h"

enum { MOST_LINES = 16, MOST_VARIABLES = TERN_MAX_X + 1 };

typedef struct Line {
    const char *name, *device, *operand, *text; /* text: of the variable `line_variable` */
    bool is_apart;                              /* each point in a process of its own */
    const char *description;                    /* of the device, where ranks share the points */
} Line;

typedef struct Unit {
    const char *name;
    bool of_bytes, of_flops; /* neither: a time */
    double scale;
    const char *title;
} Unit;

typedef struct Bench {
    Cli *cli;
    const char *operand;
    Range ranges[TERN_MAX_X];
    int num_ranges, num_points;
    Line lines[MOST_LINES];
    int num_lines;
    Str line_variable; /* empty: lines are devices or kernels */
    const Unit *unit;
    double ceiling;   /* of memory, in the unit; 0: none */
    tern_peaks peaks; /* of --roofline */
    MeasureRequest request;
    tern_sweep *sweep, *spread; /* spread: of --quantiles */
    RunWriter writer;
    Ranks ranks;
    Progress progress;
    double started_ms;
    int num_done, num_failed, first_code;
    VEC(const char *) devices; /* where ranks share the points: which have measured any */
    Buf notes;
    Gathered doubts;
    Measured last;
} Bench;

const char *bench_plot_name(const Bench *bench);

void bench_progress(Bench *bench, const char *where);
/* Keeps what is to be said of a point under the table. */
void bench_note(Bench *bench, const char *where, const Measured *measured);
void bench_print_point(const Measured *measured);
void bench_print_sweep(Bench *bench);

#endif
