// SPDX-License-Identifier: Apache-2.0
/* tern prof: where the time of some launches of a kernel goes. */
#include "cli/bind.h"
#include "cli/json.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const OptionRow options_prof[] = {
    OPTIONS_LAUNCH,
    {"a", 0, "NAME=VALUE", "an argument of the kernel (repeatable)"},
    OPTIONS_CONFIG,
    {"repeat", 'n', "N", "launches; default 10"},
    {"warmup", 0, "N", "launches before, which are not profiled; default 1"},
    {"style", 0, "STYLE", "own, torch (torch.profiler's text) or csv; default own"},
    {"sort", 0, "COLUMN", "self_cpu_time_total, cpu_time_total, self_cuda_time_total, count .."},
    {"rows", 0, "N", "rows of the table; default 100"},
    {"shapes", 0, NULL, "a row for each name and shapes of what it was given"},
    {"stacks", 0, "N", "a row for each name and N of the ranges and calls around it"},
    {"frames", 0, NULL,
     "record from which functions calls are made; with --stacks, --trace, --folded"},
    {"unit", 0, "UNIT", "torch: s, ms or us; default: the one that fits"},
    {"name-width", 0, "N", "torch: the widest name; default 55"},
    {"top", 0, NULL, "torch: only what is inside of nothing else"},
    {"events", 0, NULL, "cuda: time by events, not by CUPTI"},
    {"trace", 0, "FILE", "write Chrome's trace: chrome://tracing, ui.perfetto.dev; .gz compresses"},
    {"speedscope", 0, "FILE", "write JSON for speedscope.app"},
    {"folded", 0, "FILE", "write folded stacks, nanoseconds"},
    {"flame", 0, "FILE.svg", "write a flame graph"},
    {"before", 0, "FILE", "colour flame graphs by the difference to what --folded wrote before"},
    {"html", 0, "FILE.html", "write one page: table, timeline, flame graph"},
    {"into", 0, "DIR", "of a program: where its reports go; default tern-prof"},
    {"cuda", 0, NULL, "of a program: all that it does with CUDA; it need not use libtern"},
    {0},
};

const char details_prof[] =
    "Ranges, calls and kernels are recorded; on cuda CUPTI times kernels, copies and calls of the\n"
    "driver, or else events do. VALUE is that of 'tern run'. From C: tern_profile_start, "
    "tern_range_push (tern.h, doc/prof.md).\n\n"
    "examples:\n"
    "  tern prof -- ./program 1 2       a program that uses libtern, and closes its contexts\n"
    "  tern prof --cuda -- python3 x.py any program of CUDA, by CUPTI: calls, kernels, copies\n"
    "  tern prof kernels/vector_add.py --grid 'cdiv(n,1024)' -a 'x_ptr=randn(n)' \\\n"
    "      -a 'y_ptr=randn(n)' -a 'out_ptr=empty(n)' -a n=1000000 -a BLOCK=1024 --flame add.svg\n";

static int launch_repeatedly(Bound *bound, const tern_argument *arguments, int count, int times) {
    for (int i = 0; i < times; i++)
        if (tern_launch(NULL, bound->kernel, bound->grid, arguments, count))
            return cli_fail_context(bound->cli, bound->context);
    return tern_synchronize(bound->context) ? cli_fail_context(bound->cli, bound->context)
                                            : EXIT_OK;
}

static int save(const Cli *cli, tern_context *context, tern_profile *profile, const char *option,
                tern_profile_format format) {
    const char *path = option_value(cli, option);
    if (!path) return EXIT_OK;
    tern_status status = tern_profile_save(profile, format, path);
    if (status == TERN_ERROR_UNSUPPORTED)
        return cli_fail(cli, EXIT_REFUSED, "cannot write %s: libz.so.1 is not here", path);
    if (status == TERN_ERROR_SYSTEM) return cli_fail_context(cli, context);
    if (status) return cli_fail(cli, EXIT_SYSTEM, "cannot write %s: out of memory", path);
    if (!cli->quiet) fprintf(stderr, "wrote %s\n", path);
    return EXIT_OK;
}

/* Which of the names it is, of `count`; NULL is the first one. */
static bool one_of(const char *name, const char *const *names, int count, int *which) {
    for (*which = 0; name && *which < count; ++*which)
        if (!strcmp(name, names[*which])) return true;
    *which = name ? *which : 0;
    return !name;
}

static int table_options(const Cli *cli, tern_table_options *options) {
    static const char *const styles[] = {
        [TERN_TABLE_OWN] = "own", [TERN_TABLE_TORCH] = "torch", [TERN_TABLE_CSV] = "csv"};
    static const char *const units[] = {[TERN_TIME_AUTO] = "auto",
                                        [TERN_TIME_S] = "s",
                                        [TERN_TIME_MS] = "ms",
                                        [TERN_TIME_US] = "us"};
    const char *style = option_value(cli, "style"), *unit = option_value(cli, "unit");
    int which_style, which_unit;
    if (!option_int(cli, "rows", 1, 1000000, 100, &options->row_limit) ||
        !option_int(cli, "stacks", 1, 1000, 0, &options->group_by_stack) ||
        !option_int(cli, "name-width", 4, 10000, 55, &options->max_name_column_width))
        return EXIT_USAGE;
    if (!one_of(style, styles, COUNT(styles), &which_style))
        return cli_fail(cli, EXIT_USAGE, "--style is own, torch or csv, not '%s'", style);
    if (!one_of(unit, units, COUNT(units), &which_unit))
        return cli_fail(cli, EXIT_USAGE, "--unit is auto, s, ms or us, not '%s'", unit);
    options->style = (tern_table_style)which_style;
    options->time_unit = (tern_time_unit)which_unit;
    options->sort_by = option_value(cli, "sort");
    options->group_by_shape = option_given(cli, "shapes");
    options->top_level_only = option_given(cli, "top");
    return EXIT_OK;
}

static int report(const Cli *cli, tern_context *context, tern_profile *profile,
                  const tern_table_options *options) {
    char *table = tern_profile_table(profile, options);
    if (!table)
        return cli_fail(cli, EXIT_USAGE, "--sort: there is no column '%s'",
                        options->sort_by ? options->sort_by : "");
    fputs(table, stdout);
    tern_free(table);
    const char *before = option_value(cli, "before");
    tern_status status = before ? tern_profile_before(profile, before) : TERN_OK;
    if (status) return cli_fail_context(cli, context);
    int code = save(cli, context, profile, "trace", TERN_PROFILE_CHROME);
    if (!code) code = save(cli, context, profile, "speedscope", TERN_PROFILE_SPEEDSCOPE);
    if (!code) code = save(cli, context, profile, "folded", TERN_PROFILE_FOLDED);
    if (!code) code = save(cli, context, profile, "flame", TERN_PROFILE_FLAME);
    if (!code) code = save(cli, context, profile, "html", TERN_PROFILE_HTML);
    return code;
}

static int profile_launches(Bound *bound, int warmups, int repeat,
                            const tern_table_options *options) {
    Str why;
    tern_argument *arguments;
    int count;
    if (!launch_arguments(bound->cli->arena, bound->kernel, bound->args, bound->num_args,
                          &arguments, &count, &why))
        return cli_fail(bound->cli, EXIT_USAGE, "%.*s", STR_ARG(why));
    int code = launch_repeatedly(bound, arguments, count, warmups);
    if (code) return code;
    tern_profile *profile = tern_profile_start(
        bound->context, &(tern_profile_options){.shapes = options->group_by_shape ||
                                                          option_given(bound->cli, "trace"),
                                                .by_events = option_given(bound->cli, "events"),
                                                .frames = option_given(bound->cli, "frames")});
    if (!profile) return cli_fail_context(bound->cli, bound->context);
    code = launch_repeatedly(bound, arguments, count, repeat);
    if (!code && tern_profile_stop(profile)) code = cli_fail_context(bound->cli, bound->context);
    if (!code) code = report(bound->cli, bound->context, profile, options);
    tern_profile_free(profile);
    return code;
}

static int prof(Bound *bound) {
    const Cli *cli = bound->cli;
    int warmups, repeat;
    tern_table_options options = {0};
    if (!option_int(cli, "repeat", 1, 1000000, 10, &repeat) ||
        !option_int(cli, "warmup", 0, 1000000, 1, &warmups))
        return EXIT_USAGE;
    int code = table_options(cli, &options);
    if (!code) code = bound_values(bound);
    if (!code) code = bound_compile(bound);
    if (!code) code = bound_upload(bound);
    return code ? code : profile_launches(bound, warmups, repeat, &options);
}

/* ---- a program ---- */

static int run_program(const Cli *cli, char **words, int *exit_code) {
    pid_t child;
    int status;
    int failed = posix_spawnp(&child, words[0], NULL, NULL, words, environ);
    if (failed) return cli_fail(cli, EXIT_SYSTEM, "cannot run %s: %s", words[0], strerror(failed));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    *exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return EXIT_OK;
}

/* The program went on where its reports could not be written, and said nothing. */
static bool are_whole(const Cli *cli, const char *folder, int number, Str table) {
    static const char *const endings[] = {"json", "html", "folded", "svg"};
    bool whole = table.length > 0;
    if (!whole) cli_fail(cli, EXIT_SYSTEM, "%s/%d.txt could not be written", folder, number);
    if (str_starts(table, "nothing was recorded: ")) return true;
    for (int i = 0; i < COUNT(endings); i++) {
        const char *path = str_format(cli->arena, "%s/%d.%s", folder, number, endings[i]).data;
        if (!access(path, F_OK)) continue;
        whole = false;
        cli_fail(cli, EXIT_SYSTEM, "%s was not written", path);
    }
    return whole;
}

/* The tables of its contexts. How many there are. */
static int print_reports(const Cli *cli, const char *folder, bool *whole) {
    Str text, why;
    int number = 1;
    *whole = true;
    while (file_read(cli->arena, str_format(cli->arena, "%s/%d.txt", folder, number).data, 1 << 30,
                     &text, &why)) {
        printf("%s%.*s", number > 1 ? "\n" : "", STR_ARG(text));
        *whole &= are_whole(cli, folder, number, text);
        number++;
    }
    return number - 1;
}

/* Beside this command, or where the system looks for libraries. */
static const char *library_path(const Cli *cli) {
    static const char *const places[] = {"libtern.so.0", "libtern.so", "../lib/libtern.so.0",
                                         "../lib64/libtern.so.0"};
    char self[4096];
    struct link_map *map;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = 0;
    char *slash = strrchr(self, '/');
    if (slash) *slash = 0;
    for (int i = 0; i < COUNT(places); i++) {
        const char *path = str_format(cli->arena, "%s/%s", self, places[i]).data;
        if (!access(path, R_OK)) return path;
    }
    void *library = dlopen("libtern.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map)) return NULL;
    return map->l_name;
}

/* The library in it is told by the environment (src/prof/outside.h). */
static int ask_program(const Cli *cli, const char *folder) {
    const char *library = option_given(cli, "cuda") ? library_path(cli) : NULL;
    if (cli->device) setenv("TERN_DEVICE", cli->device, 1);
    if (option_given(cli, "frames")) setenv("TERN_PROFILE_FRAMES", "1", 1);
    if (!option_given(cli, "cuda")) return setenv("TERN_PROFILE", folder, 1), EXIT_OK;
    if (!library) return cli_fail(cli, EXIT_SYSTEM, "--cuda: libtern.so.0 is not here");
    setenv("CUDA_INJECTION64_PATH", library, 1);
    setenv("TERN_PROFILE_CUDA", folder, 1);
    return EXIT_OK;
}

static const char *why_nothing(const Cli *cli) {
    return option_given(cli, "cuda") ? "began no CUDA, or ended without an exit"
                                     : "closed no context of tern";
}

static int profile_program(const Cli *cli) {
    const char *folder = option_value(cli, "into");
    char **words = arena_array(cli->arena, char *, cli->operands.count + 1);
    int exit_code = 0;
    if (!folder) folder = "tern-prof";
    for (int i = 0; i < cli->options.count; i++) {
        const char *name = cli->options.data[i].row->name;
        if (strcmp(name, "into") != 0 && strcmp(name, "device") != 0 &&
            strcmp(name, "quiet") != 0 && strcmp(name, "cuda") != 0 && strcmp(name, "frames") != 0)
            return cli_fail(cli, EXIT_USAGE, "--%s is not for '-- PROGRAM'", name);
    }
    if (cli->num_before_rest || !cli->operands.count)
        return cli_fail(cli, EXIT_USAGE, "expected '-- PROGRAM [ARGUMENT..]'");
    if (option_given(cli, "frames") && option_given(cli, "cuda"))
        return cli_fail(cli, EXIT_USAGE, "--frames is not for --cuda");
    for (int i = 0; i < cli->operands.count; i++)
        words[i] = (char *)(uintptr_t)cli->operands.data[i];
    if (mkdir(folder, 0777) && errno != EEXIST)
        return cli_fail(cli, EXIT_SYSTEM, "cannot make %s: %s", folder, strerror(errno));
    char *path = realpath(folder, NULL); /* the program may go to another folder */
    Str whole = path ? str_copy(cli->arena, str_of(path)) : str_of(folder);
    free(path);
    if (!access(str_format(cli->arena, "%s/1.txt", whole.data).data, F_OK))
        return cli_fail(cli, EXIT_USAGE, "%s has reports already", folder);
    int code = ask_program(cli, whole.data);
    if (!code) code = run_program(cli, words, &exit_code);
    if (code) return code;
    if (exit_code) cli_fail(cli, EXIT_SYSTEM, "%s ended with code %d", words[0], exit_code);
    bool are_written;
    int count = print_reports(cli, whole.data, &are_written);
    if (!count)
        return cli_fail(cli, EXIT_SYSTEM, "%s %s: nothing was recorded", words[0],
                        why_nothing(cli));
    if (!cli->quiet)
        fprintf(stderr, "wrote %d profile%s to %s\n", count, count > 1 ? "s" : "", folder);
    return exit_code || !are_written ? EXIT_SYSTEM : EXIT_OK;
}

int command_prof(Cli *cli) {
    if (cli->num_before_rest >= 0) return profile_program(cli);
    if (option_given(cli, "cuda") || option_given(cli, "into"))
        return cli_fail(cli, EXIT_USAGE, "--cuda, --into: only of '-- PROGRAM'");
    if (cli->operands.count != 1)
        return cli_fail(cli, EXIT_USAGE, "one FILE[:KERNEL], not %d", cli->operands.count);
    Bound bound = {0};
    launch_guard_crashes();
    int code = bound_open(&bound, cli, cli->device, cli->operands.data[0]);
    if (!code) code = prof(&bound);
    bound_close(&bound);
    return code;
}
