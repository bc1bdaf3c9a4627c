// SPDX-License-Identifier: Apache-2.0
/* tuned: under which key `tern tune` keeps its choice, and the commands that launch kernels find
 * it: the text of the file's kernels, and the class of the arguments that were given. */
#ifndef TERN_CLI_TUNED_H
#define TERN_CLI_TUNED_H

#include "cli/bind.h"

/* tern_tuned_key of the arguments that have a value now: those given with -a. NULL: it cannot be
 * said, and bound->context or the user has the words. */
const char *tuned_key(Bound *bound);

/* A choice as it is kept, NAME=VALUE a line (a value may have blanks), in one line for people. */
const char *tuned_name(Arena *arena, const char *choice);

#endif
