// SPDX-License-Identifier: Apache-2.0
/* exec: what the files of tern exec share. */
#ifndef TERN_CLI_EXEC_H
#define TERN_CLI_EXEC_H

#include "cli/cli.h"
#include "cli/values.h"
#include "tern_exec.h"

tern_output exec_stdout, exec_stderr;
typedef struct ExecLine {
    char text[1024];
} ExecLine;
tern_ask exec_ask; /* standard input; user: an ExecLine */

enum { EXEC_FOLDERS = 16, EXEC_VALUES = 64, EXEC_SETTINGS = 64 };
typedef struct ExecScript {
    tern_script_options options;
    const char *read_dirs[EXEC_FOLDERS], *write_dirs[EXEC_FOLDERS];
    const char *settings[EXEC_SETTINGS];
} ExecScript;
/* What the options say of a FILE.py, and Ctrl-C is the script's; returns an ExitCode. */
int exec_script_begin(const Cli *cli, ExecScript *script);
/* Says what went wrong; returns the ExitCode. */
int exec_script_end(const Cli *cli, tern_status status, int exit_code, char *complaint);
int exec_python(const Cli *cli, tern_context *context, const char *path);
/* What -a gives, in order; returns an ExitCode. */
int exec_arguments(Cli *cli, Env *env, tern_exec_value *values, int *count);
/* Calls a function with what -a gives, and shows what it gives; returns an ExitCode. */
int exec_call(Cli *cli, tern_context *context, tern_module *module, const char *function);

#endif
