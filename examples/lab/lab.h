/* SPDX-License-Identifier: Apache-2.0 */
/* lab: what the measurements of examples/lab share: opening the device, printing and saving a
 * sweep. Each program takes the folder for its files (default: .) and uses the device of
 * $TERN_DEVICE, else cuda where there is one, else cpu. */
#ifndef LAB_H
#define LAB_H

#include "tern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline tern_context *lab_open(void) {
    char why[1024];
    tern_context *context = tern_open(NULL, NULL, why, sizeof why);
    if (!context) {
        fprintf(stderr, "%s\n", why);
        exit(4);
    }
    printf("device: %s (%s)\n", tern_device_name(context), tern_device_description(context));
    return context;
}

static inline void lab_need(tern_context *context, bool fine) {
    if (fine) return;
    fprintf(stderr, "%s\n", tern_message(context));
    exit(4);
}

/* Prints the table, writes the files, frees the sweep. */
static inline int lab_finish(tern_sweep *sweep, int argc, char **argv) {
    char *table = tern_sweep_table(sweep);
    fputs(table ? table : "no memory\n", stdout);
    tern_free(table);
    tern_status status = tern_sweep_save(sweep, argc > 1 ? argv[1] : ".", NULL);
    printf("%s\n", tern_sweep_message(sweep));
    tern_sweep_free(sweep);
    return status ? 4 : 0;
}

/* A launch of a kernel over buffers and ints. */
typedef struct LabLaunch {
    tern_kernel *kernel;
    uint32_t grid[3];
    tern_argument arguments[8];
    int count;
} LabLaunch;

static inline tern_status lab_launch(void *user, tern_stream *stream) {
    LabLaunch *launch = user;
    return tern_launch(stream, launch->kernel, launch->grid, launch->arguments, launch->count);
}

/* Floats from a fixed generator in [0, 1). */
static inline tern_buffer *lab_floats(tern_context *context, size_t count) {
    tern_buffer *buffer = tern_alloc(context, count * 4);
    float *values = malloc(count * 4 + 1);
    uint32_t state = 1;
    lab_need(context, buffer && values);
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        values[i] = (float)(state >> 8) / 16777216.0f;
    }
    lab_need(context, tern_write(buffer, 0, values, count * 4) == TERN_OK);
    free(values);
    return buffer;
}

static inline tern_point lab_point(double x, int line, const tern_timing *timing) {
    tern_point point = {
        .x = {x}, .line = line, .y = timing->median, .y_min = timing->q20, .y_max = timing->q80};
    point.timing = timing;
    return point;
}

#endif
