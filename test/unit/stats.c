// SPDX-License-Identifier: Apache-2.0
/* stats against known answers and against simulated programs whose truth is known. */
#include "bench/stats.h"
#include "tern.h"
#include "test.h"

static uint64_t state = 88172645463325252u;
static double uniform(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}
static double normal(void) {
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

TEST(quantiles_interpolate) {
    double values[] = {1, 2, 3, 4};
    CHECK(stats_quantile(values, 4, 0.5) == 2.5);
    CHECK(stats_quantile(values, 4, 0) == 1);
    CHECK(stats_quantile(values, 4, 1) == 4);
    CHECK(fabs(stats_quantile(values, 4, 0.2) - 1.6) < 1e-12);
    CHECK(stats_quantile(values, 1, 0.8) == 1);
}

TEST(stdev_is_unbiased) {
    double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    CHECK(fabs(stats_stdev(values, 8) - 2.138089935299395) < 1e-12);
    CHECK(stats_stdev(values, 1) == 0);
}

TEST(outliers_are_counted) {
    double scratch[8], values[] = {10, 10.1, 9.9, 10, 10.2, 9.8, 30, 10};
    CHECK(stats_outliers(scratch, values, 8) == 1);
}

TEST(converges_when_quiet_and_not_before_time) {
    Convergence c;
    convergence_start(&c, 0.005, 100);
    int samples = 0;
    while (!convergence_add(&c, 1.0)) samples++;
    CHECK(samples == 99);
    CHECK(convergence_noise(&c) == 0);
}

TEST(stops_when_noise_stays) {
    Convergence c;
    convergence_start(&c, 0.0001, 10);
    int samples = 1;
    while (!convergence_add(&c, 1 + 0.05 * normal()) && samples < 100000) samples++;
    CHECK(samples > 64 && samples < 5000);
    CHECK(fabs(convergence_noise(&c) - 0.05) < 0.01);
}

/* Each process has an offset of its own: identical programs must not be called different. */
TEST(identical_programs_are_seldom_called_different) {
    int wrong = 0, runs = 2000;
    for (int i = 0; i < runs; i++) {
        double a[7], b[7];
        for (int k = 0; k < 7; k++) a[k] = 1 + 0.01 * normal(), b[k] = 1 + 0.01 * normal();
        tern_verdict verdict = tern_compare(a, 7, b, 7, 0).verdict;
        wrong += verdict == TERN_FASTER || verdict == TERN_SLOWER;
    }
    CHECK(wrong < runs * 7 / 100);
    CHECK(wrong > runs / 200);
}

TEST(a_real_change_is_found) {
    int found = 0;
    for (int i = 0; i < 500; i++) {
        double a[7], b[7];
        for (int k = 0; k < 7; k++)
            a[k] = 1 + 0.005 * normal(), b[k] = 1.05 * (1 + 0.005 * normal());
        tern_comparison c = tern_compare(a, 7, b, 7, 0.01);
        found += c.verdict == TERN_SLOWER && fabs(c.ratio - 1.05) < 0.02;
    }
    CHECK(found > 490);
}

TEST(equal_within_margin_is_the_same) {
    double a[7] = {1, 1.001, 0.999, 1, 1.002, 0.998, 1}, b[7] = {1.001, 1, 1, 0.999, 1, 1.001, 1};
    CHECK(tern_compare(a, 7, b, 7, 0.01).verdict == TERN_SAME);
    CHECK(tern_compare(a, 2, b, 2, 0.01).verdict == TERN_UNSURE);
}

/* The interval must cover the true ratio 95 times in 100 (exact for these counts: a little more).
 */
TEST(interval_covers) {
    int covered = 0, runs = 2000;
    for (int i = 0; i < runs; i++) {
        double a[6], b[8];
        for (int k = 0; k < 6; k++) a[k] = exp(0.02 * normal());
        for (int k = 0; k < 8; k++) b[k] = 1.1 * exp(0.02 * normal());
        tern_comparison c = tern_compare(a, 6, b, 8, 0.01);
        covered += c.low <= 1.1 && 1.1 <= c.high;
    }
    CHECK(covered > runs * 94 / 100 && covered < runs * 99 / 100);
}

/* One process: the median of 60 samples around `level`, each leaning on the one before by rho, with
 * an offset of the process's own. */
static double process_median(double level, double rho, double offset) {
    double samples[60], scratch[60], error = normal(), own = offset * normal();
    for (int i = 0; i < 60; i++) {
        error = rho * error + sqrt(1 - rho * rho) * normal();
        samples[i] = level * (1 + own + 0.005 * error);
    }
    return stats_median(scratch, samples, 60);
}

typedef struct Tally {
    int alarms, slower, covered, runs;
} Tally;

/* 7 and 7 processes in the order ABBA.., b being `ratio` times as slow; the machine drifts over
 * them. */
static Tally compare_simulated(double ratio, double rho, double offset, double drift, double margin,
                               int runs) {
    Tally tally = {.runs = runs};
    for (int run = 0; run < runs; run++) {
        double a[7], b[7];
        for (int i = 0, place = 0; i < 7; i++)
            for (int k = 0; k < 2; k++, place++) {
                double level = 1 + drift * place / 13;
                if ((i + k) % 2)
                    b[i] = process_median(level * ratio, rho, offset);
                else
                    a[i] = process_median(level, rho, offset);
            }
        tern_comparison c = tern_compare(a, 7, b, 7, margin);
        tally.alarms += c.verdict == TERN_SLOWER || c.verdict == TERN_FASTER;
        tally.slower += c.verdict == TERN_SLOWER;
        tally.covered += c.low <= ratio && ratio <= c.high;
    }
    return tally;
}

/* 4000 pairs of the same program, with no margin to hide behind; then 3 % found; and the intervals.
 */
TEST(verdicts_hold_over_processes) {
    static const struct {
        double rho, offset, drift;
    } noises[] = {{0, 0, 0}, {0.8, 0, 0}, {0, 0.003, 0}, {0.8, 0.003, 0.002}};
    Tally same = {0}, slower = {0};
    for (int i = 0; i < 4; i++) {
        Tally one = compare_simulated(1, noises[i].rho, noises[i].offset, noises[i].drift, 0, 1000);
        same.alarms += one.alarms, same.runs += one.runs, same.covered += one.covered;
        one = compare_simulated(1.03, noises[i].rho, noises[i].offset, noises[i].drift, 0.01, 250);
        slower.slower += one.slower, slower.runs += one.runs;
    }
    CHECK(same.alarms <= same.runs * 6 / 100);
    CHECK(same.alarms >= same.runs * 2 / 100);
    CHECK(slower.slower >= slower.runs * 90 / 100);
    CHECK(same.covered >= same.runs * 93 / 100 && same.covered <= same.runs * 975 / 1000);
}

/* p and the interval say the same; p is that of the exact distribution. */
TEST(p_is_exact) {
    double a[7] = {1, 1.001, 1.002, 1.003, 1.004, 1.005, 1.006}, b[7];
    for (int i = 0; i < 7; i++) b[i] = a[i] * 1.1;
    CHECK(fabs(tern_compare(a, 7, b, 7, 0.01).p - 2.0 / 3432) <
          1e-12); /* 14 over 7 orders, the most extreme of two */
    CHECK(tern_compare(a, 7, a, 7, 0.01).p == 1);
    for (int run = 0; run < 500; run++) {
        for (int i = 0; i < 7; i++)
            a[i] = 1 + 0.01 * normal(), b[i] = (run % 2 ? 1.03 : 0.97) * (1 + 0.01 * normal());
        tern_comparison c = tern_compare(a, 7, b, 7, 0.01);
        bool differs = c.verdict == TERN_FASTER || c.verdict == TERN_SLOWER;
        CHECK(differs == (c.p <= 0.05));
    }
}

/* Twenty points at once: the chance of any alarm is what one point's was, and a change is still
 * found. */
TEST(many_points_raise_no_more_alarms_than_one) {
    enum { POINTS = 20, RUNS = 500 };
    int alarms = 0, alone = 0, found = 0;
    for (int run = 0; run < RUNS; run++) {
        tern_comparison all[POINTS];
        for (int point = 0; point < POINTS; point++) {
            double a[7], b[7], change = point == 3 ? 1.06 : 1;
            for (int k = 0; k < 7; k++)
                a[k] = 1 + 0.005 * normal(), b[k] = change * (1 + 0.005 * normal());
            all[point] = tern_compare(a, 7, b, 7, 0);
        }
        int before = 0, after = 0;
        for (int point = 0; point < POINTS; point++)
            before += point != 3 && all[point].verdict != TERN_UNSURE;
        tern_holm(all, POINTS);
        for (int point = 0; point < POINTS; point++)
            after += point != 3 && all[point].verdict != TERN_UNSURE;
        alone += before > 0, alarms += after > 0, found += all[3].verdict == TERN_SLOWER;
    }
    CHECK(alone > RUNS * 40 / 100);
    CHECK(alarms <= RUNS * 7 / 100);
    CHECK(found >= RUNS * 98 / 100);
    CHECK(tern_holm(NULL, 0) == 0);
}

TEST_MAIN()
