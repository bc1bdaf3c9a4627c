// SPDX-License-Identifier: Apache-2.0
/* tern exec: a whole program, its host's side too. */
#include "cli/cli.h"
#include "tern_exec.h"

#include <stdio.h>

const OptionRow options_exec[] = {
    {"timeout", 0, "MS", "stop a launch that takes longer"},
    {"order-seed", 0, "N", "interp, sim: run programs and warps in an order drawn from this"},
    {0},
};

const char details_exec[] =
    "FILE.cu has a 'main' as a CUDA program has one: what it does on the host (cudaMalloc,\n"
    "cudaMemcpy, <<<grid, block>>>, loops, printf ..) is evaluated, each access to memory "
    "checked;\n"
    "its kernels run on the device. No CUDA and no compiler takes part, but cpu's. What is not\n"
    "supported is refused before anything ran. The exit code is the program's.\n\n"
    "example:\n"
    "  tern exec --device sim vectorAdd.cu -- 1000\n";

static void to_stdout(void *user, const char *text, size_t length) {
    (void)user;
    fwrite(text, 1, length, stdout);
}

static void to_stderr(void *user, const char *text, size_t length) {
    (void)user;
    fflush(stdout);
    fwrite(text, 1, length, stderr);
}

int command_exec(Cli *cli) {
    int code = EXIT_OK, seed, exit_code;
    if (!cli->operands.count) return cli_fail(cli, EXIT_USAGE, "one FILE.cu and its arguments");
    if (!option_int(cli, "timeout", 0, 86400000, 0, &cli->timeout_ms) ||
        !option_int(cli, "order-seed", 0, INT32_MAX, 0, &seed))
        return EXIT_USAGE;
    cli->order_seed = (uint64_t)seed;
    tern_context *context = cli_open(cli, cli->device, &code);
    if (!context) return code;
    tern_set_output(context, to_stdout, NULL);
    tern_module *module = tern_load_file(context, cli->operands.data[0]);
    tern_exec_options options = {.num_arguments = cli->operands.count,
                                 .arguments = cli->operands.data,
                                 .output = to_stdout,
                                 .errors = to_stderr};
    tern_status status =
        module ? tern_exec(module, &options, &exit_code) : tern_message_status(context);
    fflush(stdout);
    code = status ? cli_fail_context(cli, context) : exit_code;
    tern_module_free(module);
    tern_close(context);
    return code;
}
