// SPDX-License-Identifier: Apache-2.0
/* range_bench: what recording a range costs, beside what the profile says of it.
 *
 *     range_bench [LOOPS]
 *
 * Each loop is a profile of its own with as many empty ranges as it keeps by default, and with few
 * enough that no memory is taken meanwhile. Above them what a range consists of: readings of
 * clocks, and the two calls with nobody and with an observer that does nothing. */
#include "base/base.h"
#include "prof/prof.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MANY = 900000, FEW = 20000 };

static void quiet(void *user, const tern_call *call, bool begins) {
    (void)user, (void)call, (void)begins;
}

/* Of this thread: what others do on this machine is no cost of ours. */
static int64_t own_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static double ranges_ns(tern_context *context, int count) {
    int64_t start = own_ns();
    for (int i = 0; i < count; i++) {
        tern_range_push(context, "range");
        tern_range_pop(context);
    }
    return (double)(own_ns() - start) / count;
}

static void parts(tern_context *context) {
    volatile int64_t sink = 0;
    ProfClock clock;
    prof_clock_start(&clock);
    int64_t start = own_ns();
    for (int i = 0; i < MANY; i++) sink += prof_ticks(&clock);
    printf("a reading of %-30s %6.1f ns\n", clock.by_counter ? "the counter" : "the clock",
           (double)(own_ns() - start) / MANY);
    printf("push + pop, nobody watches                %6.1f ns\n", ranges_ns(context, MANY));
    tern_observe(context, quiet, NULL);
    printf("push + pop, an observer that does nothing %6.1f ns\n", ranges_ns(context, MANY));
    tern_observe(context, NULL, NULL);
}

static void recorded(tern_context *context, int count) {
    tern_profile *profile = tern_profile_start(context, NULL);
    if (!profile) exit(4);
    double took = ranges_ns(context, count);
    tern_profile_stop(profile);
    double said = prof_range_ns(profile);
    printf("%7d ranges: %6.1f ns each, stated %6.1f ns (%+.0f %%)\n", count, took, said,
           (said / took - 1) * 100);
    tern_profile_free(profile);
}

int main(int argc, char **argv) {
    int loops = argc > 1 ? atoi(argv[1]) : 10;
    tern_context *context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    if (!context) return 4;
    parts(context);
    for (int i = 0; i < loops; i++) recorded(context, i & 1 ? FEW : MANY);
    tern_close(context);
    return 0;
}
