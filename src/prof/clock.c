// SPDX-License-Identifier: Apache-2.0
/* clock: the processor's counter as a clock of profiles.
 *
 * A reading of the monotonic clock takes 20 to 40 ns, one of the counter 10. It is used where the
 * kernel itself takes its time from it, which it does only if the counter is steady and the same on
 * all cores; else the clock is. Marks hold the counter; when recording ends it is known how far it
 * came in how many nanoseconds. */
#include "prof/prof.h"

#include <stdio.h>

static bool kernel_uses_counter(void) {
    char words[16] = "";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
    if (!file) return false;
    bool is_tsc = fgets(words, sizeof words, file) && !strcmp(words, "tsc\n");
    fclose(file);
    return is_tsc;
}

typedef struct Point { /* the same moment on both clocks */
    int64_t ticks, ns;
} Point;

/* The best of some: between two readings of the counter nothing else may have run. */
static Point read_both(const ProfClock *clock) {
    enum { TRIES = 8 };
    Point best = {0};
    int64_t least = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        int64_t before = prof_ticks(clock), ns = clock_ns(), took = prof_ticks(clock) - before;
        if (took < least) best = (Point){before + took / 2, ns};
        if (took < least) least = took;
    }
    return best;
}

void prof_clock_start(ProfClock *clock) {
    *clock = (ProfClock){.by_counter = kernel_uses_counter(), .ns_per_tick = 1};
    if (!clock->by_counter) return;
    Point now = read_both(clock);
    clock->first_ticks = now.ticks, clock->first_ns = now.ns;
}

void prof_clock_stop(ProfClock *clock) {
    if (!clock->by_counter) return;
    Point now = read_both(clock);
    if (now.ticks > clock->first_ticks)
        clock->ns_per_tick =
            (double)(now.ns - clock->first_ns) / (double)(now.ticks - clock->first_ticks);
}

int64_t prof_clock_ns(const ProfClock *clock, int64_t ticks) {
    if (!clock->by_counter) return ticks;
    return clock->first_ns + (int64_t)((double)(ticks - clock->first_ticks) * clock->ns_per_tick);
}
