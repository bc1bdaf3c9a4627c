// SPDX-License-Identifier: Apache-2.0
/* launch_bench: host time of tern_launch beside the driver's own cuLaunchKernel.
 *
 *     launch_bench bench/launch_kernels.py [--json]
 *
 * Both launch the same machine code on the same stream. A burst is enqueued after waiting, so that
 * no full queue (about 1000 launches) is measured; the two take turns, and the fastest and the
 * median burst are given in microseconds a launch. The last rows replay the burst as a graph. */
#include "device/cuda/driver.h"
#include "tern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 60, MOST_ARGUMENTS = 19 };

typedef struct Launcher {
    tern_context *context;
    tern_stream *stream;
    tern_kernel *kernel;
    tern_argument arguments[MOST_ARGUMENTS];
    int count;
    CudaDriver driver;
    CudaFunction function;
    uint64_t values[MOST_ARGUMENTS];
    void *pointers[MOST_ARGUMENTS];
} Launcher;

typedef struct Row {
    char name[64];
    double fastest_us, median_us;
} Row;

_Noreturn static void die(const char *what, const char *why) {
    fprintf(stderr, "launch_bench: %s: %s\n", what, why ? why : "");
    exit(4);
}

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- the two ways ---- */

static void with_tern(Launcher *l, int burst) {
    const uint32_t grid[3] = {1, 1, 1};
    for (int i = 0; i < burst; i++)
        if (tern_launch(l->stream, l->kernel, grid, l->arguments, l->count))
            die("tern_launch", tern_message(l->context));
}

static void with_driver(Launcher *l, int burst) {
    CudaStream stream = tern_stream_handle(l->stream);
    for (int i = 0; i < burst; i++)
        if (l->driver.launch(l->function, 1, 1, 1, 128, 1, 1, 0, stream, l->pointers, NULL))
            die("cuLaunchKernel", "failed");
}

static double one_burst(Launcher *l, void (*way)(Launcher *, int), int burst) {
    if (tern_stream_synchronize(l->stream)) die("synchronize", tern_message(l->context));
    double start = now_us();
    way(l, burst);
    return (now_us() - start) / burst;
}

static void summarise(Row *row, double *samples) {
    qsort(samples, ROUNDS, sizeof *samples, compare);
    row->fastest_us = samples[0];
    row->median_us = samples[ROUNDS / 2];
}

static int measure(Launcher *l, int burst, Row *rows) {
    double tern[ROUNDS], driver[ROUNDS];
    with_tern(l, 32);
    with_driver(l, 32);
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 2)
            tern[i] = one_burst(l, with_tern, burst), driver[i] = one_burst(l, with_driver, burst);
        else
            driver[i] = one_burst(l, with_driver, burst), tern[i] = one_burst(l, with_tern, burst);
    }
    snprintf(rows[0].name, sizeof rows[0].name, "cuLaunchKernel, %d arguments, bursts of %d",
             l->count, burst);
    snprintf(rows[1].name, sizeof rows[1].name, "tern_launch, %d arguments, bursts of %d", l->count,
             burst);
    summarise(&rows[0], driver);
    summarise(&rows[1], tern);
    return 2;
}

/* Time from the call until the device is done, a launch. */
static int measure_graph(Launcher *l, int burst, Row *row) {
    double samples[ROUNDS];
    if (tern_graph_begin(l->stream)) die("tern_graph_begin", tern_message(l->context));
    with_tern(l, burst);
    tern_graph *graph = tern_graph_end(l->stream);
    if (!graph) die("tern_graph_end", tern_message(l->context));
    for (int i = -3; i < ROUNDS; i++) {
        double start = now_us();
        if (tern_graph_launch(graph, l->stream) || tern_stream_synchronize(l->stream))
            die("tern_graph_launch", tern_message(l->context));
        if (i >= 0) samples[i] = (now_us() - start) / burst;
    }
    tern_graph_free(graph);
    snprintf(row->name, sizeof row->name, "graph of %d launches, %d arguments, done", burst,
             l->count);
    summarise(row, samples);
    return 1;
}

/* ---- setting up ---- */

static void driver_function(Launcher *l, const char *name) {
    char words[512];
    CudaContext context = NULL;
    CudaDeviceId device;
    CudaModule module;
    const char *ptx = tern_kernel_text(l->kernel, TERN_STAGE_PTX);
    if (!ptx) die(name, "there is no PTX: is the device cuda?");
    if (!cuda_driver_open(&l->driver, words, sizeof words)) die("driver", words);
    if (l->driver.init(0) || l->driver.device_get(&device, 0) ||
        l->driver.context_retain(&context, device) || l->driver.context_set(context) ||
        l->driver.module_load(&module, ptx, 0, NULL, NULL) ||
        l->driver.module_function(&l->function, module, name))
        die(name, "the driver refuses the PTX");
}

static void set_up(Launcher *l, tern_module *module, const char *function, const char *types,
                   tern_buffer *buffer) {
    char signature[512] = "";
    memset(l->values, 0, sizeof l->values);
    l->count = (int)strlen(types);
    for (int i = 0; i < l->count; i++) {
        const char *type = types[i] == 'p' ? "*fp32:16" : types[i] == 'f' ? "fp32" : "i32";
        float number = 1.5f;
        size_t at = strlen(signature);
        snprintf(signature + at, sizeof signature - at, "%s%s", i ? "," : "", type);
        if (types[i] == 'p') {
            l->arguments[i] = tern_arg_buffer(buffer);
            l->values[i] = (uint64_t)(uintptr_t)tern_buffer_pointer(buffer);
        } else if (types[i] == 'f') {
            l->arguments[i] = tern_arg_float(number);
            memcpy(&l->values[i], &number, sizeof number);
        } else {
            l->arguments[i] = tern_arg_int(7);
            l->values[i] = 7;
        }
        l->pointers[i] = &l->values[i];
    }
    l->kernel = tern_compile(module, function, signature, NULL);
    if (!l->kernel) die(function, tern_message(l->context));
    driver_function(l, function);
}

static void print(const Row *rows, int count, bool as_json) {
    if (as_json) printf("{");
    for (int i = 0; i < count; i++) {
        if (as_json)
            printf("%s\"%s\": {\"fastest_us\": %.4f, \"median_us\": %.4f}", i ? ", " : "",
                   rows[i].name, rows[i].fastest_us, rows[i].median_us);
        else
            printf("%-48s fastest %7.3f us  median %7.3f us\n", rows[i].name, rows[i].fastest_us,
                   rows[i].median_us);
    }
    if (as_json) printf("}\n");
}

int main(int argc, char **argv) {
    static const struct {
        const char *function, *types;
    } kernels[] = {{"nothing3", "ppi"}, {"nothing19", "ppppppppiiiiiiffffi"}};
    static const int bursts[] = {64, 256, 512};
    char words[2048];
    tern_status status;
    Row rows[16];
    int count = 0;
    if (argc < 2) die("usage", "launch_bench bench/launch_kernels.py [--json]");
    tern_context *context =
        tern_open(&(tern_open_options){.device = "cuda:0"}, &status, words, sizeof words);
    if (!context) die("cuda:0", words);
    tern_module *module = tern_load_file(context, argv[1]);
    tern_buffer *buffer = tern_alloc(context, 4096);
    tern_stream *stream = tern_stream_create(context);
    if (!module || !buffer || !stream) die(argv[1], tern_message(context));
    for (int k = 0; k < 2; k++) {
        Launcher l = {.context = context, .stream = stream};
        set_up(&l, module, kernels[k].function, kernels[k].types, buffer);
        for (int b = 0; b < 3; b++) count += measure(&l, bursts[b], rows + count);
        count += measure_graph(&l, 256, rows + count);
    }
    print(rows, count, argc > 2 && !strcmp(argv[2], "--json"));
    tern_close(context);
    return 0;
}
