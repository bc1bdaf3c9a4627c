// SPDX-License-Identifier: Apache-2.0
/* range_bench: what recording a range costs, beside what the profile says of it.
 *
 *     range_bench [LOOPS [DEVICE]]
 *
 * Each loop is a profile of its own with as many empty ranges as it keeps by default, and with few
 * enough that no memory is taken meanwhile. Above them what a range consists of: readings of
 * clocks, and the two calls with nobody and with an observer that does nothing. Below, launches of
 * a kernel that does nothing: alone, in a range, and as profiles of each kind record them. */
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

/* ---- launches ---- */

static const char kernel_text[] = "import triton\nimport triton.language as tl\n\n@triton.jit\n"
                                  "def nothing(x):\n    pass\n";

static double launches_ns(tern_context *context, tern_kernel *kernel, tern_buffer *buffer,
                          bool in_range) {
    const tern_argument argument = tern_arg_buffer(buffer);
    if (tern_synchronize(context)) exit(4);
    int64_t start = own_ns();
    for (int i = 0; i < FEW; i++) {
        if (in_range) tern_range_push(context, "step");
        if (tern_launch(NULL, kernel, (uint32_t[3]){1, 1, 1}, &argument, 1)) exit(4);
        if (in_range) tern_range_pop(context);
    }
    return (double)(own_ns() - start) / FEW;
}

static const struct {
    const char *name;
    bool is_recorded, in_range;
    tern_profile_options options;
} ways[] = {
    {"nobody watches", false, false, {0}},
    {"nobody watches, in a range", false, true, {0}},
    {"recorded", true, false, {0}},
    {"recorded, in a range", true, true, {0}},
    {"recorded, in a range, by events", true, true, {.by_events = true}},
    {"recorded, in a range, shapes", true, true, {.shapes = true}},
    {"recorded, in a range, shapes, C functions", true, true, {.shapes = true, .frames = true}},
};

static void launches(tern_context *context) {
    tern_module *module = tern_load_text(context, kernel_text, sizeof kernel_text - 1, NULL);
    tern_kernel *kernel = module ? tern_compile(module, "nothing", "*fp32", NULL) : NULL;
    tern_buffer *buffer = tern_alloc(context, 64);
    if (!kernel || !buffer) exit(4);
    launches_ns(context, kernel, buffer, false);
    for (int i = 0; i < 2 * COUNT(ways); i++) {
        int way = i / 2;
        tern_profile *profile =
            ways[way].is_recorded ? tern_profile_start(context, &ways[way].options) : NULL;
        if (ways[way].is_recorded && !profile) exit(4);
        printf("%d launches, %-42s %8.1f ns each", FEW, ways[way].name,
               launches_ns(context, kernel, buffer, ways[way].in_range));
        if (profile) {
            tern_profile_stop(profile);
            printf(", stated %6.1f ns", prof_recording_ns(profile) / FEW);
        }
        putchar('\n');
        tern_profile_free(profile);
    }
}

int main(int argc, char **argv) {
    int loops = argc > 1 ? atoi(argv[1]) : 10;
    const char *device = argc > 2 ? argv[2] : "interp";
    char words[2048];
    tern_context *context =
        tern_open(&(tern_open_options){.device = device}, NULL, words, sizeof words);
    if (!context) return fprintf(stderr, "range_bench: %s\n", words), 4;
    parts(context);
    for (int i = 0; i < loops; i++) recorded(context, i & 1 ? FEW : MANY);
    launches(context);
    tern_close(context);
    return 0;
}
