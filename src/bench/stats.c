// SPDX-License-Identifier: Apache-2.0
#include "bench/stats.h"
#include "tern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void stats_sort(double *values, size_t count) {
    if (count) qsort(values, count, sizeof *values, compare_doubles);
}

double stats_quantile(const double *sorted, size_t count, double q) {
    double place = q * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count) return sorted[count - 1];
    double part = place - (double)below;
    return sorted[below] + (sorted[below + 1] - sorted[below]) * part;
}

double stats_mean(const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return count ? sum / (double)count : 0;
}

double stats_stdev(const double *values, size_t count) {
    if (count < 2) return 0;
    double mean = stats_mean(values, count), sum = 0;
    for (size_t i = 0; i < count; i++) sum += (values[i] - mean) * (values[i] - mean);
    return sqrt(sum / (double)(count - 1));
}

double stats_median(double *scratch, const double *values, size_t count) {
    memcpy(scratch, values, count * sizeof *values);
    stats_sort(scratch, count);
    return stats_quantile(scratch, count, 0.5);
}

double stats_spread(const double *sorted, size_t count) {
    static const double normal = 2 * 0.8416212335729143; /* the 80 % quantile of a normal one */
    double median = stats_quantile(sorted, count, 0.5);
    double width = stats_quantile(sorted, count, 0.8) - stats_quantile(sorted, count, 0.2);
    return median > 0 ? width / normal / median : 0;
}

size_t stats_outliers(double *scratch, const double *values, size_t count) {
    if (count < 3) return 0;
    double median = stats_median(scratch, values, count);
    for (size_t i = 0; i < count; i++) scratch[i] = fabs(values[i] - median);
    stats_sort(scratch, count);
    double deviation = stats_quantile(scratch, count, 0.5);
    size_t outliers = 0;
    for (size_t i = 0; i < count; i++)
        outliers += fabs(values[i] - median) > 14.826 * deviation && deviation > 0;
    return outliers;
}

enum { LEAST_SAMPLES = 10, RING = 512, FLAT_FROM = 64, FLAT_EVERY = 16 };

void convergence_start(Convergence *c, double max_noise, double min_total) {
    memset(c, 0, sizeof *c);
    c->max_noise = max_noise;
    c->min_total = min_total;
}

double convergence_noise(const Convergence *c) {
    if (c->count < 2) return 0;
    double n = (double)c->count, mean = c->sum / n;
    double variance = (c->sum_squares - n * mean * mean) / (n - 1);
    double level = mean + c->shift;
    return level > 0 && variance > 0 ? sqrt(variance) / level : 0;
}

/* The noise itself no longer changes: more samples would not make it smaller. */
static bool noise_is_flat(const Convergence *c) {
    if (c->num_noises <= FLAT_FROM || c->num_noises % FLAT_EVERY) return false;
    size_t held = c->num_noises < RING ? c->num_noises : RING;
    double mean = stats_mean(c->noises, held);
    return mean > 0 && stats_stdev(c->noises, held) < 0.05 * mean;
}

bool convergence_add(Convergence *c, double sample) {
    if (!c->count) c->shift = sample;
    double moved = sample - c->shift;
    c->sum += moved;
    c->sum_squares += moved * moved;
    c->count++;
    double noise = convergence_noise(c);
    if (c->count >= 5) c->noises[c->num_noises++ % RING] = noise;
    double total = c->sum + c->shift * (double)c->count;
    if (c->count < LEAST_SAMPLES || total < c->min_total) return false;
    return noise < c->max_noise || noise_is_flat(c);
}

/* ---- comparison over processes ---- */

enum { MOST_RUNS = 64 };

/* Median of all pairwise differences: the shift that fits b best, whatever the distribution. */
static double hodges_lehmann(const double *a, size_t count_a, const double *b, size_t count_b,
                             double *differences) {
    size_t n = 0;
    for (size_t i = 0; i < count_a; i++)
        for (size_t j = 0; j < count_b; j++) differences[n++] = b[j] - a[i];
    stats_sort(differences, n);
    return stats_quantile(differences, n, 0.5);
}

/* The number of ways in which the rank-sum statistic U takes each value, divided by all ways. */
static void rank_sum_distribution(size_t m, size_t n, double *probability) {
    size_t most = m * n;
    memset(probability, 0, (most + 1) * sizeof *probability);
    probability[0] = 1;
    /* Generating function: product over i of (1 - x^(n+i)) / (1 - x^i). */
    for (size_t i = 1; i <= m; i++) {
        for (size_t u = most + 1; u-- > n + i;) probability[u] -= probability[u - n - i];
        for (size_t u = i; u <= most; u++) probability[u] += probability[u - i];
    }
    double all = 0;
    for (size_t u = 0; u <= most; u++) all += probability[u];
    for (size_t u = 0; u <= most; u++) probability[u] /= all;
}

/* How many of the sorted differences to leave out at each end for a 95 % interval; count itself
 * when there are too few runs for any. */
static size_t interval_cut(size_t m, size_t n, double *probability) {
    rank_sum_distribution(m, n, probability);
    double tail = 0;
    size_t cut = 0;
    while (cut < m * n && tail + probability[cut] <= 0.025) tail += probability[cut++];
    return cut;
}

/* Two-sided: the ranks of b against a shifted by the margin, towards the side that b is on. */
static double p_beyond(const double *differences, size_t n, const double *probability,
                       double margin) {
    size_t below = 0, above = 0;
    double tail = 0;
    for (size_t i = 0; i < n; i++) {
        below += differences[i] <= log(1 + margin);
        above += differences[i] >= log(1 - margin);
    }
    for (size_t u = 0; u <= (below < above ? below : above); u++) tail += probability[u];
    return tail < 0.5 ? 2 * tail : 1;
}

tern_comparison tern_compare(const double *a, size_t count_a, const double *b, size_t count_b,
                             double margin) {
    tern_comparison result = {.verdict = TERN_UNSURE,
                              .ratio = 1,
                              .high = INFINITY,
                              .margin = margin,
                              .detectable = INFINITY,
                              .p = 1};
    double logs_a[MOST_RUNS], logs_b[MOST_RUNS];
    if (count_a > MOST_RUNS) count_a = MOST_RUNS;
    if (count_b > MOST_RUNS) count_b = MOST_RUNS;
    if (!count_a || !count_b) return result;
    for (size_t i = 0; i < count_a; i++) logs_a[i] = log(a[i]);
    for (size_t i = 0; i < count_b; i++) logs_b[i] = log(b[i]);
    size_t n = count_a * count_b;
    double *differences = malloc(n * sizeof *differences),
           *probability = malloc((n + 1) * sizeof *probability);
    if (!differences || !probability) goto done;
    result.ratio = exp(hodges_lehmann(logs_a, count_a, logs_b, count_b, differences));
    size_t cut = interval_cut(count_a, count_b, probability);
    result.p = p_beyond(differences, n, probability, margin);
    if (cut == 0) goto done; /* too few runs: even the most extreme order is not rare enough */
    result.low = exp(differences[cut - 1]);
    result.high = exp(differences[n - cut]);
    result.detectable = margin + (differences[n - cut] - differences[cut - 1]) / 2;
    if (result.low > 1 + margin)
        result.verdict = TERN_SLOWER;
    else if (result.high < 1 - margin)
        result.verdict = TERN_FASTER;
    else if (result.low >= 1 - margin && result.high <= 1 + margin)
        result.verdict = TERN_SAME;
done:
    free(differences);
    free(probability);
    return result;
}

int tern_holm(tern_comparison *comparisons, int count) {
    int *order = count > 0 ? malloc((size_t)count * sizeof *order) : NULL, changed = 0;
    for (int i = 0; i < count && order; i++) { /* by p, ascending */
        int at = i;
        for (; at > 0 && comparisons[order[at - 1]].p > comparisons[i].p; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    bool holds = order != NULL; /* without memory nothing does */
    for (int i = 0; i < count; i++) {
        tern_comparison *c = &comparisons[order ? order[i] : i];
        holds = holds && c->p <= 0.05 / (count - i);
        if (holds || (c->verdict != TERN_FASTER && c->verdict != TERN_SLOWER)) continue;
        c->verdict = TERN_UNSURE;
        changed++;
    }
    free(order);
    return changed;
}

const char *tern_verdict_word(tern_verdict verdict) {
    switch (verdict) {
    case TERN_SAME: return "SAME";
    case TERN_FASTER: return "FASTER";
    case TERN_SLOWER: return "SLOWER";
    case TERN_UNSURE: return "UNSURE";
    }
    return "?";
}

double tern_quantile(const double *values, size_t count, double q) {
    double *sorted = count ? malloc(count * sizeof *sorted) : NULL;
    if (!sorted) return NAN;
    memcpy(sorted, values, count * sizeof *sorted);
    stats_sort(sorted, count);
    double result = stats_quantile(sorted, count, q < 0 ? 0 : q > 1 ? 1 : q);
    free(sorted);
    return result;
}
