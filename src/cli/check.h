// SPDX-License-Identifier: Apache-2.0
/* check: what a launch wrote, and whether it is right. */
#ifndef TERN_CLI_CHECK_H
#define TERN_CLI_CHECK_H

#include "cli/measure.h"

typedef struct CheckedOutputs {
    int num_tensors, num_changed;
    const char *poisoned; /* an output that was not written whole, or NULL */
    int64_t num_poison, num_elements;
    const char *has_nan;
} CheckedOutputs;

uint64_t *outputs_before(Arena *arena, const Bound *bound);
void outputs_look(const Bound *bound, const uint64_t *before, CheckedOutputs *outputs);

typedef struct Mismatch {
    int64_t wrong, count, first; /* elements */
    double got, want;            /* of the first */
} Mismatch;
/* Within the tolerance that suits what the kernel computes. Both have as many elements. */
bool results_differ(const Bound *bound, const char *name, const Tensor *got, const Tensor *want,
                    Mismatch *mismatch);

/* Against what --check names: "interp", or NAME=VALUE. The tensors hold the results of one launch.
 * An ExitCode, after complaining. */
int check_result(const MeasureRequest *request, Bound *bound, const char *what);
/* All that --check was given. */
int check_results(const MeasureRequest *request, Bound *bound);
/* Launches both once with the same arguments and compares the tensors that both have: b against a.
 * An ExitCode, after complaining. */
int check_same(const MeasureRequest *request, Cli *cli_a, const char *operand_a, Cli *cli_b,
               const char *operand_b);

#endif
