// SPDX-License-Identifier: Apache-2.0
/* why_rule: what bounds a kernel, from what it needs of each resource and what there is.
 *
 * Each resource gives a time that the kernel takes at least: work / ceiling. With a time that was
 * measured, shares are of that; without one, of the longest of these, so that a verdict says what
 * is in the way at best, and no share is one of what happens. */
#ifndef TERN_CLI_WHY_RULE_H
#define TERN_CLI_WHY_RULE_H

#include "base/base.h"

/* Where a number comes from. */
typedef enum WhyFrom {
    WHY_UNKNOWN,
    WHY_MEASURED,  /* here, now */
    WHY_COUNTED,   /* by the compiler, from the kernel */
    WHY_AT_MOST,   /* the same, an upper bound */
    WHY_DECLARED,  /* by the user */
    WHY_EXECUTED,  /* by sim, as it executed the PTX */
    WHY_ASSEMBLED, /* by ptxas */
    WHY_HARDWARE,  /* counted by the device as it ran */
    WHY_PUBLISHED, /* by the maker of the device */
} WhyFrom;
char why_letter(WhyFrom from);
const char *why_legend(char letter);

typedef enum WhyKind {
    WHY_MEMORY,
    WHY_ARITHMETIC,
    WHY_TENSOR,
    WHY_SHARED,
    WHY_ACCESSES, /* sectors that move because lanes side by side do not access side by side */
    WHY_TAIL,
    WHY_LAUNCH,
    WHY_CONFLICTS,      /* of shared memory's banks */
    WHY_SPILLS,         /* a thread's values do not fit its registers */
    WHY_BY_REGISTERS,   /* few threads at a time, as each takes many registers */
    WHY_BY_SHARED_SIZE, /* .. as each block takes much shared memory */
    WHY_LATENCY,
    WHY_NO_BOUND, /* nothing is known to bound it */
} WhyKind;
#define WHY_NUM_RESOURCES WHY_TAIL
const char *why_name(WhyKind kind); /* "MEMORY" */

typedef struct WhyResource {
    double amount, ceiling; /* ceiling: of the amount, a second; 0: not known */
    WhyFrom amount_from, ceiling_from;
} WhyResource;

/* The part of the multiprocessors' time that is idle at the end, were all blocks alike: between
 * what it is if blocks side by side take as long as one alone, and if they take turns. */
typedef struct WhyTail {
    double least, most;
} WhyTail;

typedef struct WhyFacts {
    WhyResource resources[WHY_NUM_RESOURCES];
    double seconds;   /* measured; 0: not known */
    double floor_s;   /* what launching nothing takes, measured; 0: not known */
    WhyTail tail;     /* by the number of blocks */
    double active;    /* of multiprocessors, of the busiest one's time, counted; 0: not known */
    bool is_small;    /* not each multiprocessor has a block: the tail is no wave's */
    double conflicts; /* wavefronts of shared memory, in those that would do; 0: not known */
    double
        spilled_bytes; /* stored and loaded by a thread, by instructions as they stand; 0: none */
    double occupancy;  /* threads at a time, of the most; 0: not known, or the grid has no more */
    bool by_registers, by_shared; /* what limits it */
} WhyFacts;

typedef struct WhyVerdict {
    WhyKind bound, second; /* second: within 10 points of it, else WHY_NO_BOUND */
    double seconds;        /* that shares are of */
    double shares[WHY_NUM_RESOURCES];
    double gain; /* at most so many times as fast without it; 1: nothing is to be had there */
    WhyTail tail;
    bool is_tail_counted; /* by the device: it is less than by the number of blocks */
} WhyVerdict;

double why_least(const WhyResource *resource); /* seconds; 0: not known */
WhyVerdict why_judge(const WhyFacts *facts);

/* `fit` at a time on each of `units`. */
WhyTail why_tail(double blocks, double units, double fit);

#endif
