// SPDX-License-Identifier: Apache-2.0
/* tern lab: the experiments of lectures on GPU programming, on this device, beside the figures that
 * were published. lab.py has them: a file as tern exec runs it. */
#include "cli/exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

const OptionRow options_lab[] = {
    {"save", 0, "DIR", "write tables (CSV), plots (SVG), traces and one page, index.html, there"},
    {"size", 0, "N", "of matrices; default: the lecture's on a GPU, smaller ones elsewhere"},
    {0},
};

const char details_lab[] =
    "NAME: square (a * a in three forms, and the profiler's table), add (a + b: what of it is the\n"
    "kernel's), matmul (time by size), gelu (by hand, torch, CUDA C, Triton, compiled), softmax "
    "(by\n"
    "hand, torch, Triton, compiled), mean (three forms, and their results), mlp (layers in "
    "ranges,\n"
    "forward, backward, optimizer). Each prints what was measured here, and beside it what was\n"
    "published, with where; 'torch' is tern's own. Times are those of tern_do_bench.\n\n"
    "examples:\n"
    "  tern lab gelu\n"
    "  tern lab all --save report --device cpu --size 256\n";

extern const char text_lab_start[], text_lab_end[];

/* "true" texts end with their last byte; the evaluator wants a 0. */
static const char *script_text(Cli *cli) {
    return str_c(cli->arena, (Str){text_lab_start, (int)(text_lab_end - text_lab_start)});
}

static int run_lab(const Cli *cli, tern_session *session, const char *text, const char *name,
                   const char *folder, const char *size) {
    const char *arguments[] = {name, size, folder ? folder : "", tern_version()};
    const char *device = tern_device_name(tern_session_context(session));
    const char *all[] = {arguments[0], arguments[1], arguments[2], arguments[3], device};
    int exit_code = EXIT_SYSTEM;
    char *complaint = NULL;
    ExecScript script;
    int code = exec_script_begin(cli, &script);
    if (code) return code;
    script.options.text = text;
    script.options.arguments = all, script.options.num_arguments = 5;
    script.options.errors = NULL; /* the tables say whose times they are */
    if (folder) script.options.write_dirs = &folder, script.options.num_write_dirs = 1;
    tern_status status =
        tern_run_script(session, "lab.py", &script.options, &exit_code, &complaint);
    return exec_script_end(cli, status, exit_code, complaint);
}

int command_lab(Cli *cli) {
    static const char *const names[] = {"square",  "add",  "matmul", "gelu",
                                        "softmax", "mean", "mlp",    "all"};
    int code = EXIT_OK, size;
    bool is_known = false;
    const char *name = cli->operands.count == 1 ? cli->operands.data[0] : "";
    for (int i = 0; i < COUNT(names); i++) is_known |= !strcmp(name, names[i]);
    if (!is_known)
        return cli_fail(cli, EXIT_USAGE,
                        "one of square, add, matmul, gelu, softmax, mean, mlp, all");
    if (!option_int(cli, "size", 2, 65536, 0, &size)) return EXIT_USAGE;
    const char *folder = option_value(cli, "save");
    if (folder && mkdir(folder, 0777)) {
        struct stat st;
        if (stat(folder, &st) || !S_ISDIR(st.st_mode))
            return cli_fail(cli, EXIT_SYSTEM, "%s: cannot make this folder", folder);
    }
    tern_context *context = cli_open(cli, cli->device, &code);
    if (!context) return code;
    tern_session *session = tern_session_open(context);
    const char *text_size = str_c(cli->arena, str_format(cli->arena, "%d", size));
    if (session)
        code = run_lab(cli, session, script_text(cli), name, folder, text_size);
    else
        code = cli_fail(cli, EXIT_SYSTEM, "out of memory");
    tern_session_close(session);
    tern_close(context);
    return code;
}
