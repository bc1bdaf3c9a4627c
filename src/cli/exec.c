// SPDX-License-Identifier: Apache-2.0
/* tern exec: a whole program, its host's side too. */
#include "cli/exec.h"
#include "tern_exec.h"

#include <stdio.h>
#include <string.h>

const OptionRow options_exec[] = {
    {"a", 0, "NAME=VALUE", "of a function: an argument, in their order (repeatable)"},
    {"out", 'o', "FILE.npy", "of a function: write the tensor that it gives, do not print it"},
    {"with", 0, "FILE", "of a FILE.cu: more of its sources, read behind it (repeatable)"},
    {"builder", 0, "nvrtc", "of a FILE.cu: its kernels are compiled with NVIDIA's library"},
    {"host", 0, "c++", "of a FILE.cu: its host's part is compiled by the C++ compiler found"},
    {"trust", 0, NULL, "cpu: kernels do not test whether their accesses lie inside of buffers"},
    {"timeout", 0, "MS", "stop a launch that takes longer"},
    {"allow-read", 0, "DIR", "of a FILE.py: it may read files here (repeatable)"},
    {"allow-write", 0, "DIR", "of a FILE.py: it may write here (repeatable)"},
    {"memory", 0, "SIZE",
     "of a FILE.py: its values, and beside them its tensors, may have so much (512M, 8G; 0: no "
     "limit)"},
    {"points", 0, "N", "of a FILE.py: each perf_report measures its first N values of x only"},
    {"scale", 0, "F",
     "of a FILE.py: each perf_report leaves out x above F (1/8, 0.1) of its largest"},
    {"set", 0, "NAME=VALUE",
     "of a FILE.py: what it assigns to NAME, or to FUNCTION.NAME (repeatable)"},
    {"order-seed", 0, "N", "interp, sim: run programs and warps in an order drawn from this"},
    {0},
};

const char details_exec[] =
    "FILE.cu has a 'main' as a CUDA program has one: what it does on the host (cudaMalloc,\n"
    "cudaMemcpy, <<<grid, block>>>, loops, printf ..) is evaluated, each access to memory "
    "checked;\n"
    "its kernels run on the device. No CUDA and no compiler takes part, but cpu's. What is not\n"
    "supported is refused before anything ran. The exit code is the program's. With --host c++ "
    "the\n"
    "C++ compiler that is found makes the host's part: all of C++, and unchecked.\n"
    "A program of several files names the others by --with: they are read as one text.\n"
    "FILE.cu:FUNCTION calls one function of the host, as PyTorch's load_inline makes them\n"
    "callable: torch::Tensor f(torch::Tensor x) {..}; VALUE is as for 'tern run'.\n\n"
    "FILE.py is run from the top as Python would (sys.argv: what follows), with modules torch and "
    "triton of tern's own: no\n"
    "Python and no PyTorch take part. It reaches no files but modules beside it (and in -I) and\n"
    "those of --allow-read and --allow-write, no network, no processes. Its kernels test each\n"
    "access on cpu (--trust: they do not), as on interp and sim; on cuda nothing does: there, run\n"
    "no file that you do not trust. What is not supported is refused at its line.\n"
    "Its values may have 1 GiB of memory, its tensors on cpu, interp and sim three quarters of "
    "the\n"
    "machine's; --memory sets both. More is a MemoryError, of tensors a RuntimeError.\n"
    "Where a file is made for a large GPU: --points and --scale cut the sweeps of perf_report, "
    "whose\n"
    "tables then say so; --set N_HEADS=2 gives another value than the file's 'N_HEADS = 32', and\n"
    "--set bench.reps=3 than what the function bench assigns to reps, or is called with.\n\n"
    "examples:\n"
    "  tern exec --device sim vectorAdd.cu -- 1000\n"
    "  tern exec --host c++ sample.cu -I Common\n"
    "  tern exec gelu.cu:gelu -a 'x=randn(32,100)' -o y.npy\n"
    "  tern exec --device cpu 01-vector-add.py\n"
    "  tern exec --scale 1/16 --set N_HEADS=2 06-fused-attention.py\n"
    "  tern exec sweep.py -- --k 512\n";

void exec_stdout(void *user, const char *text, size_t length) {
    (void)user;
    fwrite(text, 1, length, stdout);
    if (!length) fflush(stdout);
}

void exec_stderr(void *user, const char *text, size_t length) {
    (void)user;
    fflush(stdout);
    fwrite(text, 1, length, stderr);
}

const char *exec_ask(void *user, const char *prompt) {
    ExecLine *line = user;
    fputs(prompt, stdout);
    fflush(stdout);
    return fgets(line->text, sizeof line->text, stdin);
}

static bool is_python(const char *path) {
    size_t length = strlen(path);
    return length > 3 && !strcmp(path + length - 3, ".py");
}

static int run_program(Cli *cli, tern_context *context, tern_module *module) {
    int exit_code = EXIT_OK;
    tern_exec_options options = {.num_arguments = cli->operands.count,
                                 .arguments = cli->operands.data,
                                 .output = exec_stdout,
                                 .errors = exec_stderr,
                                 .builder = option_value(cli, "builder"),
                                 .host = option_value(cli, "host")};
    tern_status status = tern_exec(module, &options, &exit_code);
    fflush(stdout);
    return status ? cli_fail_context(cli, context) : exit_code;
}

/* ---- the sources of a program ---- */

static int folder_length(Str path) {
    int length = path.length;
    while (length && path.data[length - 1] != '/') length--;
    return length;
}

/* FILE.cu and what --with names, included by one text; NULL: words is what is wrong. */
static const char *all_sources(Cli *cli, Str path, const char **words) {
    int folder = folder_length(path);
    Str above = folder ? (Str){path.data, folder - 1} : STR(".");
    Buf text = {.arena = cli->arena};
    buf_printf(&text, "#include \"%.*s\"\n", path.length - folder, path.data + folder);
    for (int i = 0; option_nth(cli, "with", i); i++) {
        Str other = str_of(option_nth(cli, "with", i));
        bool inside = other.length > folder && !memcmp(other.data, path.data, (size_t)folder) &&
                      other.data[folder] != '/';
        if (!inside) {
            *words = "--with: a file that is not in the folder of the first one, or below it";
            return NULL;
        }
        FILE *file = fopen(other.data, "rb");
        if (!file) {
            *words = str_format(cli->arena, "--with: '%s' cannot be read", other.data).data;
            return NULL;
        }
        fclose(file);
        buf_printf(&text, "#include \"%.*s\"\n", other.length - folder, other.data + folder);
    }
    /* Before what -I says. */
    vec_push(cli->arena, &cli->include_dirs, NULL);
    for (int i = cli->include_dirs.count - 1; i > 0; i--)
        cli->include_dirs.data[i] = cli->include_dirs.data[i - 1];
    cli->include_dirs.data[0] = folder == 1 ? "/" : str_c(cli->arena, above);
    return buf_str(&text).data;
}

int command_exec(Cli *cli) {
    int code = EXIT_OK, seed;
    if (!cli->operands.count)
        return cli_fail(cli, EXIT_USAGE, "one FILE.py or FILE.cu and its arguments");
    if (cli_refuses_input(cli, &code)) return code;
    if (!option_int(cli, "timeout", 0, 86400000, 0, &cli->timeout_ms) ||
        !option_int(cli, "order-seed", 0, INT32_MAX, 0, &seed))
        return EXIT_USAGE;
    cli->order_seed = (uint64_t)seed;
    cli->bounds = !option_given(cli, "trust") && !option_given(cli, "host");
    const char *operand = cli->operands.data[0], *function = strrchr(operand, ':');
    Str path = {operand, (int)(function ? (size_t)(function - operand) : strlen(operand))};
    const char *sources = NULL, *words = "--with: of a FILE.cu alone";
    if (option_given(cli, "with")) {
        if (!is_python(operand)) sources = all_sources(cli, path, &words);
        if (!sources) return cli_fail(cli, EXIT_USAGE, "%s", words);
    }
    tern_context *context = cli_open(cli, cli->device, &code);
    if (!context) return code;
    if (is_python(operand)) {
        code = exec_python(cli, context, operand);
        tern_close(context);
        return code;
    }
    tern_set_output(context, exec_stdout, NULL);
    const char *name = str_c(cli->arena, path);
    tern_module *module = sources ? tern_load_text(context, sources, strlen(sources), name)
                                  : tern_load_file(context, name);
    if (!module)
        code = cli_fail_context(cli, context);
    else if (function)
        code = exec_call(cli, context, module, function + 1);
    else
        code = run_program(cli, context, module);
    tern_module_free(module);
    tern_close(context);
    return code;
}
