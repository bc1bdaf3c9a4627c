// SPDX-License-Identifier: Apache-2.0
/* cli: what the commands share: reading options, failing, opening a context, finding a kernel. */
#include "cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- options ---- */

const char *option_nth(const Cli *cli, const char *name, int index) {
    for (int i = 0; i < cli->options.count; i++)
        if (!strcmp(cli->options.data[i].row->name, name) && index-- == 0)
            return cli->options.data[i].value ? cli->options.data[i].value : "";
    return NULL;
}

const char *option_value(const Cli *cli, const char *name) {
    const char *value = NULL;
    for (int i = 0; option_nth(cli, name, i); i++) value = option_nth(cli, name, i);
    return value;
}

bool option_given(const Cli *cli, const char *name) { return option_nth(cli, name, 0) != NULL; }

bool option_int(const Cli *cli, const char *name, int low, int high, int otherwise, int *value) {
    const char *text = option_value(cli, name);
    *value = otherwise;
    if (!text) return true;
    char *end;
    long number = strtol(text, &end, 10);
    if (end == text || *end || number < low || number > high) {
        cli_fail(cli, EXIT_USAGE, "--%s: expected a number from %d to %d, saw '%s'", name, low,
                 high, text);
        return false;
    }
    *value = (int)number;
    return true;
}

bool option_launch(const Cli *cli, tern_options *options) {
    const char *text = option_value(cli, "block");
    int shared;
    for (int i = 0; text && *text; i++) {
        char *end;
        long size = strtol(text, &end, 10);
        if (i == 3 || end == text || size < 1 || size > 1 << 30 || (*end && *end != ',')) {
            cli_fail(cli, EXIT_USAGE, "--block: expected one to three numbers of threads, saw '%s'",
                     option_value(cli, "block"));
            return false;
        }
        options->block[i] = (int)size;
        text = *end ? end + 1 : end;
    }
    if (!option_int(cli, "shared", 0, 1 << 20, 0, &shared)) return false;
    options->shared_bytes = (size_t)shared;
    options->builder = option_value(cli, "builder");
    return true;
}

bool option_double(const Cli *cli, const char *name, double otherwise, double *value) {
    const char *text = option_value(cli, name);
    *value = otherwise;
    if (!text) return true;
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end || !(number >= 0)) {
        cli_fail(cli, EXIT_USAGE, "--%s: expected a number that is not negative, saw '%s'", name,
                 text);
        return false;
    }
    *value = number;
    return true;
}

const char *cli_launch_option(Str name) {
    static const char *const names[][2] = {
        {"num_warps", "num-warps"}, {"num_stages", "num-stages"}, {"config", "config"}};
    for (int i = 0; i < COUNT(names); i++)
        if (str_is(name, names[i][0]) || str_is(name, names[i][1])) return names[i][1];
    return NULL;
}

static bool is_replaced(const OptionUse *use, const char *name, const char *value) {
    if (strcmp(use->row->name, name) != 0) return false;
    size_t length = strcspn(value, "=") + 1;
    return strcmp(name, "a") != 0 || !strncmp(use->value, value, length);
}

void cli_set_option(Cli *cli, const char *name, const char *value) {
    const OptionRow *row = cli->command->options;
    const OptionUse *uses = cli->options.data;
    int count = cli->options.count;
    while (row->name && strcmp(row->name, name) != 0) row++;
    if (!row->name) BUG("tern %s has no option --%s", cli->command->name, name);
    memset(&cli->options, 0, sizeof cli->options);
    for (int i = 0; i < count; i++)
        if (!is_replaced(&uses[i], name, value)) vec_push(cli->arena, &cli->options, uses[i]);
    vec_push(cli->arena, &cli->options, (OptionUse){row, value});
}

/* ---- failing ---- */

void cli_complain(const Cli *cli, const char *text) {
    if (cli->complaints) {
        buf_puts(cli->complaints, text);
        return;
    }
    fflush(stdout);
    fputs(text, stderr);
    if (cli->said) buf_puts(cli->said, text);
}

const char *cli_first_words(Arena *arena, const Cli *cli, Str text) {
    Str prefix = str_format(arena, "tern %s: ", cli->command->name);
    if (str_starts(text, prefix.data))
        text = (Str){text.data + prefix.length, text.length - prefix.length};
    int length = 0;
    while (length < text.length && text.data[length] != '\n') length++;
    return str_c(arena, (Str){text.data, length});
}

int cli_fail(const Cli *cli, ExitCode code, const char *format, ...) {
    va_list args;
    Buf text = {.arena = cli->arena};
    buf_printf(&text, "tern %s: ", cli->command->name);
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    buf_putc(&text, '\n');
    cli_complain(cli, text.data);
    return code;
}

ExitCode exit_code_of(tern_status status) {
    switch (status) {
    case TERN_OK: return EXIT_OK;
    case TERN_ERROR_ARGUMENT:
    case TERN_ERROR_COMPILE: return EXIT_USAGE;
    case TERN_ERROR_UNSUPPORTED: return EXIT_REFUSED;
    case TERN_ERROR_KERNEL: return EXIT_WRONG;
    case TERN_ERROR_NO_MEMORY:
    case TERN_ERROR_DEVICE:
    case TERN_ERROR_SYSTEM: return EXIT_SYSTEM;
    }
    return EXIT_SYSTEM;
}

bool words_place(const char **words, int *file_length, int *line) {
    static const char *const kinds[] = {"error: ", "not supported: "};
    const char *end = *words + strcspn(*words, "\n");
    for (const char *at = *words; (at = strchr(at, ':')) && at < end; at++) {
        char *after;
        long number = strtol(at + 1, &after, 10);
        if (number < 1 || *after != ':' || after == at + 1) continue;
        strtol(after + 1, &after, 10);
        if (strncmp(after, ": ", 2) != 0) continue;
        for (int i = 0; i < COUNT(kinds); i++)
            if (!strncmp(after + 2, kinds[i], strlen(kinds[i]))) {
                *file_length = (int)(at - *words);
                *line = (int)number;
                *words = after + 2 + strlen(kinds[i]);
                return true;
            }
    }
    return false;
}

/* A message with a place stands alone, in the form that editors know: "x.py:3:14: error: ..". */
int cli_fail_context(const Cli *cli, tern_context *context) {
    int line, file_length;
    const char *words = tern_message(context), *rest = words;
    size_t length = strlen(words);
    Buf text = {.arena = cli->arena};
    if (!words_place(&rest, &file_length, &line))
        buf_printf(&text, "tern %s: ", cli->command->name);
    buf_printf(&text, "%s%s", words, length && words[length - 1] == '\n' ? "" : "\n");
    cli_complain(cli, text.data);
    return exit_code_of(tern_message_status(context));
}

/* ---- what commands share ---- */

bool cli_may_crash(const char *device) {
    return tern_device_property(device, TERN_DEVICE_ON_HOST) &&
           !tern_device_property(device, TERN_DEVICE_CHECKS_ACCESSES);
}

tern_context *cli_open(const Cli *cli, const char *device, int *exit_code) {
    char message[1024] = "";
    tern_status status = TERN_OK;
    tern_open_options options = {
        .device = device,
        .include_dirs = cli->include_dirs.data,
        .num_include_dirs = cli->include_dirs.count,
        .defines = cli->defines.data,
        .num_defines = cli->defines.count,
        .timeout_ms = cli->timeout_ms,
        .order_seed = cli->order_seed,
        .watch = cli->watch,
        .bounds = cli->bounds,
    };
    tern_context *context = tern_open(&options, &status, message, sizeof message);
    if (!context) *exit_code = cli_fail(cli, exit_code_of(status), "%s", message);
    return context;
}

/* The ':' before a kernel's name, or NULL: what follows must be a name, and a file that exists with
 * all of the operand as its name is that file. Of CUDA C, <..> behind it may hold anything. */
static const char *find_colon(const char *operand) {
    size_t length = strcspn(operand, "<");
    const char *colon = memrchr(operand, ':', length);
    while (colon && colon > operand && colon[-1] == ':') /* ns::kernel */
        colon = memrchr(operand, ':', (size_t)(colon - 1 - operand));
    if (!colon || !access(operand, F_OK)) return NULL;
    for (const char *at = colon + 1; at < operand + length; at++)
        if (!isalnum((unsigned char)*at) && *at != '_' && *at != '@' && *at != ':') return NULL;
    return colon;
}

static bool is_cuda_file(const char *path) {
    return str_ends(str_of(path), ".cu") || str_ends(str_of(path), ".cuh");
}

static const tern_function *only_function(const Cli *cli, const tern_module *module,
                                          const char *path) {
    const tern_function *only = NULL;
    int launched = 0, count = tern_module_num_functions(module);
    for (int i = 0; i < count; i++)
        if (tern_module_function(module, i)->is_launched) {
            only = tern_module_function(module, i);
            launched++;
        }
    if (count == 1) return tern_module_function(module, 0);
    if (launched == 1) return only;
    if (count == 0) {
        cli_fail(cli, EXIT_USAGE, "%s: no %s function", path,
                 is_cuda_file(path) ? "__global__" : "@triton.jit");
        return NULL;
    }
    cli_fail(cli, EXIT_USAGE, "%s: which kernel? name one as %s:KERNEL; there %s:", path, path,
             count == 1 ? "is" : "are");
    for (int i = 0; i < count; i++)
        fprintf(stderr, "  %s\n", tern_module_function(module, i)->name);
    return NULL;
}

bool cli_set_globals(const Cli *cli, tern_context *context, tern_module *module) {
    const char *text;
    for (int i = 0; (text = option_nth(cli, "global", i)); i++) {
        const char *equals = strchr(text, '=');
        if (!equals || equals == text || !equals[1]) {
            cli_fail(cli, EXIT_USAGE, "--global %s: expected NAME=VALUE", text);
            return false;
        }
        const char *name = str_c(cli->arena, (Str){text, (int)(equals - text)});
        if (!tern_module_set_global(module, name, equals + 1)) continue;
        cli_fail_context(cli, context);
        return false;
    }
    return true;
}

enum { MOST_INPUT = 64 << 20 };

bool cli_is_input(const char *operand) {
    return operand[0] == '-' && (!operand[1] || operand[1] == ':');
}

bool cli_refuses_input(const Cli *cli, int *code) {
    if (cli->operands.count == 0 || !cli_is_input(cli->operands.data[0])) return false;
    *code =
        cli_fail(cli, EXIT_REFUSED,
                 "a program is not read from standard input, a file of kernels is: name a file");
    return true;
}

bool cli_read_input(Cli *cli) {
    bool is_wanted = cli->operands.count > 0 && cli_is_input(cli->operands.data[0]);
    Buf text = {.arena = cli->arena};
    char piece[65536];
    size_t got;
    while (is_wanted && (got = fread(piece, 1, sizeof piece, stdin)) > 0) {
        if (text.length + got > MOST_INPUT) {
            cli_fail(cli, EXIT_USAGE, "standard input is larger than %d MiB", MOST_INPUT >> 20);
            return false;
        }
        buf_add(&text, piece, got);
    }
    cli->input = buf_str(&text);
    return true;
}

/* An entry begins at the left margin: "FILE:LINE:COLUMN: warning: ..". */
void cli_show_warnings(const Cli *cli, tern_kernel *kernel) {
    const char *at = tern_kernel_text(kernel, TERN_STAGE_REMARKS);
    const char *word = ": warning: ";
    bool is_warning = false;
    while (at && *at && !cli->quiet && !cli->verbose) {
        Str line = {at, (int)strcspn(at, "\n")};
        if (*at != ' ') is_warning = memmem(line.data, (size_t)line.length, word, strlen(word));
        if (is_warning) fprintf(stderr, "%.*s\n", STR_ARG(line));
        at += line.length + (at[line.length] == '\n');
    }
}

/* No function `name`: are there some at other lines? */
static void fail_to_find(const Cli *cli, const tern_module *module, const char *path,
                         const char *name) {
    Buf others = {.arena = cli->arena};
    size_t length = strcspn(name, "@");
    buf_puts(&others, "");
    for (int i = 0; i < tern_module_num_functions(module); i++) {
        const tern_function *one = tern_module_function(module, i);
        if (strncmp(one->name, name, length) != 0 || !strchr("@", one->name[length])) continue;
        buf_printf(&others, "%s%.*s@%d", others.length ? ", " : "; there is ", (int)length, name,
                   one->line);
    }
    cli_fail(cli, EXIT_USAGE, "%s: no @triton.jit function '%s'%s", path, name, others.data);
}

const tern_function *cli_find_function(const Cli *cli, tern_context *context, const char *operand,
                                       tern_module **module, int *exit_code) {
    const char *colon = find_colon(operand);
    const char *path = colon ? str_c(cli->arena, (Str){operand, (int)(colon - operand)}) : operand;
    *exit_code = EXIT_USAGE;
    *module = cli_is_input(operand)
                  ? tern_load_text(context, cli->input.data ? cli->input.data : "",
                                   (size_t)cli->input.length, "<stdin>")
                  : tern_load_file(context, path);
    if (!*module) {
        *exit_code = cli_fail_context(cli, context);
        /* A file that cannot be read is bad input, not a broken system. */
        if (tern_message_status(context) == TERN_ERROR_SYSTEM) *exit_code = EXIT_USAGE;
        return NULL;
    }
    if (!cli_set_globals(cli, context, *module)) return NULL;
    bool is_named = colon && colon[1];
    const tern_function *only = is_named ? NULL : only_function(cli, *module, path);
    if (!is_named && (!only || !only->is_cuda)) return only;
    const tern_function *found = tern_module_find(*module, is_named ? colon + 1 : only->name);
    if (!found && is_cuda_file(path))
        *exit_code = cli_fail_context(cli, context);
    else if (!found)
        fail_to_find(cli, *module, path, colon + 1);
    return found;
}

bool cli_make_folder(const Cli *cli, const char *folder) {
    char *path = (char *)str_c(cli->arena, str_of(folder));
    for (char *at = path + (*path == '/'); *at; at++)
        if (*at == '/') {
            *at = 0;
            mkdir(path, 0777);
            *at = '/';
        }
    struct stat st;
    if (mkdir(path, 0777) == 0 || (stat(path, &st) == 0 && S_ISDIR(st.st_mode))) return true;
    cli_fail(cli, EXIT_SYSTEM, "cannot make the folder %s: %s", folder, strerror(errno));
    return false;
}
