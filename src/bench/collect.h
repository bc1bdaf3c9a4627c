// SPDX-License-Identifier: Apache-2.0
/* collect: which samples count, when there are enough, and what is said of them. Plain logic over
 * samples and the time that it is told: nothing here measures, so that tests make both up. */
#ifndef TERN_COLLECT_H
#define TERN_COLLECT_H

#include "bench/sampler.h"
#include "bench/stats.h"

typedef struct Samples {
    double *ms, *host_ms, *stray_ms, *mhz;
    size_t count, capacity;
} Samples;

typedef struct Collected {
    const tern_bench_options *options; /* with their defaults */
    Samples samples;
    Convergence convergence;
    double end_ms; /* of max_time_ms */
    size_t num_discarded;
    size_t num_contended; /* of those, because the processor was elsewhere */
    int contended_in_a_row;
    bool keeps_contended; /* there were no others */
} Collected;

typedef enum CollectStep { COLLECT_MORE, COLLECT_ENOUGH, COLLECT_NO_MEMORY } CollectStep;

/* The options with what 0 stands for. */
tern_bench_options collect_options(const tern_bench_options *given);
void collect_start(Collected *collected, const tern_bench_options *options, double now_ms);
/* max_time_ms is over: what is not good will not get better. */
bool collect_is_late(const Collected *collected, double now_ms);
/* Takes or discards a sample that was there at now_ms. */
CollectStep collect_add(Collected *collected, const Sample *sample, double now_ms);
void collect_drop(Collected *collected, size_t to); /* discards all samples from number `to` on */
/* Fills timing from the samples, whose times it then owns; false: no memory. */
bool collect_summarise(Collected *collected, tern_timing *timing);
/* The TERN_TRUST_ bits that the samples alone tell. */
unsigned collect_trust(const Collected *collected, const tern_timing *timing);
void collect_free(Collected *collected);

#endif
