// SPDX-License-Identifier: Apache-2.0
/* exec_python: Python files for tern exec and tern fuse: what the options allow them, Ctrl-C. */
#include "cli/exec.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

/* "512M", "8G". False: it is no size. */
static bool read_size(const char *text, size_t *bytes) {
    static const char units[] = "KMGT";
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    bool fits = *text >= '0' && *text <= '9' && (*end == 0 || (unit && end[1] == 0));
    if (!fits || number > (SIZE_MAX / 2) >> shift) return false;
    *bytes = (size_t)number << shift;
    return true;
}

/* Three quarters of the machine's memory, or of what the process may have of it. */
static size_t usual_memory(void) {
    double most = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE), may;
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "r");
    if (file && fscanf(file, "%lf", &may) == 1 && may > 0 && may < most) most = may;
    if (file) fclose(file);
    return most > 0 ? (size_t)(most / 4 * 3) : 0;
}

/* What its tensors and values may have; returns an ExitCode. */
static int limit_memory(const Cli *cli, tern_session *session, tern_script_options *options) {
    const char *text = option_value(cli, "memory"),
               *device = tern_device_name(tern_session_context(session));
    size_t most;
    if (!text) {
        if (tern_device_property(device, TERN_DEVICE_ON_HOST))
            tern_session_limit(session, usual_memory());
        return EXIT_OK;
    }
    if (!read_size(text, &most))
        return cli_fail(cli, EXIT_USAGE, "--memory: expected a size (512M, 8G), got '%s'", text);
    options->most_memory = most ? most : SIZE_MAX / 2;
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
    if ((code = limit_memory(cli, session, &script.options))) {
        tern_session_close(session);
        return code;
    }
    running = context;
    tern_set_ask(context, exec_ask, &line);
    tern_status status = tern_run_script(session, path, &script.options, &exit_code, &complaint);
    running = NULL;
    code = exec_script_end(cli, status, exit_code, complaint);
    tern_session_close(session);
    tern_set_ask(context, NULL, NULL);
    return code;
}
