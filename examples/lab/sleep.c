/* SPDX-License-Identifier: Apache-2.0 */
/* The lecture's first benchmark: sleeping 50 ms takes 50 ms. A benchmark that cannot tell is none.
 *
 *     build/examples/lab/sleep [FOLDER] */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "lab.h"

#include <time.h>

static tern_status sleep_ms(void *user, tern_stream *stream) {
    (void)stream;
    int ms = *(int *)user;
    struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&time, NULL);
    return TERN_OK;
}

int main(int argc, char **argv) {
    static const int times[] = {1, 5, 50};
    static const char *const x[] = {"asked (ms)"}, *const lines[] = {"benchmark()", "tern_bench"};
    tern_context *context = lab_open();
    tern_sweep *sweep = tern_sweep_create(&(tern_sweep_options){.name = "sleep",
                                                                .x_names = x,
                                                                .num_x = 1,
                                                                .line_names = lines,
                                                                .num_lines = 2,
                                                                .y_label = "ms"});
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        int ms = times[i];
        double mean;
        tern_timing timing;
        tern_bench_options options = {.hot = true, .min_time_ms = 100, .max_time_ms = 1000};
        lab_need(context, tern_benchmark(context, sleep_ms, &ms, 1, 3, &mean) == TERN_OK);
        tern_sweep_add(sweep,
                       &(tern_point){.x = {ms}, .line = 0, .y = mean, .y_min = NAN, .y_max = NAN});
        /* By the host's clock: a sleeping host enqueues nothing. */
        lab_need(context, tern_bench(context, sleep_ms, &ms, &options, &timing) == TERN_OK);
        tern_sweep_add(
            sweep,
            &(tern_point){.x = {ms}, .line = 1, .y = timing.host_ms, .y_min = NAN, .y_max = NAN});
        tern_timing_free(&timing);
    }
    tern_close(context);
    return lab_finish(sweep, argc, argv);
}
