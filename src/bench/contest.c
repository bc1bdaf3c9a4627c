// SPDX-License-Identifier: Apache-2.0
#include "bench/contest.h"
#include "bench/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Found by simulation: candidates exp(exponential) apart, noise of 0.6 to 5 %, clocks that drift by
 * 1 to 8 %, outliers (test/unit/contest.c has the same worlds). A false exit costs at most the gap
 * to the next, so that a loose level is right: one in five races loses a candidate that it should
 * not. */
static const double level = 0.2, gross = 1.3, trimmed = 0.2, no_error = 9;
enum { FIRST_CUT = 3 };
static const int looks[] = {5, 7, 10, 14, 20, 28, 40, 56, 80, 112, 160, 200};
enum { NUM_LOOKS = sizeof looks / sizeof *looks };

bool contest_open(Contest *contest, int count, int max_rounds, double margin) {
    size_t cells = (size_t)count * (size_t)max_rounds;
    *contest =
        (Contest){.count = count, .num_in = count, .max_rounds = max_rounds, .margin = margin};
    contest->best = -1;
    contest->contestants = calloc((size_t)count, sizeof *contest->contestants);
    contest->logs = calloc(cells, sizeof *contest->logs);
    contest->scratch = calloc(2 * (size_t)max_rounds, sizeof *contest->scratch);
    if (!contest->contestants || !contest->logs || !contest->scratch) {
        contest_close(contest);
        return false;
    }
    for (int i = 0; i < count; i++) contest->contestants[i].is_in = true;
    return true;
}

void contest_close(Contest *contest) {
    free(contest->contestants);
    free(contest->logs);
    free(contest->scratch);
    *contest = (Contest){0};
}

/* splitmix64 */
static uint64_t draw(uint64_t *seed) {
    uint64_t z = *seed += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

int contest_order(const Contest *contest, uint64_t *seed, int *order) {
    int count = 0;
    for (int i = 0; i < contest->count; i++) {
        if (!contest->contestants[i].is_in) continue;
        int at = (int)(draw(seed) % (uint64_t)(count + 1));
        order[count++] = order[at];
        order[at] = i;
    }
    return count;
}

static double *log_of(const Contest *contest, int round, int contestant) {
    return &contest->logs[(size_t)round * (size_t)contest->count + (size_t)contestant];
}

void contest_put(Contest *contest, int contestant, double ms) {
    *log_of(contest, contest->rounds, contestant) = log(ms > 1e-9 ? ms : 1e-9);
    contest->contestants[contestant].rounds = contest->rounds + 1;
}

void contest_drop(Contest *contest, int contestant) {
    if (contest->contestants[contestant].is_in) contest->num_in--;
    contest->contestants[contestant].is_in = false;
}

double contest_median_ms(const Contest *contest, int contestant) {
    int rounds = contest->contestants[contestant].rounds;
    for (int i = 0; i < rounds; i++) contest->scratch[i] = *log_of(contest, i, contestant);
    return rounds ? exp(stats_median(contest->scratch + contest->max_rounds, contest->scratch,
                                     (size_t)rounds))
                  : 0;
}

/* ---- Student's t ---- */

/* P(|T| < t), the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4. */
static double student_within(double t, int df) {
    double angle = atan(t / sqrt(df)), c = cos(angle), term = df % 2 ? c : 1, sum = 0;
    for (int i = df % 2 ? 3 : 2; i <= df; i += 2) {
        sum += term;
        term *= c * c * (i - 1) / i;
    }
    return df % 2 ? (angle + sin(angle) * sum) * M_2_PI : sin(angle) * sum;
}

double student_quantile(double p, int df) {
    double low = 0, high = 1e6;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (0.5 + student_within(middle, df) / 2 < p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* ---- looks ---- */

/* log(time / best's time): trimmed mean, its error, degrees of freedom. Of too few rounds for a
 * mean the median, and an error above all differences. */
typedef struct Apart {
    double mean, error;
    int df;
} Apart;

static Apart apart_of(const Contest *contest, int contestant, int best) {
    int n = contest->contestants[contestant].rounds;
    if (contest->contestants[best].rounds < n) n = contest->contestants[best].rounds;
    int cut = (int)(trimmed * n), kept;
    double *d = contest->scratch, sum = 0, winsorized = 0, squares = 0;
    for (int i = 0; i < n; i++) d[i] = *log_of(contest, i, contestant) - *log_of(contest, i, best);
    if (cut < 1) cut = 1;
    kept = n - 2 * cut;
    if (kept < 2)
        return (Apart){n ? stats_median(d + contest->max_rounds, d, (size_t)n) : 0, no_error, 1};
    stats_sort(d, (size_t)n);
    for (int i = cut; i < n - cut; i++) sum += d[i];
    for (int i = 0; i < n; i++) winsorized += d[i < cut ? cut : i >= n - cut ? n - cut - 1 : i] / n;
    for (int i = 0; i < n; i++) {
        double x = d[i < cut ? cut : i >= n - cut ? n - cut - 1 : i] - winsorized;
        squares += x * x;
    }
    /* Yuen 1974 */
    double error = sqrt(squares / ((double)kept * (kept - 1)));
    return (Apart){sum / kept, error + 1e-9, kept - 1};
}

static int least_median(const Contest *contest) {
    int best = -1;
    double least = 0;
    for (int i = 0; i < contest->count; i++) {
        if (!contest->contestants[i].is_in || !contest->contestants[i].rounds) continue;
        double median = contest_median_ms(contest, i);
        if (best < 0 || median < least) best = i, least = median;
    }
    return best;
}

static void note(Contest *contest, int contestant, const Apart *apart) {
    bool is_known = apart->df > 1 || apart->error < no_error;
    double width = student_quantile(0.975, apart->df) * apart->error;
    contest->contestants[contestant].ratio = exp(apart->mean);
    contest->contestants[contestant].low = is_known ? exp(apart->mean - width) : 0;
    contest->contestants[contestant].high = is_known ? exp(apart->mean + width) : 0;
}

/* True: none of those left can be faster than the best by more than the margin. */
static bool look(Contest *contest, bool may_drop) {
    double p = 1 - level / ((double)contest->count * NUM_LOOKS);
    bool close = true;
    contest->best = least_median(contest);
    for (int i = 0; i < contest->count && contest->best >= 0; i++) {
        if (!contest->contestants[i].is_in || !contest->contestants[i].rounds) continue;
        if (i == contest->best) {
            contest->contestants[i].ratio = contest->contestants[i].low =
                contest->contestants[i].high = 1;
            continue;
        }
        Apart apart = apart_of(contest, i, contest->best);
        double least = apart.mean - student_quantile(p, apart.df) * apart.error;
        note(contest, i, &apart);
        if (least > 0 && may_drop)
            contest_drop(contest, i);
        else if (least <= -log1p(contest->margin))
            close = false;
    }
    return close;
}

void contest_look(Contest *contest) { look(contest, false); }

/* Who, at best, was far above what the best took at worst: where all is noise that is nobody. */
static void cut_gross(Contest *contest) {
    double worst = -INFINITY;
    contest->best = least_median(contest);
    for (int r = 0; r < contest->rounds && contest->best >= 0; r++)
        worst = fmax(worst, *log_of(contest, r, contest->best));
    for (int i = 0; i < contest->count; i++) {
        double least = INFINITY;
        if (!contest->contestants[i].is_in || i == contest->best) continue;
        for (int r = 0; r < contest->rounds; r++) least = fmin(least, *log_of(contest, r, i));
        if (least < worst + log(gross)) continue;
        Apart apart = apart_of(contest, i, contest->best);
        note(contest, i, &apart);
        contest_drop(contest, i);
    }
}

bool contest_next(Contest *contest) {
    bool is_look = false;
    contest->rounds++;
    if (contest->rounds == FIRST_CUT) cut_gross(contest);
    for (int i = 0; i < NUM_LOOKS; i++) is_look |= looks[i] == contest->rounds;
    bool close = is_look && look(contest, true);
    if (contest->num_in == 1 && contest->best >= 0) close = true;
    contest->is_decided = close;
    bool ends = close || contest->rounds == contest->max_rounds || contest->num_in == 0;
    if (ends) contest_look(contest);
    return ends;
}
