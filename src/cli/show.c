// SPDX-License-Identifier: Apache-2.0
/* tern show: what the compiler makes of a kernel, at any stage. Needs no device: text only. */
#include "base/ptxas.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/sass.h"

#include <stdio.h>
#include <stdlib.h>

const OptionRow options_show[] = {
    {"stage", 's', "STAGE", "ast, ir, ir:PASS, c, ptx, sass, facts, times or configs"},
    {"sig", 0, "SIGNATURE", "types and constants in parameter order: '*fp32:16,i32,1024'"},
    {"target", 't', "T", "cpu, cpu:avx2, interp, sm_90a ..; default: what the stage is for"},
    {"block", 'b', "X,..", "CUDA C: threads of a block, one to three dimensions"},
    {"shared", 0, "BYTES", "CUDA C: dynamic shared memory of a block"},
    {"builder", 0, "nvrtc", "CUDA C: compile with NVIDIA's library, not with tern"},
    {"num-warps", 0, "N", "1, 2, 4 .. 32; default 4"},
    {"num-stages", 0, "N", "default: the target's"},
    {"config", 0, "K", "compile with the values of this @triton.autotune config"},
    {"plain", 0, NULL, "GPU: for other launchers: the text's parameters are the source's alone"},
    {"few", 0, NULL, "GPU: what no more programs than run at a time take"},
    OPTIONS_COMPILE,
    {0},
};

const char details_show[] =
    "SIGNATURE is what triton.tools.compile takes: ':16' says divisible by 16, ':1' equal to 1;\n"
    "NAME=VALUE gives a parameter by name. Stages:\n"
    "  ast      the syntax tree (no signature needed)\n"
    "  configs  what @triton.autotune says (no signature needed)\n"
    "  ir       the tile IR after the target's passes;  ir:PASS after one pass;  ir:place with "
    "what\n"
    "           a GPU's threads hold of each tile\n"
    "  c        the C text for the CPU: for this machine's, or --target cpu:avx512bf16,\n"
    "           cpu:avx512vnni, cpu:avx512, cpu:avx2, cpu:generic\n"
    "  ptx      the PTX text for a GPU;  sass: ptxas' result, and what it says of\n"
    "           registers, stack and spills (needs ptxas, and cuobjdump or nvdisasm)\n"
    "  facts    arguments, shared memory, what the compiler found out; of a GPU also\n"
    "           registers and spills, where ptxas is\n"
    "  times    what each step of this compilation took, in order (-t sm_90a: for a GPU)\n\n"
    "example:\n"
    "  tern show kernels/softmax.py --stage c --sig '*fp32:16,*fp32:16,i32,i32,i32,1024'\n";

typedef struct Show {
    Cli *cli;
    tern_context *context;
    tern_module *module;
    const tern_function *function;
    const char *stage_name, *pass;
} Show;

static void print_text(const char *text) {
    size_t length = strlen(text);
    fputs(text, stdout);
    if (length && text[length - 1] != '\n') putchar('\n');
}

static int print_stage(const Show *show, const char *text) {
    if (!show->cli->json) {
        print_text(text);
        return EXIT_OK;
    }
    Json json = {.out.arena = show->cli->arena};
    json_open(&json, '{');
    json_key(&json, "kernel"), json_text(&json, show->function->name);
    json_key(&json, "stage"), json_text(&json, show->stage_name);
    json_key(&json, "text"), json_text(&json, text);
    json_close(&json, '}');
    json_print(&json);
    return EXIT_OK;
}

/* ---- configs ---- */

static void config_json(Json *json, const tern_config *config) {
    json_open(json, '{');
    for (int i = 0; i < config->num_values; i++)
        json_key(json, config->values[i].name), json_text(json, config->values[i].text);
    json_key(json, "num_warps"), json_int(json, config->num_warps);
    json_key(json, "num_stages"), json_int(json, config->num_stages);
    json_close(json, '}');
}

static int show_configs(const Show *show) {
    const tern_config *configs;
    int count = tern_module_configs(show->module, show->function->name, &configs);
    if (count < 0) return cli_fail_context(show->cli, show->context);
    Json json = {.out.arena = show->cli->arena};
    json_open(&json, '[');
    for (int i = 0; i < count; i++) {
        config_json(&json, &configs[i]);
        if (show->cli->json) continue;
        printf("%d:", i + 1);
        for (int k = 0; k < configs[i].num_values; k++)
            printf(" %s=%s", configs[i].values[k].name, configs[i].values[k].text);
        if (configs[i].num_warps) printf(" num_warps=%d", configs[i].num_warps);
        if (configs[i].num_stages) printf(" num_stages=%d", configs[i].num_stages);
        putchar('\n');
    }
    json_close(&json, ']');
    if (show->cli->json)
        json_print(&json);
    else if (!count)
        printf("%s has no @triton.autotune\n", show->function->name);
    return EXIT_OK;
}

/* ---- sass ---- */

static int show_sass(const Show *show, const char *ptx, const char *target) {
    Sass sass = sass_make(show->cli->arena, target, ptx, false);
    fprintf(stderr, "%.*s", STR_ARG(sass.said));
    if (sass.code) return cli_fail(show->cli, sass.code, "stage sass: %.*s", STR_ARG(sass.why));
    return print_stage(show, sass.text.data);
}

/* What only the assembler knows of a thread. */
static int show_facts(const Show *show, tern_kernel *kernel, const char *facts) {
    Arena *arena = show->cli->arena;
    const char *ptx = tern_kernel_text(kernel, TERN_STAGE_PTX);
    Str words;
    int code = print_stage(show, facts);
    if (!ptx || code) return code;
    PtxasResult result =
        ptxas_run(arena, tern_kernel_target(kernel), str_of(ptx), false, NULL, &words);
    if (result == PTXAS_REFUSED)
        return cli_fail(show->cli, EXIT_WRONG, "ptxas does not accept the PTX: %.*s",
                        STR_ARG(words));
    PtxasUse use = ptxas_use(words);
    if (result == PTXAS_MISSING)
        printf("registers, spills: not known: %.*s\n", STR_ARG(words));
    else
        printf("registers: %d a thread\nspills: %d bytes stored, %d loaded a thread\n",
               use.registers, use.spill_stores, use.spill_loads);
    return EXIT_OK;
}

/* ---- compiled stages ---- */

typedef struct StageRow {
    const char *name;
    tern_stage stage;
    const char *target; /* NULL: the cpu */
} StageRow;
static const StageRow stages[] = {
    {"ir", TERN_STAGE_IR, "cpu"},       {"c", TERN_STAGE_C, "cpu"},
    {"ptx", TERN_STAGE_PTX, "sm_90a"},  {"sass", TERN_STAGE_PTX, "sm_90a"},
    {"facts", TERN_STAGE_FACTS, "cpu"}, {"times", TERN_STAGE_TIMES, "cpu"},
};

static int show_compiled(const Show *show, const StageRow *row) {
    Cli *cli = show->cli;
    const char *signature = option_value(cli, "sig"), *target = option_value(cli, "target");
    tern_options options = {.debug = option_given(cli, "debug"),
                            .precise = option_given(cli, "precise"),
                            .maps = !option_given(cli, "plain"),
                            .few = option_given(cli, "few"),
                            .print_after = show->pass};
    bool is_cuda = show->function->is_cuda;
    if (!signature && !is_cuda)
        return cli_fail(cli, EXIT_USAGE, "stage %s needs --sig: the types of %s's parameters",
                        show->stage_name, show->function->name);
    if (!option_launch(cli, &options) ||
        !option_int(cli, "num-warps", 1, 64, 0, &options.num_warps) ||
        !option_int(cli, "num-stages", 1, 32, 0, &options.num_stages) ||
        !option_int(cli, "config", 1, 1 << 20, 0, &options.config))
        return EXIT_USAGE;
    bool of_gpu = show->pass && (!strcmp(show->pass, "place") || !strcmp(show->pass, "fence"));
    options.target = target ? target : of_gpu || is_cuda ? "sm_90a" : row->target;
    tern_kernel *kernel = tern_compile(show->module, show->function->name, signature, &options);
    if (!kernel) return cli_fail_context(cli, show->context);
    const char *text = tern_kernel_text(kernel, show->pass ? TERN_STAGE_IR_AFTER : row->stage);
    int code;
    if (!text)
        code = cli_fail(cli, EXIT_USAGE, "target %s has no stage '%s'", options.target,
                        show->stage_name);
    else if (!strcmp(row->name, "sass"))
        code = show_sass(show, text, tern_kernel_target(kernel));
    else if (row->stage == TERN_STAGE_FACTS && !show->pass)
        code = show_facts(show, kernel, text);
    else
        code = print_stage(show, text);
    const char *remarks = tern_kernel_text(kernel, TERN_STAGE_REMARKS);
    if (cli->verbose && remarks) fputs(remarks, stderr);
    cli_show_warnings(cli, kernel);
    tern_kernel_free(kernel);
    return code;
}

static bool pass_exists(const char *name) {
    for (int i = 0; tern_pass_name(i); i++)
        if (!strcmp(tern_pass_name(i), name)) return true;
    return false;
}

static int unknown_pass(const Show *show) {
    cli_fail(show->cli, EXIT_USAGE, "no pass '%s'; there are:", show->pass);
    for (int i = 0; tern_pass_name(i); i++) fprintf(stderr, "  %s\n", tern_pass_name(i));
    return EXIT_USAGE;
}

static int show_stage(Show *show) {
    const char *stage = show->stage_name;
    if (!strcmp(stage, "configs")) return show_configs(show);
    if (!strcmp(stage, "ast")) {
        const char *text = tern_module_ast(show->module, show->function->name);
        return text ? print_stage(show, text) : cli_fail_context(show->cli, show->context);
    }
    if (!strncmp(stage, "ir:", 3)) {
        show->pass = stage + 3;
        if (!pass_exists(show->pass)) return unknown_pass(show);
        return show_compiled(show, &stages[0]);
    }
    for (int i = 0; i < COUNT(stages); i++)
        if (!strcmp(stage, stages[i].name)) return show_compiled(show, &stages[i]);
    return cli_fail(
        show->cli, EXIT_USAGE,
        "no stage '%s'; there are ast, ir, ir:PASS, c, ptx, sass, facts, times, configs", stage);
}

static void print_output(void *user, const char *text, size_t length) {
    (void)user;
    fwrite(text, 1, length, stderr);
}

int command_show(Cli *cli) {
    int code = EXIT_OK;
    if (cli->operands.count == 0) return cli_fail(cli, EXIT_USAGE, "which FILE[:KERNEL]?");
    if (cli->operands.count > 1)
        return cli_fail(cli, EXIT_USAGE, "one kernel at a time: what is '%s'?",
                        cli->operands.data[1]);
    Show show = {.cli = cli, .stage_name = option_value(cli, "stage")};
    if (!show.stage_name)
        return cli_fail(
            cli, EXIT_USAGE,
            "--stage is missing: ast, ir, ir:PASS, c, ptx, sass, facts, times or configs");
    show.context = cli_open(cli, cli->device ? cli->device : "interp", &code);
    if (!show.context) return code;
    tern_set_output(show.context, print_output, NULL); /* static_print; stdout is the stage's */
    show.function =
        cli_find_function(cli, show.context, cli->operands.data[0], &show.module, &code);
    if (show.function) code = show_stage(&show);
    tern_module_free(show.module);
    tern_close(show.context);
    return code;
}
