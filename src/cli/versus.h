// SPDX-License-Identifier: Apache-2.0
/* versus: two programs compared over several processes. */
#ifndef TERN_CLI_VERSUS_H
#define TERN_CLI_VERSUS_H

#include "cli/runfile.h"

enum { EXIT_SLOWER = 10, EXIT_UNSURE = 11, MOST_PROCESSES = 64 };

bool margin_option(const Cli *cli, double *margin); /* "1%" or "0.01"; false: complained */
/* Prints a verdict for each point that both have; b against a. Returns the exit code. */
int versus_report(const Cli *cli, const RunFile *a, const char *name_a, const RunFile *b,
                  const char *name_b, double margin);
/* Whether the other side computes the same; an ExitCode, after complaining. */
typedef int VersusCheck(void *user, Cli *other, const char *operand);
/* tern bench with --vs or --processes: runs itself in that many processes, ABBA.., after `check`.
 * other: FILE:KERNEL, NAME=VALUE, a saved run, or NULL. */
int versus_run(Cli *cli, const char *operand, const char *other, VersusCheck *check, void *user);

#endif
