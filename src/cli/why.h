// SPDX-License-Identifier: Apache-2.0
/* why: what is known of one launch, for the two that print it. */
#ifndef TERN_CLI_WHY_H
#define TERN_CLI_WHY_H

#include "cli/measure.h"
#include "cli/published.h"
#include "cli/why_rule.h"

typedef struct Why {
    const Cli *cli;
    const char *kernel, *device, *description;
    uint32_t grid[3];
    WhyFacts facts;
    WhyVerdict verdict;
    /* A GPU: what the kernel takes of it and, where sim executed it, what it did. It need not be
     * here (is_model); if it is, sim's model of it counts beside what was measured. */
    bool is_model, has_counts, was_executed;
    const char *not_executed;   /* why not; or why nothing was counted */
    uint32_t executed[3];       /* the grid that was */
    tern_counted counted;       /* what was executed; per line, too */
    Bound bound;                /* that holds it; bound_close */
    const Published *published; /* NULL: nothing is */
    /* A device that is here. */
    Measured measured;
    int units;                             /* cpu: threads; 0: not known */
    int times, verdicts[WHY_NO_BOUND + 1]; /* how often measured, and each verdict was given */
} Why;

double why_blocks(const Why *why); /* of the grid */
double why_scale(const Why *why);  /* from what was executed to the whole launch */
void why_print(const Why *why);
void why_print_json(const Why *why);

#endif
