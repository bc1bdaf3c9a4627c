// SPDX-License-Identifier: Apache-2.0
/* tern cmp: the verdict on one saved run against another. */
#include "cli/versus.h"

const OptionRow options_cmp[] = {
    {"margin", 0, "PART", "changes up to this count as the same; default: 1%"},
    {0},
};

const char details_cmp[] =
    "A and B are run.jsonl files of 'tern bench --save DIR', or the folders. The evidence is one "
    "median\n"
    "a process, so that a verdict takes at least 4 processes a side (--processes 7): the samples "
    "of one\n"
    "process are not independent. SAME, FASTER and SLOWER are said only where the 95 % interval of "
    "the\n"
    "ratio lies inside, below or above the margin; else UNSURE. Runs that were not interleaved\n"
    "(tern bench --vs) get twice the margin.\n"
    "exit codes: 0 the same or faster, 10 a point is slower, 11 unsure of one, 1 a point failed\n";

static bool read_side(const Cli *cli, const char *path, RunFile *run, int *code) {
    Str why;
    bool fine = run_read(cli->arena, path, run, &why);
    if (!fine) {
        const char *inside = str_format(cli->arena, "%s/run.jsonl", path).data;
        Str ignored;
        if (run_read(cli->arena, inside, run, &ignored)) fine = true;
    }
    if (!fine)
        *code = cli_fail(cli, EXIT_USAGE, "%s: %.*s", path, STR_ARG(why));
    else if (run->cut)
        cli_fail(cli, EXIT_OK, "%s: %s", path, run->cut);
    return fine;
}

int command_cmp(Cli *cli) {
    RunFile a, b;
    double margin;
    int code = EXIT_OK;
    if (cli->operands.count != 2)
        return cli_fail(cli, EXIT_USAGE, "expected two run files: A.jsonl B.jsonl");
    if (!margin_option(cli, &margin)) return EXIT_USAGE;
    if (!read_side(cli, cli->operands.data[0], &a, &code) ||
        !read_side(cli, cli->operands.data[1], &b, &code))
        return code;
    return versus_report(cli, &a, cli->operands.data[0], &b, cli->operands.data[1], margin);
}
