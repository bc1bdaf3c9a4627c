// SPDX-License-Identifier: Apache-2.0
/* collect over made-up samples and a made-up clock: what is discarded, when there are enough, what
 * is said. Nothing here is timed. */
#include "bench/collect.h"
#include "test.h"

static uint64_t state = 88172645463325252u;
static double normal(void) {
    double sum = -6; /* of twelve uniform ones: mean 0, variance 1 */
    for (int i = 0; i < 12; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        sum += (double)(state >> 11) / 9007199254740992.0;
    }
    return sum;
}

/* A stream: the clock goes on by wall_ms for each sample. */
typedef struct Stream {
    Collected collected;
    tern_bench_options options;
    tern_timing timing;
    double now_ms;
    int taken;
} Stream;

static void start(Stream *stream, double max_time_ms, double extra_time_ms) {
    memset(stream, 0, sizeof *stream);
    stream->options = collect_options(&(tern_bench_options){
        .min_time_ms = 100, .max_time_ms = max_time_ms, .extra_time_ms = extra_time_ms});
    collect_start(&stream->collected, &stream->options, 1000);
    stream->now_ms = 1000;
}

static CollectStep feed(Stream *stream, double ms, double cpu_ms, double wall_ms) {
    const Sample sample = {.ms = ms, .host_ms = ms, .cpu_ms = cpu_ms, .knows_cpu = true};
    stream->now_ms += wall_ms;
    stream->taken++;
    return collect_add(&stream->collected, &sample, stream->now_ms);
}

static unsigned end(Stream *stream) {
    CHECK(collect_summarise(&stream->collected, &stream->timing));
    unsigned trust = collect_trust(&stream->collected, &stream->timing);
    tern_timing_free(&stream->timing);
    collect_free(&stream->collected);
    return trust;
}

/* A cold sample of 0.08 ms takes 300 ms of wall time: three fit into the time, ten are taken. */
TEST(a_point_has_ten_samples) {
    Stream stream;
    start(&stream, 1000, 9000);
    while (feed(&stream, 0.08, 0.08, 300) == COLLECT_MORE) continue;
    CHECK(stream.taken == 10);
    CHECK(!(end(&stream) & TERN_TRUST_FEW_SAMPLES));
    start(&stream, 1000, 500); /* and where that would take too long, it is said */
    while (feed(&stream, 0.08, 0.08, 300) == COLLECT_MORE) continue;
    CHECK(stream.taken == 6);
    CHECK(end(&stream) & TERN_TRUST_FEW_SAMPLES);
}

TEST(by_default_as_much_time_again) {
    CHECK(collect_options(NULL).extra_time_ms == collect_options(NULL).max_time_ms);
    CHECK(collect_options(&(tern_bench_options){.max_time_ms = 7}).extra_time_ms == 7);
}

/* 25.9 ms of wall time against 0.08 ms of processor time: others had the processor. */
TEST(a_contended_sample_is_no_sample) {
    Stream stream;
    start(&stream, 10000, 0);
    CollectStep step = COLLECT_MORE;
    for (int i = 0; step == COLLECT_MORE; i++)
        step = i % 4 == 3 ? feed(&stream, 25.9, 0.08, 30) : feed(&stream, 0.9, 0.89, 2);
    unsigned trust = end(&stream);
    CHECK(stream.timing.max == 0.9);
    CHECK(stream.timing.num_contended > 20);
    CHECK(stream.timing.num_discarded == stream.timing.num_contended);
    CHECK(stream.timing.num_samples + stream.timing.num_contended == (size_t)stream.taken);
    CHECK(trust == 0);
}

/* A callable that waits has no other samples: they are kept, and it is said. */
TEST(when_all_are_contended_they_are_kept) {
    Stream stream;
    start(&stream, 10000, 0);
    while (feed(&stream, 20, 0.01, 20) == COLLECT_MORE) continue;
    CHECK(end(&stream) == TERN_TRUST_CONTENDED);
    CHECK(stream.timing.num_contended == 8 && stream.timing.num_samples == 10);
    CHECK(stream.timing.median == 20);
    CHECK(strstr(tern_trust_words(TERN_TRUST_CONTENDED), "contended: "));
}

TEST(the_end_of_the_time_keeps_contended_ones) {
    Stream stream;
    start(&stream, 100, 50);
    CHECK(feed(&stream, 20, 0.01, 90) == COLLECT_MORE);
    CHECK(feed(&stream, 20, 0.01, 90) == COLLECT_ENOUGH);
    CHECK(end(&stream) == (TERN_TRUST_CONTENDED | TERN_TRUST_FEW_SAMPLES));
}

/* One that comes late, after enough good ones, ends the point and is none of its samples. */
TEST(a_late_contended_sample_is_not_kept) {
    Stream stream;
    start(&stream, 100, 100);
    for (int i = 0; i < 12; i++) CHECK(feed(&stream, 1 + 0.1 * (i % 3), 1, 8) == COLLECT_MORE);
    CHECK(feed(&stream, 20, 0.01, 20) == COLLECT_ENOUGH);
    CHECK(!(end(&stream) & TERN_TRUST_CONTENDED));
    CHECK(stream.timing.num_samples == 12 && stream.timing.max < 2);
}

/* What a switch to another program and back takes is no contention; nor is what the processor did
 * for several threads; nor work whose processor time is not known. */
TEST(not_contended) {
    const Sample fine[] = {{.ms = 0.04, .cpu_ms = 0.001, .knows_cpu = true},
                           {.ms = 10, .cpu_ms = 5.1, .knows_cpu = true},
                           {.ms = 10, .cpu_ms = 19, .knows_cpu = true},
                           {.ms = 10, .cpu_ms = 0.003, .knows_cpu = false}};
    for (int i = 0; i < 4; i++) {
        Stream stream;
        start(&stream, 1000, 0);
        collect_add(&stream.collected, &fine[i], 1001);
        CHECK(stream.collected.samples.count == 1);
        collect_free(&stream.collected);
    }
}

/* Three of a hundred samples far out: the standard deviation is over five times the mean. */
TEST(outliers_make_no_noise) {
    Stream stream;
    start(&stream, 1e9, 0);
    for (int i = 0; i < 100; i++) feed(&stream, i % 33 == 32 ? 400 : 1 + 0.001 * normal(), 400, 1);
    unsigned trust = end(&stream);
    CHECK(stream.timing.stdev > 5 * stream.timing.median);
    CHECK(fabs(stream.timing.noise - 0.001) < 0.0004);
    CHECK(!(trust & TERN_TRUST_NOISY));
}

/* Two levels 20 % apart are noise, with no outlier among them. */
TEST(two_levels_are_noise) {
    Stream stream;
    start(&stream, 1e9, 0);
    for (int i = 0; i < 100; i++) feed(&stream, i % 5 < 2 ? 1 : 1.2, 2, 1);
    CHECK(end(&stream) & TERN_TRUST_NOISY);
    CHECK(stream.timing.num_outliers == 0);
}

TEST(spread_of_a_normal_distribution_is_its_deviation) {
    double values[20000];
    for (int i = 0; i < 20000; i++) values[i] = 3 + 0.06 * normal();
    stats_sort(values, 20000);
    CHECK(fabs(stats_spread(values, 20000) - 0.02) < 0.0005);
}

TEST(dropping_goes_back_to_a_number) {
    Stream stream;
    start(&stream, 1000, 0);
    for (int i = 0; i < 6; i++) feed(&stream, 1 + i, 1 + i, 1);
    collect_drop(&stream.collected, 2);
    end(&stream);
    CHECK(stream.timing.num_samples == 2 && stream.timing.max == 2);
    CHECK(stream.timing.num_discarded == 4 && stream.timing.num_contended == 0);
}

TEST_MAIN()
