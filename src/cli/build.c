// SPDX-License-Identifier: Apache-2.0
/* tern build: a kernel as plain C. */
#include "cli/cli.h"
#include "cli/json.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

const OptionRow options_build[] = {
    {"sig", 0, "SIGNATURE", "types and constants in parameter order; patterns too (repeatable)"},
    {"output", 'o', "DIR", "where the files go; default: here"},
    {"name", 0, "NAME", "of the files and the C functions; default: the kernel's"},
    {"require", 0, "EXPR", "what each call must fulfil: 'columns <= BLOCK'"},
    {"target", 't', "T", "cpu:avx2, sm_90a .. (repeatable); default: all that take the kernel"},
    {"cubin", 0, "SM", "machine code for sm_90a .., too, by ptxas (repeatable)"},
    {"tuned", 0, "NAME=VALUE,..",
     "constants as 'tern tune' found them on --device for these values"},
    {"block", 'b', "X,..", "CUDA C: threads of a block, one to three dimensions"},
    {"shared", 0, "BYTES", "CUDA C: dynamic shared memory of a block"},
    {"torch", 0, NULL, "also NAME_torch.cpp: the calls as operators of PyTorch"},
    {"from", 0, "FILE", "several kernels: a line each, FILE[:KERNEL] and options as here"},
    {"lib", 0, "KIND",
     "also libNAME.a or libNAME.so, by $TERN_CC or cc: static, shared (repeatable)"},
    {"header-only", 0, NULL, "all in NAME.h: NAME_IMPLEMENTATION in one file brings the code"},
    {"num-warps", 0, "N", "1, 2, 4 .. 32; default 4"},
    {"num-stages", 0, "N", "default: the target's"},
    {"precise", 0, NULL, "GPU: round a * b + c twice, keep small numbers (doc/language.md)"},
    {0},
};

const char details_build[] =
    "NAME.c is for gcc and clang; it needs -pthread -ldl -lm and nothing of tern. A call takes "
    "the\n"
    "first compiled form that is right for its arguments; what none is right for is refused.\n"
    "SIGNATURE is that of 'tern show', where also\n"
    "  {fp32,fp16}    one or the other: a C function each\n"
    "  {0}            what the first braces are\n"
    "  :16?           all such promises hold, or none is needed: the call takes what is right\n"
    "  {1024,2048}    of a constant: the C function gets it as a parameter\n"
    "EXPR is Python's: + - * // %, comparisons, and, or, not, over integer parameters.\n\n"
    "example:\n"
    "  tern build kernels/softmax.py --name softmax -o out --require 'columns <= BLOCK' \\\n"
    "      --sig '*fp32:16?,*fp32:16?,i32:16?,i32:16?,i32:16?,{1024,4096}'\n";

/* One kernel. Nothing is written before all are built. */
typedef struct Job {
    Cli cli; /* the options of the command, then those of the line */
    const char *name;
    tern_built built;
} Job;
typedef VEC(Job) Jobs;
typedef VEC(char *) Words;

static const char *path_of(const Job *job, const char *before, const char *ending) {
    const char *folder = option_value(&job->cli, "output");
    return str_format(job->cli.arena, "%s/%s%s%s", folder ? folder : ".", before, job->name, ending)
        .data;
}

static void say_written(const Job *job, const char *path) {
    if (!job->cli.json && !job->cli.quiet) printf("%s\n", path);
}

static int write_files(const Job *job) {
    const tern_built *built = &job->built;
    const char *folder = option_value(&job->cli, "output");
    const struct {
        const char *ending, *text;
    } files[] = {{".c", built->source},        {".json", built->description},
                 {".pc", built->pkg_config},   {"Config.cmake", built->cmake},
                 {"_torch.cpp", built->torch}, {".h", built->header}};
    Str why;
    if (!cli_make_folder(&job->cli, folder ? folder : ".")) return EXIT_SYSTEM;
    for (int i = 0; i < COUNT(files); i++) {
        const char *text = files[i].text, *path = path_of(job, "", files[i].ending);
        if (!text) continue;
        if (!file_write(job->cli.arena, path, text, strlen(text), &why))
            return cli_fail(&job->cli, EXIT_SYSTEM, "%.*s", STR_ARG(why));
        say_written(job, path);
    }
    if (job->cli.json) fputs(built->description, stdout);
    return EXIT_OK;
}

/* ---- libraries ---- */

static int run_tool(const Cli *cli, const char *const *words) {
    extern char **environ;
    pid_t process;
    int status = 0,
        failed = posix_spawnp(&process, words[0], NULL, NULL, (char **)(uintptr_t)words, environ);
    if (failed) return cli_fail(cli, EXIT_SYSTEM, "%s: %s", words[0], strerror(failed));
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    if (WIFEXITED(status) && !WEXITSTATUS(status)) return EXIT_OK;
    return cli_fail(cli, EXIT_SYSTEM, "%s has failed on %s", words[0], words[1]);
}

/* The threads of a shared one outlive a dlclose. */
static int make_library(const Job *job, const char *kind) {
    const char *given = getenv("TERN_CC"), *cc = given && *given ? given : "cc";
    const char *source = path_of(job, "", ".c"), *object = path_of(job, "", ".o"),
               *library = path_of(job, "lib", !strcmp(kind, "static") ? ".a" : ".so");
    const char *const shared[] = {cc,   source,  "-O2",      "-fPIC", "-shared", "-Wl,-z,nodelete",
                                  "-o", library, "-pthread", "-ldl",  "-lm",     NULL},
                      *const compile[] = {cc, source, "-O2", "-fPIC", "-c", "-o", object, NULL},
                      *const archive[] = {"ar", "rcs", library, object, NULL};
    bool is_static = !strcmp(kind, "static");
    int code = EXIT_OK;
    fflush(stdout);
    unlink(library);
    code = run_tool(&job->cli, is_static ? compile : shared);
    if (!code && is_static) code = run_tool(&job->cli, archive);
    if (is_static) unlink(object);
    if (!code) say_written(job, library);
    return code;
}

static int check_libraries(const Cli *cli) {
    for (int i = 0; option_nth(cli, "lib", i); i++) {
        const char *kind = option_nth(cli, "lib", i);
        if (strcmp(kind, "static") && strcmp(kind, "shared"))
            return cli_fail(cli, EXIT_USAGE, "--lib: expected static or shared, saw '%s'", kind);
        if (option_given(cli, "header-only"))
            return cli_fail(cli, EXIT_USAGE, "--header-only has no NAME.c for a library");
    }
    return EXIT_OK;
}

/* ---- one kernel ---- */

/* "n=1000,m=20": the values that a tuning was for. */
static bool take_known(Cli *cli, const char *text, tern_build_options *options) {
    VEC(tern_value) known = {0};
    for (const char *at = text; *at; at += strcspn(at, ","), at += *at == ',') {
        Str pair = {at, (int)strcspn(at, ",")};
        int name = (int)strcspn(at, "=");
        if (name >= pair.length)
            return cli_fail(cli, EXIT_USAGE, "--tuned: expected NAME=VALUE, saw '%.*s'",
                            STR_ARG(pair)),
                   false;
        tern_value value = {str_c(cli->arena, (Str){at, name}),
                            str_c(cli->arena, (Str){at + name + 1, pair.length - name - 1})};
        vec_push(cli->arena, &known, value);
    }
    options->tuned = true;
    options->known = known.data, options->num_known = known.count;
    return true;
}

static int build(Job *job, tern_context *context, tern_module *module,
                 const tern_function *function) {
    Cli *cli = &job->cli;
    VEC(const char *) signatures = {0}, targets = {0}, cubins = {0};
    tern_build_options options = {.name = option_value(cli, "name"),
                                  .require = option_value(cli, "require")};
    for (int i = 0; option_nth(cli, "sig", i); i++)
        vec_push(cli->arena, &signatures, option_nth(cli, "sig", i));
    for (int i = 0; option_nth(cli, "target", i); i++)
        vec_push(cli->arena, &targets, option_nth(cli, "target", i));
    for (int i = 0; option_nth(cli, "cubin", i); i++)
        vec_push(cli->arena, &cubins, option_nth(cli, "cubin", i));
    if (!signatures.count && !function->is_cuda)
        return cli_fail(cli, EXIT_USAGE, "--sig is missing: the types of %s's parameters",
                        function->name);
    if (!option_int(cli, "num-warps", 1, 32, 0, &options.num_warps) ||
        !option_int(cli, "num-stages", 1, 64, 0, &options.num_stages))
        return EXIT_USAGE;
    options.signatures = signatures.data, options.num_signatures = signatures.count;
    options.targets = targets.data, options.num_targets = targets.count;
    options.cubins = cubins.data, options.num_cubins = cubins.count;
    options.header_only = option_given(cli, "header-only");
    options.precise = option_given(cli, "precise");
    options.torch = option_given(cli, "torch");
    tern_options launch = {0};
    if (!option_launch(cli, &launch)) return EXIT_USAGE;
    memcpy(options.block, launch.block, sizeof options.block);
    options.shared_bytes = launch.shared_bytes;
    const char *tuned = option_value(cli, "tuned");
    if (tuned && !take_known(cli, tuned, &options)) return EXIT_USAGE;
    if (tern_build(module, function->name, &options, &job->built))
        return cli_fail_context(cli, context);
    job->name = options.name ? options.name : str_c(cli->arena, str_of(function->name));
    return EXIT_OK;
}

static int build_job(Job *job) {
    Cli *cli = &job->cli;
    int code = check_libraries(cli);
    tern_module *module = NULL;
    if (code) return code;
    if (cli->operands.count != 1)
        return cli_fail(cli, EXIT_USAGE, "one FILE[:KERNEL], not %d", cli->operands.count);
    /* Texts need no device; what was tuned is of one. */
    tern_context *context =
        cli_open(cli, option_given(cli, "tuned") ? cli->device : "interp", &code);
    if (!context) return code;
    const tern_function *function =
        cli_find_function(cli, context, cli->operands.data[0], &module, &code);
    if (function) code = build(job, context, module, function);
    tern_module_free(module);
    tern_close(context);
    return code;
}

/* ---- several ---- */

/* A line as a shell has it: blanks between words, quotes of both kinds, `#` to the end. False: a
 * quote is not closed. */
static bool split_words(Arena *arena, const char *line, Words *words) {
    while (true) {
        Buf word = {.arena = arena};
        line += strspn(line, " \t\r");
        if (!*line || *line == '#') return true;
        buf_puts(&word, "");
        while (*line && !strchr(" \t\r", *line)) {
            const char *end = *line == '\'' || *line == '"' ? strchr(line + 1, *line) : NULL;
            if ((*line == '\'' || *line == '"') && !end) return false;
            if (end)
                buf_add(&word, line + 1, (size_t)(end - line - 1));
            else
                buf_putc(&word, *line);
            line = end ? end + 1 : line + 1;
        }
        vec_push(arena, words, (char *)(uintptr_t)word.data);
    }
}

static int take_line(Cli *cli, const char *line, Jobs *jobs) {
    Words words = {0};
    Job job = {.cli = *cli};
    job.cli.operands.data = NULL, job.cli.operands.count = job.cli.operands.capacity = 0;
    job.cli.options.data = NULL, job.cli.options.count = job.cli.options.capacity = 0;
    if (!split_words(cli->arena, line, &words))
        return cli_fail(cli, EXIT_USAGE, "a quote is not closed");
    for (int i = 0; i < cli->options.count; i++)
        vec_push(cli->arena, &job.cli.options, cli->options.data[i]);
    if (!words.count) return EXIT_OK;
    if (!cli->take_options(&job.cli, words.data, words.count)) return EXIT_USAGE;
    int code = build_job(&job);
    for (int i = 0; i < jobs->count && !code; i++)
        if (!strcmp(path_of(&jobs->data[i], "", ""), path_of(&job, "", ""))) {
            code = cli_fail(cli, EXIT_USAGE, "%s is another line's: --name", path_of(&job, "", ""));
            tern_built_free(&job.built);
        }
    if (!code) vec_push(cli->arena, jobs, job);
    return code;
}

static int take_file(Cli *cli, const char *path, Jobs *jobs) {
    Str text, why;
    int code = EXIT_OK, number = 0;
    if (cli->operands.count)
        return cli_fail(cli, EXIT_USAGE, "--from has the kernels: no FILE beside it");
    if (!file_read(cli->arena, path, 1 << 20, &text, &why))
        return cli_fail(cli, EXIT_USAGE, "%s: %.*s", path, STR_ARG(why));
    const char *at = str_c(cli->arena, text);
    while (*at && !code) {
        size_t length = strcspn(at, "\n");
        number++;
        code = take_line(cli, str_c(cli->arena, (Str){at, (int)length}), jobs);
        at += length + (at[length] == '\n');
    }
    if (code) cli_fail(cli, code, "%s:%d: nothing is written", path, number);
    return code;
}

int command_build(Cli *cli) {
    const char *from = option_value(cli, "from");
    Jobs jobs = {0};
    Job only = {.cli = *cli};
    int code = from ? take_file(cli, from, &jobs) : build_job(&only);
    if (!from && !code) vec_push(cli->arena, &jobs, only);
    for (int i = 0; i < jobs.count && !code; i++) code = write_files(&jobs.data[i]);
    for (int i = 0; i < jobs.count && !code; i++)
        for (int k = 0; option_nth(&jobs.data[i].cli, "lib", k) && !code; k++)
            code = make_library(&jobs.data[i], option_nth(&jobs.data[i].cli, "lib", k));
    for (int i = 0; i < jobs.count; i++) tern_built_free(&jobs.data[i].built);
    return code;
}
