// SPDX-License-Identifier: Apache-2.0
/* The lectures' sleep as a callable: its length is known, so tern_benchmark, tern_do_bench and
 * tern_bench must give it within 0.2 ms, in a sweep over it. On a machine that others load, samples
 * wake late: the least sample counts, which an error of ours would not pass either. */
#include "tern.h"
#include "test.h"

#include <time.h>

static tern_status sleeper(void *user, tern_stream *stream) {
    const int *ms = user;
    (void)stream;
    nanosleep(&(struct timespec){0, *ms * 1000000L}, NULL);
    return TERN_OK;
}

enum { WAYS = 3 };

/* What each way of timing says of a sleep of `ms`. */
static void time_sleep(tern_context *context, int ms, double *got) {
    tern_timing timing;
    const tern_bench_options options = {.hot = true, .min_time_ms = 10 * ms, .max_samples = 12};
    CHECK(tern_benchmark(context, sleeper, &ms, 1, 1, &got[0]) == TERN_OK);
    CHECK(tern_do_bench(context, sleeper, &ms, 1, 20 * ms, NULL, 0, TERN_MIN, &got[1]) == TERN_OK);
    CHECK(tern_bench(context, sleeper, &ms, &options, &timing) == TERN_OK);
    got[2] = timing.min;
    CHECK(timing.num_samples >= 10 && timing.host_ms >= ms && timing.cpu_ms < 0.5 * ms + 0.2);
    CHECK(timing.clock_mhz == 0 && !timing.is_gated && timing.cold_bytes == 0);
    tern_timing_free(&timing);
}

static bool all_near(const double *got, int ms) {
    for (int k = 0; k < WAYS; k++)
        if (!(got[k] < ms + 0.2)) return false;
    return true;
}

TEST(sweep_of_sleeps) {
    static const int lengths[] = {1, 5, 50};
    static const char *const x[] = {"ms"}, *const lines[] = {"benchmark", "do_bench", "bench"};
    tern_context *context = tern_open(&(tern_open_options){.device = "cpu"}, NULL, NULL, 0);
    tern_sweep *sweep = tern_sweep_create(&(tern_sweep_options){.name = "sleep",
                                                                .x_names = x,
                                                                .num_x = 1,
                                                                .line_names = lines,
                                                                .num_lines = WAYS,
                                                                .y_label = "ms"});
    if (!context) {
        SKIP("no cpu device");
        return;
    }
    for (int i = 0; i < 3; i++) {
        double best[WAYS] = {INFINITY, INFINITY, INFINITY};
        for (int round = 0; round < 12 + 100 / lengths[i] && !all_near(best, lengths[i]); round++) {
            double got[WAYS];
            time_sleep(context, lengths[i], got);
            for (int k = 0; k < WAYS; k++) {
                CHECK(got[k] >= lengths[i]); /* never less, in any round */
                if (got[k] < best[k]) best[k] = got[k];
            }
        }
        for (int k = 0; k < WAYS; k++) {
            CHECK(best[k] < lengths[i] + 0.2);
            tern_sweep_add(
                sweep, &(tern_point){
                           .x = {lengths[i]}, .line = k, .y = best[k], .y_min = NAN, .y_max = NAN});
        }
    }
    char *table = tern_sweep_table(sweep);
    printf("%s", table);
    tern_free(table);
    tern_sweep_free(sweep);
    tern_close(context);
}

TEST_MAIN()
