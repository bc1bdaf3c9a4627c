// SPDX-License-Identifier: Apache-2.0
#include "bench/collect.h"

#include <stdlib.h>
#include <string.h>

enum { FEWEST_SAMPLES = 10 }; /* below, a point is no point */

tern_bench_options collect_options(const tern_bench_options *given) {
    tern_bench_options options = {0};
    if (given)
        memcpy(&options, given,
               given->size && given->size < sizeof options ? given->size : sizeof options);
    if (options.min_time_ms <= 0) options.min_time_ms = 200;
    if (options.max_time_ms <= 0) options.max_time_ms = 15000;
    if (options.extra_time_ms <= 0) options.extra_time_ms = options.max_time_ms;
    if (options.max_noise <= 0) options.max_noise = 0.005;
    if (options.max_samples <= 0) options.max_samples = 10000;
    if (options.warmups <= 0) options.warmups = 3;
    return options;
}

void collect_start(Collected *collected, const tern_bench_options *options, double now_ms) {
    *collected = (Collected){.options = options, .end_ms = now_ms + options->max_time_ms};
    convergence_start(&collected->convergence, options->max_noise, options->min_time_ms);
}

/* ---- samples ---- */

static bool grow(double **values, size_t capacity) {
    double *larger = realloc(*values, capacity * sizeof **values);
    if (larger) *values = larger;
    return larger != NULL;
}

static bool samples_add(Samples *samples, const Sample *sample) {
    if (samples->count == samples->capacity) {
        size_t larger = samples->capacity ? samples->capacity * 2 : 64;
        if (!grow(&samples->ms, larger) || !grow(&samples->host_ms, larger) ||
            !grow(&samples->stray_ms, larger) || !grow(&samples->mhz, larger))
            return false;
        samples->capacity = larger;
    }
    samples->ms[samples->count] = sample->ms;
    samples->host_ms[samples->count] = sample->host_ms;
    samples->stray_ms[samples->count] = sample->stray_ms;
    samples->mhz[samples->count++] = sample->mhz;
    return true;
}

void collect_free(Collected *collected) {
    free(collected->samples.ms);
    free(collected->samples.host_ms);
    free(collected->samples.stray_ms);
    free(collected->samples.mhz);
}

void collect_drop(Collected *collected, size_t to) {
    Samples *samples = &collected->samples;
    const tern_bench_options *options = collected->options;
    collected->num_discarded += samples->count - to;
    samples->count = to;
    convergence_start(&collected->convergence, options->max_noise, options->min_time_ms);
    for (size_t i = 0; i < to; i++) convergence_add(&collected->convergence, samples->ms[i]);
}

/* ---- contention ---- */

enum { MOST_CONTENDED_IN_A_ROW = 8 };
static const double contended_share = 0.5;     /* processor time below this part of wall time */
static const double contended_least_ms = 0.05; /* a switch to another program and back is less */

static bool is_contended(const Sample *sample) {
    double idle_ms = sample->ms - sample->cpu_ms;
    return sample->knows_cpu && idle_ms > contended_least_ms &&
           sample->cpu_ms < contended_share * sample->ms;
}

bool collect_is_late(const Collected *collected, double now_ms) {
    return now_ms > collected->end_ms;
}

static bool is_very_late(const Collected *collected, double now_ms) {
    return now_ms > collected->end_ms + collected->options->extra_time_ms;
}

/* True: the sample counts. A callable that waits looks like this, too: it has no other samples. */
static bool judge_contention(Collected *collected, const Sample *sample, double now_ms) {
    if (!is_contended(sample)) {
        collected->contended_in_a_row = 0;
        return true;
    }
    if (++collected->contended_in_a_row > MOST_CONTENDED_IN_A_ROW ||
        (collected->samples.count < FEWEST_SAMPLES && is_very_late(collected, now_ms)))
        collected->keeps_contended = true;
    if (collected->keeps_contended) return true;
    collected->num_contended++;
    collected->num_discarded++;
    return false;
}

CollectStep collect_add(Collected *collected, const Sample *sample, double now_ms) {
    const tern_bench_options *options = collected->options;
    bool is_settled = false;
    if (judge_contention(collected, sample, now_ms)) {
        if (!samples_add(&collected->samples, sample)) return COLLECT_NO_MEMORY;
        is_settled = convergence_add(&collected->convergence, sample->ms);
    }
    size_t count = collected->samples.count;
    if (is_settled || count >= (size_t)options->max_samples) return COLLECT_ENOUGH;
    if (count < FEWEST_SAMPLES) /* a point takes more, while there is time */
        return count && is_very_late(collected, now_ms) ? COLLECT_ENOUGH : COLLECT_MORE;
    return collect_is_late(collected, now_ms) ? COLLECT_ENOUGH : COLLECT_MORE;
}

/* ---- what they say ---- */

bool collect_summarise(Collected *collected, tern_timing *timing) {
    Samples *samples = &collected->samples;
    size_t n = samples->count, clocks = 0;
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted) return false;
    timing->num_outliers = stats_outliers(sorted, samples->ms, n);
    timing->host_ms = stats_median(sorted, samples->host_ms, n);
    timing->stray_ms = stats_median(sorted, samples->stray_ms, n);
    for (size_t i = 0; i < n; i++)
        if (samples->mhz[i] > 0) samples->mhz[clocks++] = samples->mhz[i];
    timing->clock_mhz = clocks ? stats_median(sorted, samples->mhz, clocks) : 0;
    memcpy(sorted, samples->ms, n * sizeof *sorted);
    stats_sort(sorted, n);
    timing->median = stats_quantile(sorted, n, 0.5);
    timing->q20 = stats_quantile(sorted, n, 0.2);
    timing->q80 = stats_quantile(sorted, n, 0.8);
    timing->min = sorted[0];
    timing->max = sorted[n - 1];
    timing->mean = stats_mean(sorted, n);
    timing->stdev = stats_stdev(sorted, n);
    timing->noise = stats_spread(sorted, n);
    timing->num_samples = n;
    timing->num_discarded = collected->num_discarded;
    timing->num_contended = collected->num_contended;
    timing->samples = samples->ms;
    samples->ms = NULL;
    free(sorted);
    return true;
}

enum { SCRATCH = 256 };

static bool starts_slower(const double *samples, size_t count) {
    size_t quarter = count / 4;
    if (quarter < 5) return false;
    double scratch[SCRATCH];
    if (quarter > SCRATCH) quarter = SCRATCH;
    double first = stats_median(scratch, samples, quarter);
    return first > 1.05 * stats_median(scratch, samples + count - quarter, quarter);
}

unsigned collect_trust(const Collected *collected, const tern_timing *timing) {
    unsigned trust = 0;
    if (timing->noise > 4 * collected->options->max_noise) trust |= TERN_TRUST_NOISY;
    if (starts_slower(timing->samples, timing->num_samples)) trust |= TERN_TRUST_SLOWER_START;
    if (timing->num_outliers * 20 > timing->num_samples) trust |= TERN_TRUST_OUTLIERS;
    if (timing->num_samples < FEWEST_SAMPLES) trust |= TERN_TRUST_FEW_SAMPLES;
    if (collected->keeps_contended) trust |= TERN_TRUST_CONTENDED;
    return trust;
}
