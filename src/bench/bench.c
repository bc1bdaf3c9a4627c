// SPDX-License-Identifier: Apache-2.0
/* bench: timing of a callable through tern.h alone.
 *
 * A sample is: make the caches cold, record an event, call, record an event. Nothing waits between
 * samples of tern_do_bench, so that on a GPU the fill that makes the cache cold also hides the
 * launch; tern_bench waits for each sample, because it decides after each whether to go on. */
#include "bench/stats.h"
#include "tern.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct Bench {
    tern_context *context;
    tern_callable *run;
    void *user;
    bool on_gpu;
    tern_event *start, *end;
    tern_buffer *flush;       /* gpu: filled; else the host sweeps its memory */
    size_t flush_bytes;
    double cpu_ms;            /* processor time inside the callable, summed */
    volatile unsigned sink;   /* keeps the sweep */
} Bench;

static double clock_ms(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static bool device_is(const tern_context *context, const char *name) {
    const char *device = tern_device_name(context);
    size_t length = strlen(name);
    return !strncmp(device, name, length) && (!device[length] || device[length] == ':');
}

/* GPUs: 256 MiB as triton.testing fills. CPUs: twice the last-level cache, at least 64 MiB. */
static size_t flush_size(const Bench *bench) {
    if (bench->on_gpu) return (size_t)256 << 20;
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    size_t twice = cache > 0 ? 2 * (size_t)cache : 0;
    return twice < ((size_t)64 << 20) ? (size_t)64 << 20 : twice;
}

static void bench_close(Bench *bench) {
    tern_event_free(bench->start);
    tern_event_free(bench->end);
    if (bench->flush) tern_buffer_free(bench->flush);
}

static tern_status bench_open(Bench *bench, tern_context *context, tern_callable *run, void *user, bool cold) {
    *bench = (Bench){.context = context, .run = run, .user = user, .on_gpu = device_is(context, "cuda")};
    bench->start = tern_event_create(context);
    bench->end = tern_event_create(context);
    if (cold) {
        bench->flush_bytes = flush_size(bench);
        bench->flush = tern_alloc(context, bench->flush_bytes);
    }
    if (!bench->start || !bench->end || (cold && !bench->flush)) {
        bench_close(bench);
        return tern_message_status(context);
    }
    return cold ? tern_fill(bench->flush, 0) : TERN_OK;
}

static tern_status make_cold(Bench *bench) {
    if (!bench->flush) return TERN_OK;
    if (bench->on_gpu) return tern_fill_async(NULL, bench->flush, 0);
    const unsigned char *memory = tern_buffer_pointer(bench->flush);
    unsigned sum = 0;
    for (size_t i = 0; i < bench->flush_bytes; i += 64) sum += memory[i];
    bench->sink = sum;
    return TERN_OK;
}

/* One recorded run; *host_ms is how long the call took to return. */
static tern_status sample(Bench *bench, tern_event *start, tern_event *end, double *host_ms) {
    tern_status status = make_cold(bench);
    if (!status) status = tern_event_record(start, NULL);
    if (status) return status;
    double before = clock_ms(CLOCK_MONOTONIC), cpu_before = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
    status = bench->run(bench->user, NULL);
    *host_ms = clock_ms(CLOCK_MONOTONIC) - before;
    bench->cpu_ms += clock_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu_before;
    return status ? status : tern_event_record(end, NULL);
}

static tern_status timed_sample(Bench *bench, double *ms, double *host_ms) {
    double nanoseconds = 0;
    tern_status status = sample(bench, bench->start, bench->end, host_ms);
    if (!status) status = tern_event_elapsed(bench->start, bench->end, &nanoseconds);
    if (!status) status = tern_synchronize(bench->context);
    *ms = nanoseconds * 1e-6;
    return status;
}

static tern_status nothing(void *user, tern_stream *stream) {
    (void)user, (void)stream;
    return TERN_OK;
}

/* The median of 15 samples of nothing. */
static tern_status measure_floor(Bench *bench, double *floor_ms) {
    enum { RUNS = 15 };
    double samples[RUNS], host;
    Bench empty = *bench;
    empty.run = nothing;
    empty.flush = NULL;
    for (int i = 0; i < RUNS; i++) {
        tern_status status = timed_sample(&empty, &samples[i], &host);
        if (status) return status;
    }
    stats_sort(samples, RUNS);
    *floor_ms = samples[RUNS / 2];
    return TERN_OK;
}

tern_status tern_benchmark(tern_context *context, tern_callable *run, void *user, int warmups, int trials,
                           double *mean_ms) {
    if (trials < 1) trials = 1;
    tern_status status = TERN_OK;
    for (int i = 0; i < warmups && !status; i++) status = run(user, NULL);
    if (!status) status = tern_synchronize(context);
    double total = 0;
    for (int i = 0; i < trials && !status; i++) {
        double before = clock_ms(CLOCK_MONOTONIC);
        status = run(user, NULL);
        if (!status) status = tern_synchronize(context);
        total += clock_ms(CLOCK_MONOTONIC) - before;
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
static tern_status estimate(Bench *bench, double *one_ms) {
    double host, before = clock_ms(CLOCK_MONOTONIC);
    tern_status status = TERN_OK;
    for (int i = 0; i < ESTIMATE_RUNS && !status; i++) status = sample(bench, bench->start, bench->end, &host);
    if (!status) status = tern_synchronize(bench->context);
    *one_ms = (clock_ms(CLOCK_MONOTONIC) - before) / ESTIMATE_RUNS;
    return status;
}

static tern_status do_bench_samples(Bench *bench, int count, tern_event **events, double *samples) {
    tern_status status = TERN_OK;
    double host;
    for (int i = 0; i < count && !status; i++) status = sample(bench, events[2 * i], events[2 * i + 1], &host);
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

static tern_status do_bench_timed(Bench *bench, int count, const double *quantiles, int num_quantiles,
                                  tern_return_mode mode, double *results) {
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
    for (int i = 0; i < num_quantiles; i++) results[i] = stats_quantile(samples, (size_t)count, quantiles[i]);
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
    Bench bench;
    if (num_quantiles < 0 || num_quantiles > MOST_QUANTILES) return TERN_ERROR_ARGUMENT;
    for (int i = 0; i < num_quantiles; i++)
        if (!(quantiles[i] >= 0 && quantiles[i] <= 1)) return TERN_ERROR_ARGUMENT;
    if (warmup_ms <= 0) warmup_ms = 25;
    if (rep_ms <= 0) rep_ms = 100;
    tern_status status = bench_open(&bench, context, run, user, true);
    if (status) return status;
    double one_ms = 0;
    status = run(user, NULL);
    if (!status) status = tern_synchronize(context);
    if (!status) status = estimate(&bench, &one_ms);
    int warmups = repeats_for(warmup_ms, one_ms);
    for (int i = 0; i < warmups && !status; i++) status = run(user, NULL);
    if (!status)
        status = do_bench_timed(&bench, repeats_for(rep_ms, one_ms), quantiles, num_quantiles, mode, results);
    bench_close(&bench);
    return status;
}

/* ---- tern_bench ---- */

static tern_bench_options with_defaults(const tern_bench_options *given) {
    tern_bench_options options = given ? *given : (tern_bench_options){0};
    if (options.min_time_ms <= 0) options.min_time_ms = 200;
    if (options.max_time_ms <= 0) options.max_time_ms = 15000;
    if (options.max_noise <= 0) options.max_noise = 0.005;
    if (options.max_samples <= 0) options.max_samples = 10000;
    if (options.warmups <= 0) options.warmups = 3;
    return options;
}

typedef struct Samples {
    double *ms, *host_ms;
    size_t count, capacity;
} Samples;

static bool samples_add(Samples *samples, double ms, double host_ms) {
    if (samples->count == samples->capacity) {
        size_t larger = samples->capacity ? samples->capacity * 2 : 64;
        double *times = realloc(samples->ms, larger * sizeof(double));
        if (times) samples->ms = times;
        double *hosts = realloc(samples->host_ms, larger * sizeof(double));
        if (hosts) samples->host_ms = hosts;
        if (!times || !hosts) return false;
        samples->capacity = larger;
    }
    samples->ms[samples->count] = ms;
    samples->host_ms[samples->count++] = host_ms;
    return true;
}

static tern_status collect(Bench *bench, const tern_bench_options *options, Samples *samples, double *cpu_ms) {
    Convergence convergence;
    convergence_start(&convergence, options->max_noise, options->min_time_ms);
    double deadline = clock_ms(CLOCK_MONOTONIC) + options->max_time_ms;
    bench->cpu_ms = 0;
    for (bool enough = false; !enough;) {
        double ms, host_ms;
        tern_status status = timed_sample(bench, &ms, &host_ms);
        if (status) return status;
        if (!samples_add(samples, ms, host_ms)) return TERN_ERROR_NO_MEMORY;
        enough = convergence_add(&convergence, ms) || samples->count >= (size_t)options->max_samples ||
                 clock_ms(CLOCK_MONOTONIC) > deadline;
    }
    *cpu_ms = bench->cpu_ms / (double)samples->count;
    return TERN_OK;
}

static bool is_set(const char *variable) {
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
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

static unsigned judge(const Bench *bench, const tern_bench_options *options, const tern_timing *timing) {
    unsigned trust = 0;
    if (timing->noise > 4 * options->max_noise) trust |= TERN_TRUST_NOISY;
    if (timing->median < 4 * timing->floor_ms) trust |= TERN_TRUST_NEAR_FLOOR;
    if (bench->on_gpu && timing->host_ms > timing->median) trust |= TERN_TRUST_HOST_BOUND;
    if (device_is(bench->context, "interp") || device_is(bench->context, "sim")) trust |= TERN_TRUST_NOT_SPEED;
    if (is_set("TERN_LAUNCH_BLOCKING") || is_set("CUDA_LAUNCH_BLOCKING")) trust |= TERN_TRUST_BLOCKING;
    if (starts_slower(timing->samples, timing->num_samples)) trust |= TERN_TRUST_SLOWER_START;
    if (timing->num_outliers * 20 > timing->num_samples) trust |= TERN_TRUST_OUTLIERS;
    if (timing->num_samples < 10) trust |= TERN_TRUST_FEW_SAMPLES;
    return trust;
}

/* Fills timing from the samples, which it then owns. */
static tern_status summarise(Samples *samples, tern_timing *timing) {
    size_t n = samples->count;
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted) return TERN_ERROR_NO_MEMORY;
    timing->num_outliers = stats_outliers(sorted, samples->ms, n);
    timing->host_ms = stats_median(sorted, samples->host_ms, n);
    memcpy(sorted, samples->ms, n * sizeof *sorted);
    stats_sort(sorted, n);
    timing->median = stats_quantile(sorted, n, 0.5);
    timing->q20 = stats_quantile(sorted, n, 0.2);
    timing->q80 = stats_quantile(sorted, n, 0.8);
    timing->min = sorted[0];
    timing->max = sorted[n - 1];
    timing->mean = stats_mean(sorted, n);
    timing->stdev = stats_stdev(sorted, n);
    timing->noise = timing->mean > 0 ? timing->stdev / timing->mean : 0;
    timing->num_samples = n;
    timing->samples = samples->ms;
    samples->ms = NULL;
    free(sorted);
    return TERN_OK;
}

tern_status tern_bench(tern_context *context, tern_callable *run, void *user,
                       const tern_bench_options *given, tern_timing *timing) {
    Bench bench;
    Samples samples = {0};
    tern_bench_options options = with_defaults(given);
    *timing = (tern_timing){0};
    tern_status status = bench_open(&bench, context, run, user, !options.hot);
    if (status) return status;
    timing->cold_bytes = bench.flush_bytes;
    status = measure_floor(&bench, &timing->floor_ms);
    for (int i = 0; i < options.warmups && !status; i++) status = run(user, NULL);
    if (!status) status = tern_synchronize(context);
    if (!status) status = collect(&bench, &options, &samples, &timing->cpu_ms);
    if (!status) status = summarise(&samples, timing);
    if (!status) timing->trust = judge(&bench, &options, timing);
    free(samples.ms);
    free(samples.host_ms);
    bench_close(&bench);
    return status;
}

void tern_timing_free(tern_timing *timing) {
    free(timing->samples);
    timing->samples = NULL;
}

const char *tern_trust_words(unsigned one_bit) {
    switch (one_bit) {
    case TERN_TRUST_NOISY: return "noisy: the samples did not settle";
    case TERN_TRUST_NEAR_FLOOR: return "near the floor: timing nothing takes over a quarter as long";
    case TERN_TRUST_HOST_BOUND: return "host bound: enqueueing took longer than the work";
    case TERN_TRUST_NOT_SPEED: return "not a speed: this device checks, it is not made to be fast";
    case TERN_TRUST_BLOCKING: return "launches block: LAUNCH_BLOCKING is set";
    case TERN_TRUST_SLOWER_START: return "slower at the start: not warm, or the clock changed";
    case TERN_TRUST_OUTLIERS: return "outliers: more than 1 sample in 20 lies far out";
    case TERN_TRUST_FEW_SAMPLES: return "few samples: fewer than 10 in the time allowed";
    default: return NULL;
    }
}
