// SPDX-License-Identifier: Apache-2.0
/* stats: what is said about repeated timings. Plain functions over arrays; nothing here knows what
 * was timed. */
#ifndef TERN_STATS_H
#define TERN_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* Sorts ascending, in place; NaNs must not be there. */
void stats_sort(double *values, size_t count);
/* Linear interpolation at q * (count - 1), as torch.quantile and triton.testing have it; values are
 * sorted; q in [0, 1]; count at least 1. */
double stats_quantile(const double *sorted, size_t count, double q);
double stats_mean(const double *values, size_t count);
double stats_stdev(const double *values, size_t count); /* unbiased; 0 for fewer than 2 */
double stats_median(double *scratch, const double *values, size_t count);
/* (q80 - q20) / median, as the stdev / mean of a normal distribution that has these quantiles: some
 * outliers do not move it. Values are sorted. */
double stats_spread(const double *sorted, size_t count);
/* Modified z-score above 14.826 * 1.4826 median absolute deviations away from the median. */
size_t stats_outliers(double *scratch, const double *values, size_t count);

/* When to stop sampling: nvbench's rule on the relative standard deviation. */
typedef struct Convergence {
    double max_noise;               /* e.g. 0.005 */
    double min_total;               /* sum of the samples that must be reached, in their unit */
    double noises[512];             /* ring of the noise after each sample */
    size_t num_noises;              /* ever */
    double sum, sum_squares, shift; /* of (sample - shift), so that equal samples cancel exactly */
    size_t count;
} Convergence;

void convergence_start(Convergence *c, double max_noise, double min_total);
/* Adds a sample; true: enough (or it will not get better). */
bool convergence_add(Convergence *c, double sample);
double convergence_noise(const Convergence *c); /* stdev / mean; 0 before 2 samples */

#endif
