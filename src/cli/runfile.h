// SPDX-License-Identifier: Apache-2.0
/* runfile: a benchmark's results, one JSON object a line, each written whole as it is known:
 *
 *     {"tern_run":1, ..}                          the first: what was measured, on what
 *     {"point":{"n":4096},"line":"cpu","process":0,"status":"ok","median_ms":.., ..}
 *     {"end":true}                                the last, when nothing cut it short
 *
 * A file cut in its middle loses its last line; several files one after another are one file of
 * several processes. */
#ifndef TERN_CLI_RUNFILE_H
#define TERN_CLI_RUNFILE_H

#include "cli/measure.h"

#include <stdio.h>

enum { RUN_FORMAT = 1 };

/* ---- writing: runwrite.c ---- */

typedef struct RunWriter {
    const Cli *cli;
    FILE *file; /* NULL: nowhere */
    const char *path;
    bool to_stdout, failed; /* failed: complained, once */
} RunWriter;

bool run_writer_open(RunWriter *writer, const Cli *cli, const char *folder, const char *name);
void run_write_line(RunWriter *writer, const char *line); /* with its newline */
bool run_writer_close(RunWriter *writer);                 /* false: not all was written */
const char *run_header(Arena *arena, const Cli *cli, const char *operand, bool interleaved);
const char *run_point(Arena *arena, const MeasureRequest *request, const char *line_name,
                      int process, const Measured *measured);

/* ---- reading: runread.c ---- */

typedef struct RunPoint {
    const char *key;          /* "n=4096 cpu": the same in files that can be compared */
    VEC(double) medians;      /* ms, one a process */
    const char *failed;       /* why, when no process measured it */
    VEC(const char *) doubts; /* of each process that has any */
} RunPoint;

typedef struct RunFile {
    Arena *arena;
    bool is_interleaved, has_end;
    int num_headers, num_processes;
    const char *device;
    const char *cut; /* words, when its last line is not whole */
    VEC(RunPoint) points;
} RunFile;

/* Adds a line of text. False: *why. */
bool run_read_line(RunFile *run, const char *line, size_t length, int number, Str *why);
bool run_read(Arena *arena, const char *path, RunFile *run, Str *why);
RunPoint *run_find(const RunFile *run, const char *key);

#endif
