// SPDX-License-Identifier: Apache-2.0
/* exec: what the files of tern exec share. */
#ifndef TERN_CLI_EXEC_H
#define TERN_CLI_EXEC_H

#include "cli/cli.h"

tern_output exec_stdout, exec_stderr;
/* Calls a function with what -a gives, and shows what it gives; returns an ExitCode. */
int exec_call(Cli *cli, tern_context *context, tern_module *module, const char *function);

#endif
