// SPDX-License-Identifier: Apache-2.0
/* contest: which of several candidates takes the least time, from as few samples as will tell.
 *
 * A round times each candidate that is left once, in an order drawn anew. What slows a machine down
 * for a while (its clock, other work) slows all of a round, so candidates are compared within
 * rounds: the logarithm of a candidate's time less that of the best. Timed one after the other,
 * they would differ by what changed meanwhile, and more samples would make that worse.
 *
 * After 3 rounds, who was at best beyond 1.3 of what the best took at worst is out. Then the
 * differences are looked at after some rounds: a trimmed mean with Yuen's error, one-sided, at a
 * level that is shared among candidates and looks. Out is who is slower for sure. It is decided
 * when one is left, or when none of those left can be faster than the best by more than the margin.
 * Plain arithmetic: nothing here measures anything. */
#ifndef TERN_CONTEST_H
#define TERN_CONTEST_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Contestant {
    bool is_in;
    int rounds; /* that it ran in */
    double ratio, low,
        high; /* of its time to the best's, last looked at; 95 %, 0: too few rounds; 1: the best */
} Contestant;

typedef struct Contest {
    int count, num_in, rounds, max_rounds;
    double margin;
    Contestant *contestants;
    double *logs;    /* [max_rounds][count], of the times */
    double *scratch; /* 2 * max_rounds */
    int best;        /* after a look; -1: none */
    bool is_decided;
} Contest;

bool contest_open(Contest *contest, int count, int max_rounds,
                  double margin); /* false: no memory */
void contest_close(Contest *contest);
/* Those that are in, in an order drawn from *seed; returns how many. */
int contest_order(const Contest *contest, uint64_t *seed, int *order);
void contest_put(Contest *contest, int contestant, double ms); /* in this round; above 0 */
void contest_drop(Contest *contest, int contestant);           /* it cannot go on */
/* Ends a round. True: no more rounds are wanted; is_decided says whether it is known. */
bool contest_next(Contest *contest);
void contest_look(Contest *contest); /* best, ratios and intervals as of now */
double contest_median_ms(const Contest *contest, int contestant);

/* The t that a Student's t with df degrees of freedom is below with probability p > 0.5. */
double student_quantile(double p, int df);

#endif
