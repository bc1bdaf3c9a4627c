// SPDX-License-Identifier: Apache-2.0
/* exec_python: Python files for tern exec and tern fuse: what the options allow them, Ctrl-C. */
#include "cli/exec.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int interrupted;
static tern_context *_Atomic running; /* whose launch is to end; NULL: none is known */

/* The script gets a KeyboardInterrupt, of a kernel under way too; a second one ends the process. */
static void on_interrupt(int number) {
    tern_context *context = running;
    interrupted = 1;
    if (context) tern_interrupt(context);
    signal(number, SIG_DFL);
}

int exec_script_begin(const Cli *cli, ExecScript *script) {
    *script = (ExecScript){.options = {.output = exec_stdout,
                                       .errors = exec_stderr,
                                       .include_dirs = cli->include_dirs.data,
                                       .num_include_dirs = cli->include_dirs.count,
                                       .interrupted = &interrupted,
                                       .arguments = cli->operands.data + 1,
                                       .num_arguments = cli->operands.count - 1}};
    tern_script_options *options = &script->options;
    int count = 0;
    for (; option_nth(cli, "allow-write", count); count++) {
        if (count == EXEC_FOLDERS)
            return cli_fail(cli, EXIT_USAGE, "more than %d folders", EXEC_FOLDERS);
        script->write_dirs[count] = option_nth(cli, "allow-write", count);
    }
    options->write_dirs = script->write_dirs, options->num_write_dirs = count;
    for (count = 0; option_nth(cli, "allow-read", count); count++) {
        if (count == EXEC_FOLDERS)
            return cli_fail(cli, EXIT_USAGE, "more than %d folders", EXEC_FOLDERS);
        script->read_dirs[count] = option_nth(cli, "allow-read", count);
    }
    options->read_dirs = script->read_dirs, options->num_read_dirs = count;
    signal(SIGINT, on_interrupt);
    return EXIT_OK;
}

int exec_script_end(const Cli *cli, tern_status status, int exit_code, char *complaint) {
    if (status) {
        exit_code = EXIT_SYSTEM;
        cli_complain(cli, "out of memory\n");
    }
    signal(SIGINT, SIG_DFL);
    fflush(stdout);
    if (complaint) cli_complain(cli, complaint);
    tern_free(complaint);
    return exit_code;
}

/* "1/8" or "0.125", above 0 and up to 1. */
static bool part_of(const char *text, double *part) {
    char *end;
    double over, under = 1;
    if (!text) return true;
    over = strtod(text, &end);
    if (end != text && *end == '/') text = end + 1, under = strtod(text, &end);
    *part = over / under;
    return end != text && !*end && *part > 0 && *part <= 1;
}

/* What makes a file's sizes smaller; returns an ExitCode. */
static int read_sizes(const Cli *cli, ExecScript *script) {
    tern_script_options *options = &script->options;
    int count = 0;
    if (!option_int(cli, "points", 1, INT32_MAX, 0, &options->most_points)) return EXIT_USAGE;
    if (!part_of(option_value(cli, "scale"), &options->most_x))
        return cli_fail(cli, EXIT_USAGE,
                        "--scale: expected a number above 0 and up to 1 (0.1, 1/8), got '%s'",
                        option_value(cli, "scale"));
    for (; option_nth(cli, "set", count); count++) {
        if (count == EXEC_SETTINGS)
            return cli_fail(cli, EXIT_USAGE, "more than %d of --set", EXEC_SETTINGS);
        script->settings[count] = option_nth(cli, "set", count);
    }
    options->settings = script->settings, options->num_settings = count;
    return EXIT_OK;
}

int exec_python(const Cli *cli, tern_context *context, const char *path) {
    int exit_code = EXIT_SYSTEM;
    char *complaint = NULL;
    ExecScript script;
    ExecLine line;
    int code = exec_script_begin(cli, &script);
    if (!code) code = read_sizes(cli, &script);
    if (code) return code;
    tern_session *session = tern_session_open(context);
    if (!session) return cli_fail(cli, EXIT_SYSTEM, "out of memory");
    running = context;
    tern_set_ask(context, exec_ask, &line);
    tern_status status = tern_run_script(session, path, &script.options, &exit_code, &complaint);
    running = NULL;
    code = exec_script_end(cli, status, exit_code, complaint);
    tern_session_close(session);
    tern_set_ask(context, NULL, NULL);
    return code;
}
