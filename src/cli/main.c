// SPDX-License-Identifier: Apache-2.0
/* main: the table of commands, their common options, --help. */
#include "cli/cli.h"
#include "cli/json.h"

#include <stdio.h>

static const OptionRow options_common[] = {
    {"device", 0, "D", "cpu, interp, sim[:ARCH] or cuda[:N]; default: cuda if present, else cpu"},
    {"I", 0, "DIR", "also look for imported .py files and headers here (repeatable)"},
    {"D", 0, "NAME[=TEXT]", "define a macro of a .cu file (repeatable)"},
    {"global", 0, "NAME=VALUE",
     "a name of the module has this value: a Python literal (repeatable)"},
    {"json", 0, NULL, "print JSON"},
    {"quiet", 'q', NULL, "print only results and errors"},
    {"verbose", 'v', NULL, "print more: the signature, remarks of the compiler"},
    {"help", 'h', NULL, "print this and stop"},
    {0},
};
static const OptionRow options_none[] = {{0}};

static int command_help(Cli *cli), command_version(Cli *cli), command_complete(Cli *cli);

static const CommandRow commands[] = {
    {"run", "FILE[:KERNEL] --grid EXPR[,EXPR[,EXPR]] -a NAME=VALUE ..",
     "compile a kernel, launch it once and look at the results", details_run, options_run,
     command_run},
    {"check", "FILE[:KERNEL] .. --grid EXPR,.. -a NAME=VALUE ..",
     "run a kernel where mistakes show, and list what is found", details_check, options_check,
     command_check},
    {"show", "FILE[:KERNEL] --stage STAGE [--sig SIGNATURE] [--target T]",
     "print what the compiler makes of a kernel, at any stage", details_show, options_show,
     command_show},
    {"exec", "FILE.py | FILE.cu[:FUNCTION] [-- ARGUMENT..]",
     "run a whole program: a Python file, a CUDA program's 'main'", details_exec, options_exec,
     command_exec},
    {"fuse", "FILE.py:FUNCTION -a NAME=VALUE .. [-o OUT.py]",
     "a function of tensors as few kernels: readable Triton source", details_fuse, options_fuse,
     command_fuse},
    {"lab", "NAME | all [--save DIR]",
     "the lectures' experiments on this device, beside what was published", details_lab,
     options_lab, command_lab},
    {"replay", "CASE_DIR.. --root REPO", "run recorded launches and compare with what was recorded",
     details_replay, options_replay, command_replay},
    {"bench", "FILE[:KERNEL] --grid EXPR,.. -a NAME=VALUE .. [-x NAME=VALUES]",
     "how long a kernel takes, at a point or over a sweep", details_bench, options_bench,
     command_bench},
    {"tune", "FILE[:KERNEL]", "find the fastest config of a kernel for its arguments", details_tune,
     options_tune, command_tune},
    {"cmp", "A.jsonl B.jsonl", "the verdict on one saved benchmark against another", details_cmp,
     options_cmp, command_cmp},
    {"peak", "", "what memory and arithmetic of a device reach at best", details_peak, options_peak,
     command_peak},
    {"prof", "FILE[:KERNEL] --grid EXPR,.. -a NAME=VALUE .. | [--into DIR] -- PROGRAM [ARGUMENT..]",
     "where the time of launches goes: a table, a trace, a flame graph", details_prof, options_prof,
     command_prof},
    {"why", "FILE[:KERNEL] --grid EXPR,.. -a NAME=VALUE ..",
     "what bounds a kernel: occupancy, waves, bytes and operations against ceilings", details_why,
     options_why, command_why},
    {"view", "FILE[:KERNEL] --grid EXPR,.. -a NAME=VALUE .. [-o FILE.html]",
     "a page: source, IR, PTX and SASS line by line, and which thread touches what", details_view,
     options_view, command_view},
    {"build", "FILE[:KERNEL] --sig SIGNATURE [-o DIR]",
     "write a kernel as plain C, which needs no tern", details_build, options_build, command_build},
    {"devices", "", "what is here, what is missing and how to get it", NULL, options_devices,
     command_devices},
    {"help", "[COMMAND]", "this list, or the help of a command", NULL, options_none, command_help},
    {"version", "", "print the version", NULL, options_none, command_version},
    {0},
};

/* ---- options ---- */

static const OptionRow *row_find(const OptionRow *rows, const char *name, size_t length) {
    for (; rows->name; rows++) {
        if (strlen(rows->name) == length && !memcmp(rows->name, name, length)) return rows;
        if (length == 1 && rows->letter == name[0]) return rows;
    }
    return NULL;
}

static const OptionRow *option_find(const CommandRow *command, const char *name, size_t length) {
    const OptionRow *row = row_find(command->options, name, length);
    return row ? row : row_find(options_common, name, length);
}

/* "--name", "--name=value", "-x", "-xvalue"; a value may also be the next word. */
static bool option_parse(Cli *cli, char **words, int count, int *at) {
    const char *word = words[*at];
    bool is_long = word[1] == '-';
    const char *name = word + (is_long ? 2 : 1);
    const char *equals = is_long ? strchr(name, '=') : NULL;
    size_t length = !is_long ? 1 : equals ? (size_t)(equals - name) : strlen(name);
    const OptionRow *row = option_find(cli->command, name, length);
    if (!row) {
        cli_fail(cli, EXIT_USAGE, "unknown option '%s'; see 'tern %s --help'", word,
                 cli->command->name);
        return false;
    }
    const char *value = equals ? equals + 1 : !is_long && name[1] ? name + 1 : NULL;
    if (row->value && !value) {
        if (*at + 1 == count) {
            cli_fail(cli, EXIT_USAGE, "option '%s' needs a value: %s", word, row->value);
            return false;
        }
        value = words[++*at];
    } else if (!row->value && value) {
        cli_fail(cli, EXIT_USAGE, "option '--%s' takes no value", row->name);
        return false;
    }
    vec_push(cli->arena, &cli->options, (OptionUse){row, value});
    return true;
}

/* Known before all else: what is wrong with the other options is said in JSON, too. */
static bool wants_json(char **words, int count) {
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++)
        if (!strcmp(words[i], "--json")) return true;
    return false;
}

static bool take_options(Cli *cli, char **words, int count) {
    bool only_operands = false;
    cli->num_before_rest = -1;
    for (int i = 0; i < count; i++) {
        if (!only_operands && !strcmp(words[i], "--"))
            only_operands = true, cli->num_before_rest = cli->operands.count;
        else if (only_operands || words[i][0] != '-' || cli_is_input(words[i]))
            vec_push(cli->arena, &cli->operands, words[i]);
        else if (!option_parse(cli, words, count, &i))
            return false;
    }
    cli->json = option_given(cli, "json"); /* not the value of another */
    cli->quiet = option_given(cli, "quiet");
    cli->verbose = option_given(cli, "verbose");
    cli->device = option_value(cli, "device");
    for (int i = 0; option_nth(cli, "I", i); i++)
        vec_push(cli->arena, &cli->include_dirs, option_nth(cli, "I", i));
    for (int i = 0; option_nth(cli, "D", i); i++)
        vec_push(cli->arena, &cli->defines, option_nth(cli, "D", i));
    if (!cli->defines.count || (cli->operands.count && strstr(cli->operands.data[0], ".cu")))
        return true;
    cli_fail(cli, EXIT_USAGE, "-D: of a .cu file alone");
    return false;
}

static bool options_parse(Cli *cli, char **words, int count, Buf *said) {
    *said = (Buf){.arena = cli->arena};
    cli->json = wants_json(words, count);
    if (cli->json) cli->said = said;
    if (!take_options(cli, words, count)) return false;
    if (!cli->json) cli->said = NULL;
    return true;
}

/* ---- help ---- */

static void print_options(const OptionRow *rows) {
    for (; rows->name; rows++) {
        char letter[8] = "", left[64];
        if (rows->letter) snprintf(letter, sizeof letter, "-%c, ", rows->letter);
        snprintf(left, sizeof left, "%s%s%s%s%s", letter, rows->name[1] ? "--" : "-", rows->name,
                 rows->value ? " " : "", rows->value ? rows->value : "");
        printf("  %-24s %s\n", left, rows->help);
    }
}

static void print_command_help(const CommandRow *command) {
    printf("usage: tern %s%s%s\n\n%s.\n", command->name, *command->synopsis ? " " : "",
           command->synopsis, command->summary);
    if (command->options->name) printf("\noptions:\n");
    print_options(command->options);
    printf("\ncommon options:\n");
    print_options(options_common);
    if (command->details) printf("\n%s", command->details);
}

static void json_options(Json *json, const OptionRow *rows) {
    for (; rows->name; rows++) {
        json_open(json, '{');
        json_key(json, "name"), json_text(json, rows->name);
        json_key(json, "letter"),
            json_text(json, rows->letter ? (const char[]){rows->letter, 0} : NULL);
        json_key(json, "value"), json_text(json, rows->value);
        json_key(json, "help"), json_text(json, rows->help);
        json_close(json, '}');
    }
}

static void json_command(Json *json, const CommandRow *command) {
    json_open(json, '{');
    json_key(json, "name"), json_text(json, command->name);
    json_key(json, "synopsis"), json_text(json, command->synopsis);
    json_key(json, "summary"), json_text(json, command->summary);
    json_key(json, "options"), json_open(json, '[');
    json_options(json, command->options);
    json_options(json, options_common);
    json_close(json, ']');
    json_key(json, "details"), json_text(json, command->details);
    json_close(json, '}');
}

static void show_command_help(const Cli *cli, const CommandRow *command) {
    Json json = {.out.arena = cli->arena};
    if (!cli->json) {
        print_command_help(command);
        return;
    }
    json_command(&json, command);
    json_print(&json);
}

static void print_help_json(const Cli *cli) {
    Json json = {.out.arena = cli->arena};
    json_open(&json, '{');
    json_key(&json, "version"), json_text(&json, tern_version());
    json_key(&json, "commands"), json_open(&json, '[');
    for (const CommandRow *row = commands; row->name; row++) json_command(&json, row);
    json_close(&json, ']');
    json_close(&json, '}');
    json_print(&json);
}

static void print_help(void) {
    printf("usage: tern COMMAND [OPTION]..\n\n"
           "Your Triton kernels, called from C, checked on any laptop, measured honestly.\n\n"
           "commands:\n");
    for (const CommandRow *row = commands; row->name; row++)
        printf("  %-10s %s\n", row->name, row->summary);
    printf("\n'tern COMMAND --help' tells more. Exit codes: 0 ok, 1 wrong result or check failed,\n"
           "2 usage or bad input, 3 refused (named as not supported), 4 device or system.\n");
}

static const CommandRow *command_find(const char *name) {
    for (const CommandRow *row = commands; row->name; row++)
        if (!strcmp(row->name, name)) return row;
    return NULL;
}

static int command_help(Cli *cli) {
    if (cli->operands.count == 0) {
        if (cli->json)
            print_help_json(cli);
        else
            print_help();
        return EXIT_OK;
    }
    const CommandRow *command = command_find(cli->operands.data[0]);
    if (!command) return cli_fail(cli, EXIT_USAGE, "no command '%s'", cli->operands.data[0]);
    show_command_help(cli, command);
    return EXIT_OK;
}

static int command_version(Cli *cli) {
    Json json = {.out.arena = cli->arena};
    if (!cli->json) {
        printf("tern %s\n", tern_version());
        return EXIT_OK;
    }
    json_open(&json, '{');
    json_key(&json, "version"), json_text(&json, tern_version());
    json_close(&json, '}');
    json_print(&json);
    return EXIT_OK;
}

/* What an option's value may be, where that is one of some words: of completion. */
static const char *option_words(const char *option) {
    static const char *const rows[][2] = {
        {"device", "cpu interp sim cuda"},
        {"against", "cpu interp sim cuda"},
        {"stage", "ast ir c ptx sass facts times configs"},
        {"target", "cpu interp sm_75 sm_80 sm_89 sm_90a"},
        {"y", "GB/s TB/s GFLOP/s TFLOP/s ms us"},
        {"cold", "read fill flush"},
        {"format", "png svg pdf"},
        {"check", "interp"},
        {"num-warps", "1 2 4 8 16 32"},
        {"line", "device= kernel= num_warps= num_stages= config="},
    };
    for (int i = 0; i < COUNT(rows); i++)
        if (!strcmp(rows[i][0], option)) return rows[i][1];
    return NULL;
}

static void complete_kernels(const char *path) {
    tern_open_options options = {.device = "interp"};
    tern_context *context = tern_open(&options, NULL, NULL, 0);
    tern_module *module = context ? tern_load_file(context, path) : NULL;
    for (int i = 0; module && i < tern_module_num_functions(module); i++)
        puts(tern_module_function(module, i)->name);
    if (module) tern_module_free(module);
    tern_close(context);
}

/* For completion/tern.bash: the commands; the options of a command; the values of an option; the
 * kernels of a file: "kernels FILE". */
static int command_complete(Cli *cli) {
    const char *first = cli->operands.count ? cli->operands.data[0] : "",
               *second = cli->operands.count > 1 ? cli->operands.data[1] : NULL;
    const CommandRow *command = command_find(first);
    if (second && !strcmp(first, "kernels")) complete_kernels(second);
    if (second && command) {
        const char *name = second + strspn(second, "-");
        const OptionRow *row = option_find(command, name, strlen(name));
        const char *values = row ? option_words(row->name) : NULL;
        if (values) puts(values);
    }
    if (second) return EXIT_OK;
    if (!command)
        for (const CommandRow *row = commands; row->name; row++) puts(row->name);
    for (const OptionRow *row = command ? command->options : NULL; row && row->name; row++)
        printf("%s%s\n", row->name[1] ? "--" : "-", row->name);
    for (const OptionRow *row = command ? options_common : NULL; row && row->name; row++)
        printf("%s%s\n", row->name[1] ? "--" : "-", row->name);
    return EXIT_OK;
}

/* {"error":"x.py:3:14: error: ..","file":"x.py","line":3,"exit_code":2}: the last line on
 * stdout. */
static void print_error(const Cli *cli, int code) {
    Json json = {.out.arena = cli->arena};
    const char *words = cli->said->data, *rest = words;
    int line = 0, file_length = 0;
    if (!words_place(&rest, &file_length, &line)) line = 0;
    json_open(&json, '{');
    json_key(&json, "error"), json_text(&json, words);
    json_key(&json, "file");
    json_text(&json, line ? str_c(cli->arena, (Str){words, file_length}) : NULL);
    json_key(&json, "line"), line ? json_int(&json, line) : json_none(&json);
    json_key(&json, "exit_code"), json_int(&json, code);
    json_close(&json, '}');
    json_print(&json);
}

static int run_command(Cli *cli, int argc, char **argv, Buf *said) {
    if (!options_parse(cli, argv + 2, argc - 2, said)) return EXIT_USAGE;
    if (option_given(cli, "help")) {
        show_command_help(cli, cli->command);
        return EXIT_OK;
    }
    return cli_read_input(cli) ? cli->command->run(cli) : EXIT_USAGE;
}

int main(int argc, char **argv) {
    static const CommandRow complete = {"__complete", "", "", NULL, options_none, command_complete};
    if (argc > 2 && !strcmp(argv[1], "cuda")) argc--, argv++; /* tern cuda run: tern run */
    const CommandRow *command = argc > 1 ? command_find(argv[1]) : NULL;
    const char *word = argc > 1 ? argv[1] : "";
    if (!strcmp(word, "--help") || !strcmp(word, "-h")) command = command_find("help");
    if (!strcmp(word, "--version")) command = command_find("version");
    if (!strcmp(word, complete.name)) command = &complete;
    if (!command) {
        if (argc > 1)
            fprintf(stderr, "tern: no command '%s'; see 'tern help'\n", word);
        else
            fprintf(stderr, "tern: no command given; see 'tern help'\n");
        return EXIT_USAGE;
    }
    Cli cli = {.arena = arena_new(NULL), .command = command, .take_options = take_options};
    Buf said;
    int code = run_command(&cli, argc, argv, &said);
    if (code && cli.said && said.length) print_error(&cli, code);
    arena_free(cli.arena);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "tern %s: cannot write the output\n", command->name);
        if (code == EXIT_OK) code = EXIT_SYSTEM;
    }
    return code;
}
