// SPDX-License-Identifier: Apache-2.0
/* tern build: a kernel as plain C. */
#include "cli/cli.h"
#include "cli/json.h"

#include <stdio.h>

const OptionRow options_build[] = {
    {"sig", 0, "SIGNATURE", "types and constants in parameter order; patterns too (repeatable)"},
    {"output", 'o', "DIR", "where the files go; default: here"},
    {"name", 0, "NAME", "of the files and the C functions; default: the kernel's"},
    {"require", 0, "EXPR", "what each call must fulfil: 'columns <= BLOCK'"},
    {"target", 't', "T", "cpu:avx2, sm_90a .. (repeatable); default: all that take the kernel"},
    {"cubin", 0, "SM", "machine code for sm_90a .., too, by ptxas (repeatable)"},
    {"tuned", 0, "NAME=VALUE,..",
     "constants as 'tern tune' found them on --device for these values"},
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

static bool write_file(const Cli *cli, const char *folder, const char *name, const char *ending,
                       const char *text) {
    Str path = str_format(cli->arena, "%s/%s%s", folder, name, ending), why;
    if (!file_write(cli->arena, path.data, text, strlen(text), &why)) {
        cli_fail(cli, EXIT_SYSTEM, "%.*s", STR_ARG(why));
        return false;
    }
    if (!cli->json && !cli->quiet) printf("%s\n", path.data);
    return true;
}

static int write_files(const Cli *cli, const tern_built *built, const char *name) {
    const char *folder = option_value(cli, "output");
    if (!folder) folder = ".";
    const struct {
        const char *ending, *text;
    } files[] = {{".c", built->source},
                 {".json", built->description},
                 {".pc", built->pkg_config},
                 {"Config.cmake", built->cmake},
                 {".h", built->header}};
    if (!cli_make_folder(cli, folder)) return EXIT_SYSTEM;
    for (int i = 0; i < COUNT(files); i++)
        if (files[i].text && !write_file(cli, folder, name, files[i].ending, files[i].text))
            return EXIT_SYSTEM;
    if (cli->json) fputs(built->description, stdout);
    return EXIT_OK;
}

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

static int build(Cli *cli, tern_context *context, tern_module *module,
                 const tern_function *function) {
    VEC(const char *) signatures = {0}, targets = {0}, cubins = {0};
    tern_build_options options = {.name = option_value(cli, "name"),
                                  .require = option_value(cli, "require")};
    tern_built built;
    for (int i = 0; option_nth(cli, "sig", i); i++)
        vec_push(cli->arena, &signatures, option_nth(cli, "sig", i));
    for (int i = 0; option_nth(cli, "target", i); i++)
        vec_push(cli->arena, &targets, option_nth(cli, "target", i));
    for (int i = 0; option_nth(cli, "cubin", i); i++)
        vec_push(cli->arena, &cubins, option_nth(cli, "cubin", i));
    if (!signatures.count)
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
    const char *tuned = option_value(cli, "tuned");
    if (tuned && !take_known(cli, tuned, &options)) return EXIT_USAGE;
    if (tern_build(module, function->name, &options, &built)) return cli_fail_context(cli, context);
    int code = write_files(cli, &built, options.name ? options.name : function->name);
    tern_built_free(&built);
    return code;
}

int command_build(Cli *cli) {
    int code = EXIT_OK;
    tern_module *module = NULL;
    if (cli->operands.count != 1)
        return cli_fail(cli, EXIT_USAGE, "one FILE[:KERNEL], not %d", cli->operands.count);
    /* Texts need no device; what was tuned is of one. */
    tern_context *context =
        cli_open(cli, option_given(cli, "tuned") ? cli->device : "interp", &code);
    if (!context) return code;
    const tern_function *function =
        cli_find_function(cli, context, cli->operands.data[0], &module, &code);
    if (function) code = build(cli, context, module, function);
    tern_module_free(module);
    tern_close(context);
    return code;
}
