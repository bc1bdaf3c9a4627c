// SPDX-License-Identifier: Apache-2.0
/* tern view: one launch on sim, as one page: the source with what was made of it, line by line, and
 * which thread touched what. */
#include "cli/view.h"

#include <stdio.h>
#include <stdlib.h>

const OptionRow options_view[] = {
    OPTIONS_LAUNCH,
    {"a", 0, "NAME=VALUE", "an argument of the kernel, as for 'tern run' (repeatable)"},
    OPTIONS_CONFIG,
    OPTIONS_COMPILE,
    {"out", 'o', "FILE.html", "where the page goes; default: view.html"},
    {"requests", 0, "N", "how many accesses of warps are kept for pictures; default 16384"},
    {0},
};

const char details_view[] =
    "The page holds the source beside the tile IR before and after the passes, PTX, and SASS where "
    "ptxas and\n"
    "a disassembler are on PATH: a line that is pointed at lights up in all of them. Beside each "
    "line stands\n"
    "what sim counted. For each load and store it draws which lane touches which element, sector "
    "and bank, and\n"
    "which program touches which part of a tensor. The launch runs on sim (--device sim:h100 ..), "
    "so give\n"
    "small sizes: programs are shown as long as there is room for all accesses of each.\n\n"
    "example:\n"
    "  tern view test/sim/lesson.py:transpose --grid 1 -a 'x=randn(1024)' -a 'y=empty(1024)' -a "
    "N=32\n";

enum { REQUESTS = 1 << 14, MOST_REQUESTS = 1 << 20, MOST_BYTES = 64 << 20 };

static int launch(View *view, int most) {
    Bound *bound = &view->bound;
    Cli *cli = bound->cli;
    tern_argument *arguments;
    int count;
    Str why;
    if (!launch_arguments(cli->arena, bound->kernel, bound->args, bound->num_args, &arguments,
                          &count, &why))
        return cli_fail(cli, EXIT_USAGE, "%.*s", STR_ARG(why));
    if (tern_kernel_record(bound->kernel, most) ||
        tern_launch(NULL, bound->kernel, bound->grid, arguments, count) ||
        tern_synchronize(bound->context) || tern_kernel_accesses(bound->kernel, &view->accesses))
        return cli_fail_context(cli, bound->context);
    const tern_accesses *accesses = &view->accesses;
    if (!accesses->num_whole)
        return cli_fail(cli, EXIT_REFUSED,
                        "the first program alone makes more than %d accesses: give smaller sizes, "
                        "or --requests of up to %d",
                        most, MOST_REQUESTS);
    for (int i = 0; i < accesses->count; i++)
        view->num_requests += accesses->data[i].program < accesses->num_whole;
    return EXIT_OK;
}

static uint64_t num_programs(const View *view) {
    const uint32_t *grid = view->bound.grid;
    return (uint64_t)grid[0] * grid[1] * grid[2];
}

static void report(const View *view, const char *path, size_t size) {
    Cli *cli = view->bound.cli;
    const tern_accesses *accesses = &view->accesses;
    Json json = {.out.arena = cli->arena};
    if (!cli->json) {
        printf("%s: %d accesses of warps, of %llu of %llu programs; %.1f KB\n", path,
               view->num_requests, (unsigned long long)accesses->num_whole,
               (unsigned long long)num_programs(view), (double)size * 1e-3);
        if (view->sass.code) printf("without SASS: %.*s\n", STR_ARG(view->sass.why));
        return;
    }
    json_open(&json, '{');
    json_key(&json, "file"), json_text(&json, path);
    json_key(&json, "requests"), json_int(&json, view->num_requests);
    json_key(&json, "programs"), json_int(&json, (int64_t)num_programs(view));
    json_key(&json, "programs_shown"), json_int(&json, (int64_t)accesses->num_whole);
    json_key(&json, "bytes"), json_int(&json, (int64_t)size);
    json_key(&json, "without_sass"), json_text(&json, view->sass.code ? view->sass.why.data : NULL);
    json_close(&json, '}');
    json_print(&json);
}

static int write_page(const View *view, const char *path) {
    Cli *cli = view->bound.cli;
    Json json = {.out.arena = cli->arena};
    Buf page = {.arena = cli->arena};
    Str why;
    if (!view_data(view, &json)) return cli_fail_context(cli, view->bound.context);
    view_page(&page, &json);
    if (page.length > MOST_BYTES)
        return cli_fail(cli, EXIT_REFUSED,
                        "the page would have %.0f MB, of which at most %d open well: give smaller "
                        "sizes, or fewer --requests",
                        (double)page.length * 1e-6, MOST_BYTES >> 20);
    if (!file_write(cli->arena, path, page.data, page.length, &why))
        return cli_fail(cli, EXIT_SYSTEM, "%.*s", STR_ARG(why));
    report(view, path, page.length);
    return EXIT_OK;
}

static int make(View *view, int most) {
    Bound *bound = &view->bound;
    const char *path = option_value(bound->cli, "out");
    bound->keeps_ir = true;
    int code = bound_values(bound);
    if (!code) code = bound_compile(bound);
    if (!code) code = bound_upload(bound);
    if (!code) code = launch(view, most);
    if (code) return code;
    const char *ptx = tern_kernel_text(bound->kernel, TERN_STAGE_PTX);
    view->sass =
        sass_make(bound->cli->arena, tern_kernel_target(bound->kernel), ptx ? ptx : "", true);
    return write_page(view, path ? path : "view.html");
}

int command_view(Cli *cli) {
    const char *device = cli->device ? cli->device : "sim";
    int most;
    if (cli->operands.count != 1)
        return cli_fail(cli, EXIT_USAGE, "one FILE[:KERNEL], not %d", cli->operands.count);
    if (strncmp(device, "sim", 3) != 0)
        return cli_fail(cli, EXIT_REFUSED,
                        "device %s does not tell which thread touches what; sim does", device);
    if (!option_int(cli, "requests", 1, MOST_REQUESTS, REQUESTS, &most)) return EXIT_USAGE;
    View view = {0};
    int code = bound_open(&view.bound, cli, device, cli->operands.data[0]);
    if (!code) code = make(&view, most);
    bound_close(&view.bound);
    return code;
}
