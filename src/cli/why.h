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
    /* A GPU that is not here: what it takes and, where it was executed by sim, what it did. */
    bool is_model, was_executed;
    const char *not_executed; /* why not */
    tern_counted counted;
    const Published *published; /* NULL: nothing is */
    /* A device that is here. */
    Measured measured;
    int units; /* cpu: threads; 0: not known */
} Why;

double why_blocks(const Why *why); /* of the grid */
void why_print(const Why *why);
void why_print_json(const Why *why);

#endif
