// SPDX-License-Identifier: Apache-2.0
/* bench: timing of a callable through tern.h alone.
 *
 * Nothing waits between samples of tern_do_bench, so that on a GPU the fill that makes the cache
 * cold also hides the launch; tern_bench waits for each sample, because it decides after each
 * whether to go on, and holds the device back by a gate instead. */
#include "base/base.h"
#include "bench/collect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

tern_status tern_benchmark(tern_context *context, tern_callable *run, void *user, int warmups,
                           int trials, double *mean_ms) {
    if (trials < 1) trials = 1;
    tern_status status = TERN_OK;
    for (int i = 0; i < warmups && !status; i++) status = run(user, NULL);
    if (!status) status = tern_synchronize(context);
    double total = 0;
    for (int i = 0; i < trials && !status; i++) {
        double before = clock_ms();
        status = run(user, NULL);
        if (!status) status = tern_synchronize(context);
        total += clock_ms() - before;
    }
    if (!status) *mean_ms = total / trials;
    return status;
}

/* ---- as triton.testing.do_bench ---- */

enum { MOST_QUANTILES = 16, ESTIMATE_RUNS = 5, MOST_REPEATS = 1 << 20 };

static int repeats_for(double budget_ms, double one_ms) {
    double count = one_ms > 0 ? budget_ms / one_ms : MOST_REPEATS;
    return count < 1 ? 1 : count > MOST_REPEATS ? MOST_REPEATS : (int)count;
}

/* Mean wall time of a few samples, the fill included, as do_bench estimates. */
static tern_status estimate(Sampler *bench, double *one_ms) {
    Sample ignored;
    double before = clock_ms();
    tern_status status = TERN_OK;
    for (int i = 0; i < ESTIMATE_RUNS && !status; i++)
        status = sampler_enqueue(bench, bench->start, bench->end, &ignored);
    if (!status) status = tern_synchronize(bench->context);
    *one_ms = (clock_ms() - before) / ESTIMATE_RUNS;
    return status;
}

static tern_status do_bench_samples(Sampler *bench, int count, tern_event **events,
                                    double *samples) {
    tern_status status = TERN_OK;
    Sample ignored;
    for (int i = 0; i < count && !status; i++)
        status = sampler_enqueue(bench, events[2 * i], events[2 * i + 1], &ignored);
    if (!status) status = tern_synchronize(bench->context);
    for (int i = 0; i < count && !status; i++) {
        double nanoseconds;
        status = tern_event_elapsed(events[2 * i], events[2 * i + 1], &nanoseconds);
        samples[i] = nanoseconds * 1e-6;
    }
    return status;
}

static double pick(const double *sorted, size_t count, tern_return_mode mode) {
    switch (mode) {
    case TERN_MEDIAN: return stats_quantile(sorted, count, 0.5);
    case TERN_MEAN: return stats_mean(sorted, count);
    case TERN_MIN: return sorted[0];
    case TERN_MAX: return sorted[count - 1];
    }
    return sorted[0];
}

static tern_status do_bench_timed(Sampler *bench, int count, const double *quantiles,
                                  int num_quantiles, tern_return_mode mode, double *results) {
    tern_status status = TERN_ERROR_NO_MEMORY;
    int made = 0;
    double *samples = calloc((size_t)count, sizeof *samples);
    tern_event **events = calloc((size_t)count * 2, sizeof(tern_event *));
    if (!samples || !events) goto done;
    for (; made < 2 * count; made++) {
        events[made] = tern_event_create(bench->context);
        if (!events[made]) goto done;
    }
    status = do_bench_samples(bench, count, events, samples);
    if (status) goto done;
    stats_sort(samples, (size_t)count);
    for (int i = 0; i < num_quantiles; i++)
        results[i] = stats_quantile(samples, (size_t)count, quantiles[i]);
    if (num_quantiles == 0) results[0] = pick(samples, (size_t)count, mode);
done:
    for (int i = 0; i < made; i++) tern_event_free(events[i]);
    free(events);
    free(samples);
    return status;
}

tern_status tern_do_bench(tern_context *context, tern_callable *run, void *user, double warmup_ms,
                          double rep_ms, const double *quantiles, int num_quantiles,
                          tern_return_mode mode, double *results) {
    Sampler bench;
    if (num_quantiles < 0 || num_quantiles > MOST_QUANTILES) return TERN_ERROR_ARGUMENT;
    for (int i = 0; i < num_quantiles; i++)
        if (!(quantiles[i] >= 0 && quantiles[i] <= 1)) return TERN_ERROR_ARGUMENT;
    if (warmup_ms <= 0) warmup_ms = 25;
    if (rep_ms <= 0) rep_ms = 100;
    const SamplerOptions as_triton = {.cold = true, .fills = true};
    tern_status status = sampler_open(&bench, context, run, user, as_triton);
    if (status) return status;
    double one_ms = 0;
    status = run(user, NULL);
    if (!status) status = tern_synchronize(context);
    if (!status) status = estimate(&bench, &one_ms);
    int warmups = repeats_for(warmup_ms, one_ms);
    for (int i = 0; i < warmups && !status; i++) status = run(user, NULL);
    if (!status)
        status = do_bench_timed(&bench, repeats_for(rep_ms, one_ms), quantiles, num_quantiles, mode,
                                results);
    sampler_close(&bench);
    return status;
}

/* ---- outputs ---- */

enum { POISON = 0xa5, OTHER_POISON = 0x5a, CHUNK = 1 << 20 };

/* Marks, or after the second run counts, the bytes that still hold the poison: those that do both
 * times were not written, whatever the values. */
static tern_status look(tern_buffer *buffer, int poison, unsigned char *marks, unsigned char *chunk,
                        size_t *unwritten) {
    size_t bytes = tern_buffer_size(buffer);
    for (size_t at = 0; at < bytes; at += CHUNK) {
        size_t part = bytes - at < CHUNK ? bytes - at : CHUNK;
        tern_status status = tern_read(buffer, at, chunk, part);
        if (status) return status;
        for (size_t i = 0; i < part; i++) {
            unsigned bit = 1u << ((at + i) & 7);
            if (chunk[i] != poison) continue;
            if (poison == POISON)
                marks[(at + i) >> 3] |= (unsigned char)bit;
            else
                *unwritten += (marks[(at + i) >> 3] & bit) != 0;
        }
    }
    return TERN_OK;
}

static size_t output_bytes(const tern_bench_options *options) {
    size_t bytes = 0;
    for (int i = 0; i < options->num_outputs; i++)
        bytes += tern_buffer_size(options->outputs[i]) / 8 + 1;
    return bytes;
}

static tern_status poisoned_run(Sampler *sampler, const tern_bench_options *options, int poison,
                                unsigned char *marks, unsigned char *chunk, size_t *unwritten) {
    tern_status status = TERN_OK;
    for (int i = 0; i < options->num_outputs && !status; i++)
        status = tern_fill(options->outputs[i], (unsigned char)poison);
    if (!status) status = sampler->run(sampler->user, NULL);
    if (!status) status = tern_synchronize(sampler->context);
    for (int i = 0; i < options->num_outputs && !status; i++) {
        status = look(options->outputs[i], poison, marks, chunk, unwritten);
        marks += tern_buffer_size(options->outputs[i]) / 8 + 1;
    }
    return status;
}

static tern_status check_outputs(Sampler *sampler, const tern_bench_options *options,
                                 size_t *unwritten) {
    if (options->num_outputs <= 0) return TERN_OK;
    tern_status status = TERN_ERROR_NO_MEMORY;
    unsigned char *marks = calloc(1, output_bytes(options)), *chunk = malloc(CHUNK);
    if (marks && chunk) status = poisoned_run(sampler, options, POISON, marks, chunk, unwritten);
    if (!status) status = poisoned_run(sampler, options, OTHER_POISON, marks, chunk, unwritten);
    free(marks);
    free(chunk);
    return status;
}

/* ---- tern_bench ---- */

/* The clock of each sample is measured; NVML is asked now and then, and what it says holds for all
 * samples since it was asked before. Slow samples are discarded, after a rest the next is tried;
 * when that does not help, they are kept and the result says so. */
typedef struct Throttle {
    double max_mhz, next_ms, rest_ms;
    size_t confirmed; /* samples that NVML had nothing against */
    int in_a_row;
    bool gave_up, is_known;
    unsigned reasons;
} Throttle;

enum { MOST_SLOW_IN_A_ROW = 12 };
static const double slow_share = 0.75; /* of the highest clock, as nvbench has it */
static const double ask_every_ms = 20;
static const unsigned slow_reasons =
    TERN_SLOW_HARDWARE | TERN_SLOW_TEMPERATURE | TERN_SLOW_POWER_BRAKE;

static bool is_slow(Throttle *throttle, tern_context *context, const Sample *sample,
                    bool *by_reason) {
    tern_clock_state state;
    *by_reason = false;
    if (clock_ms() >= throttle->next_ms) {
        if (tern_clock_now(context, &state)) state = (tern_clock_state){0};
        throttle->next_ms = clock_ms() + ask_every_ms;
        throttle->max_mhz = state.max_mhz;
        throttle->is_known = state.reasons_known;
        throttle->reasons |= state.reasons;
        *by_reason = (state.reasons & slow_reasons) != 0;
    }
    return *by_reason || (sample->mhz > 0 && sample->mhz < slow_share * throttle->max_mhz);
}

static void rest(Throttle *throttle) {
    if (throttle->rest_ms == 0)
        throttle->rest_ms = 50;
    else if (throttle->in_a_row > 3)
        throttle->rest_ms = fmin(1.5 * throttle->rest_ms, 500);
    struct timespec time = {0, (long)(throttle->rest_ms * 1e6)};
    nanosleep(&time, NULL);
    throttle->next_ms = 0;
}

/* True: the sample counts. */
static bool judge_clock(Throttle *throttle, Collected *collected, const Sampler *sampler,
                        const Sample *sample) {
    bool by_reason, asked = clock_ms() >= throttle->next_ms;
    if (!sampler->on_gpu || throttle->gave_up) return true;
    if (!is_slow(throttle, sampler->context, sample, &by_reason)) {
        if (asked) throttle->confirmed = collected->samples.count;
        throttle->in_a_row = 0;
        return true;
    }
    if (by_reason) collect_drop(collected, throttle->confirmed);
    collected->num_discarded++;
    if (++throttle->in_a_row > MOST_SLOW_IN_A_ROW)
        throttle->gave_up = true;
    else
        rest(throttle);
    return false;
}

typedef struct Timed {
    Collected collected;
    Throttle throttle;
    bool waits_inside;
} Timed;

static tern_status collect(Sampler *sampler, Timed *timed) {
    Collected *collected = &timed->collected;
    sampler->cpu_ms = 0;
    for (CollectStep step = COLLECT_MORE; step != COLLECT_ENOUGH;) {
        Sample sample;
        tern_status status = sampler_take(sampler, &sample);
        if (status) return status;
        double now = clock_ms();
        if (sample.gate_opened_late) { /* from now on without, and this one is none */
            tern_gate_free(sampler->gate);
            sampler->gate = NULL;
            timed->waits_inside = true;
            collected->num_discarded++;
            continue;
        }
        if (!judge_clock(&timed->throttle, collected, sampler, &sample)) {
            if (collect_is_late(collected, now)) timed->throttle.gave_up = true;
            continue;
        }
        step = collect_add(collected, &sample, now);
        if (step == COLLECT_NO_MEMORY) return TERN_ERROR_NO_MEMORY;
    }
    return TERN_OK;
}

static bool is_set(const char *variable) {
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

static bool is_blocking(void) {
    return is_set("TERN_LAUNCH_BLOCKING") || is_set("CUDA_LAUNCH_BLOCKING");
}

/* Waiting for a device that is idle takes some microseconds; 20 more are not that. */
static const double stray_limit_ms = 0.02;

static unsigned judge(const Sampler *sampler, const Timed *timed, double wait_ms,
                      const tern_timing *timing) {
    unsigned trust = collect_trust(&timed->collected, timing);
    if (timing->median < 3 * fmax(timing->floor_ms, timing->launch_floor_ms))
        trust |= TERN_TRUST_NEAR_FLOOR;
    if (sampler->on_gpu && timing->host_ms > timing->median) trust |= TERN_TRUST_HOST_BOUND;
    if (!tern_device_property(tern_device_name(sampler->context), TERN_DEVICE_IS_FAST))
        trust |= TERN_TRUST_NOT_SPEED;
    if (is_blocking()) trust |= TERN_TRUST_BLOCKING;
    if (timed->waits_inside) trust |= TERN_TRUST_WAITS_INSIDE;
    if (sampler->on_gpu && timing->stray_ms > wait_ms + stray_limit_ms) trust |= TERN_TRUST_STRAY;
    if (timed->throttle.gave_up) trust |= TERN_TRUST_THROTTLED;
    if (timing->unwritten_bytes) trust |= TERN_TRUST_UNWRITTEN;
    if (sampler->on_gpu && !timing->is_gated && !timed->waits_inside) trust |= TERN_TRUST_UNGATED;
    return trust;
}

static tern_status bench(Sampler *sampler, const tern_bench_options *options, Timed *timed,
                         tern_timing *timing) {
    double wait_ms = 0;
    tern_status status = check_outputs(sampler, options, &timing->unwritten_bytes);
    if (!status)
        status = sampler_floor(sampler, &timing->floor_ms, &timing->launch_floor_ms, &wait_ms);
    for (int i = 0; i < options->warmups && !status; i++)
        status = sampler->run(sampler->user, NULL);
    if (!status) status = tern_synchronize(sampler->context);
    collect_start(&timed->collected, options, clock_ms());
    if (!status) status = collect(sampler, timed);
    if (!status && !collect_summarise(&timed->collected, timing)) status = TERN_ERROR_NO_MEMORY;
    if (status) return status;
    timing->cpu_ms = sampler->cpu_ms / (double)(timing->num_samples + timing->num_discarded);
    timing->cold_bytes = sampler->flush_bytes;
    timing->cold_ms = sampler->cold_ms;
    timing->is_filled = sampler->fills;
    timing->is_flushed = sampler->num_flushed > 0;
    timing->is_gated = sampler->gate != NULL;
    timing->reasons_known = timed->throttle.is_known;
    timing->slow_reasons = timed->throttle.reasons;
    timing->trust = judge(sampler, timed, wait_ms, timing);
    return TERN_OK;
}

tern_status tern_bench(tern_context *context, tern_callable *run, void *user,
                       const tern_bench_options *given, tern_timing *timing) {
    Sampler sampler;
    Timed timed = {0};
    tern_bench_options options = collect_options(given);
    *timing = (tern_timing){0};
    const SamplerOptions what = {.cold = !options.hot,
                                 .fills = options.cold_fill,
                                 .clock = true,
                                 .floor = true,
                                 .gate = !options.no_gate && !is_blocking(),
                                 .cold_bytes = options.cold_bytes,
                                 .flushed = options.cold_buffers,
                                 .num_flushed = options.num_cold_buffers};
    tern_status status = sampler_open(&sampler, context, run, user, what);
    if (status) return status;
    status = bench(&sampler, &options, &timed, timing);
    collect_free(&timed.collected);
    sampler_close(&sampler);
    return status;
}

void tern_timing_free(tern_timing *timing) {
    free(timing->samples);
    timing->samples = NULL;
}

const char *tern_trust_words(unsigned one_bit) {
    switch (one_bit) {
    case TERN_TRUST_NOISY: return "noisy: the samples did not settle";
    case TERN_TRUST_NEAR_FLOOR: return "near the floor: timing nothing takes over a third as long";
    case TERN_TRUST_HOST_BOUND: return "host bound: enqueueing took longer than the work";
    case TERN_TRUST_NOT_SPEED: return "not a speed: this device checks, it is not made to be fast";
    case TERN_TRUST_BLOCKING: return "launches block: LAUNCH_BLOCKING is set";
    case TERN_TRUST_SLOWER_START: return "slower at the start: not warm, or the clock changed";
    case TERN_TRUST_OUTLIERS: return "outliers: more than 1 sample in 20 lies far out";
    case TERN_TRUST_FEW_SAMPLES: return "few samples: fewer than 10 in the time allowed";
    case TERN_TRUST_WAITS_INSIDE:
        return "waits inside: the host's waiting is in the time (or the launch queue was full)";
    case TERN_TRUST_STRAY:
        return "stray work: the device went on after the end, on a stream that was not timed";
    case TERN_TRUST_THROTTLED:
        return "slowed down: the clock stayed low, so these samples had to be kept";
    case TERN_TRUST_UNWRITTEN: return "outputs not written: poison is left in them";
    case TERN_TRUST_UNGATED: return "not gated: what launching takes may be in the time";
    case TERN_TRUST_CONTENDED:
        return "contended: wall time is far above processor time (other programs, or it waits)";
    default: return NULL;
    }
}
