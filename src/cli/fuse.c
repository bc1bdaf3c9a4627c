// SPDX-License-Identifier: Apache-2.0
/* tern fuse: what torch.compile makes of a function of a Python file, as a file to read. */
#include "base/source.h"
#include "cli/exec.h"

#include <stdio.h>
#include <string.h>

const OptionRow options_fuse[] = {
    {"a", 0, "NAME=VALUE", "an argument of the function (repeatable)"},
    {"out", 'o', "FILE.py", "write the text there; default: print it"},
    {"plan", 0, NULL,
     "instead: which op went into which kernel, and why a kernel ends where it does"},
    {"allow-write", 0, "DIR", "the file may write here (repeatable)"},
    {"allow-read", 0, "DIR", "the file may read here (repeatable)"},
    {0},
};

const char details_fuse[] =
    "Runs FILE.py (its __name__ is not '__main__'), then FUNCTION with the arguments, as\n"
    "torch.compile does: its ops become few kernels. What comes out is Python: the kernels in the\n"
    "Triton language, the file's own lines above what became of them, and a function that "
    "launches\n"
    "them, which needs nothing but torch and triton. A function that cannot be traced whole is "
    "refused.\n\n"
    "examples:\n"
    "  tern fuse softmax.py:manual_softmax -a 'x=randn(1823,781)' -o fused.py\n"
    "  tern fuse gelu.py:manual_gelu -a 'x=randn(4096)' --plan\n";

static int write_text(const Cli *cli, const char *text) {
    const char *path = option_value(cli, "out");
    Str why;
    if (path && !file_write(cli->arena, path, text, strlen(text), &why))
        return cli_fail(cli, EXIT_SYSTEM, "cannot write %.*s", STR_ARG(why));
    if (!path && (fputs(text, stdout) < 0 || fflush(stdout)))
        return cli_fail(cli, EXIT_SYSTEM, "output: cannot write");
    return EXIT_OK;
}

static int fuse_in(Cli *cli, tern_session *session, const char *path, const char *function) {
    tern_exec_value values[EXEC_VALUES];
    Diag diag = {.arena = cli->arena};
    Env env = {.context = tern_session_context(session), .arena = cli->arena, .diag = &diag};
    ExecScript script;
    char *text = NULL, *complaint = NULL;
    int count, exit_code = EXIT_SYSTEM, code = exec_script_begin(cli, &script);
    if (!code) code = exec_arguments(cli, &env, values, &count);
    if (!code) {
        script.options.num_arguments = 0;
        script.options.output = exec_stderr; /* what the file prints is no part of the text */
        tern_status status =
            tern_fuse_script(session, path, function, &script.options, values, count,
                             option_given(cli, "plan"), &exit_code, &text, &complaint);
        code = exec_script_end(cli, status, exit_code, complaint);
    }
    if (!code && text) code = write_text(cli, text);
    tern_free(text);
    env_free(&env);
    return code;
}

int command_fuse(Cli *cli) {
    int code = EXIT_OK;
    const char *operand = cli->operands.count == 1 ? cli->operands.data[0] : "";
    const char *function = strrchr(operand, ':');
    if (cli_refuses_input(cli, &code)) return code;
    if (!function || !function[1]) return cli_fail(cli, EXIT_USAGE, "one FILE.py:FUNCTION");
    Str path = {operand, (int)(function - operand)};
    tern_context *context = cli_open(cli, cli->device, &code);
    if (!context) return code;
    tern_session *session = tern_session_open(context);
    if (session)
        code = fuse_in(cli, session, str_c(cli->arena, path), function + 1);
    else
        code = cli_fail(cli, EXIT_SYSTEM, "out of memory");
    tern_session_close(session);
    tern_close(context);
    return code;
}
