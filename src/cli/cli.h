// SPDX-License-Identifier: Apache-2.0
/* cli: the command `tern`. It uses the library as any user does: through tern.h. From src/base it
 * takes arenas, strings and diagnostics with carets.
 *
 * A command is a row of the table in main.c: a name, its options, a function. Options are rows too:
 * --help and the shell completion are made from them, so that neither can lag behind. */
#ifndef TERN_CLI_H
#define TERN_CLI_H

#include "base/diag.h"
#include "tern.h"

/* What others script against: DESIGN says these never change their meaning. */
typedef enum ExitCode {
    EXIT_OK = 0,
    EXIT_WRONG = 1,   /* wrong result, or a check failed */
    EXIT_USAGE = 2,   /* usage, or bad input */
    EXIT_REFUSED = 3, /* named as not supported */
    EXIT_SYSTEM = 4,  /* device or system */
} ExitCode;

typedef struct OptionRow {
    const char *name;  /* without "--"; one letter: "-a" */
    char letter;       /* a second, short name; 0: none */
    const char *value; /* what --help calls the value; NULL: a flag */
    const char *help;
} OptionRow;

/* Rows that several commands have. */
/* clang-format off */
#define OPTIONS_LAUNCH \
    {"grid", 'g', "EXPR,..", "number of programs, one to three dimensions"}, \
    {"block", 'b', "X,..", "CUDA C: threads of a block, one to three dimensions"}, \
    {"shared", 0, "BYTES", "CUDA C: dynamic shared memory of a block"}, \
    {"builder", 0, "nvrtc", "CUDA C: compile with NVIDIA's library, not with tern"}
#define OPTIONS_CONFIG \
    {"num-warps", 0, "N", "1, 2, 4 .. 32; default: the config's, else 4"}, \
    {"num-stages", 0, "N", "default: the config's, else the target's"}, \
    {"config", 0, "K", "which @triton.autotune config, from 1; default: the first"}
#define OPTIONS_COMPILE \
    {"debug", 0, NULL, "compile asserts of the kernel in"}, \
    {"precise", 0, NULL, "GPU: round a * b + c twice, keep small numbers (doc/language.md)"}
/* clang-format on */

/* One option as the user gave it. */
typedef struct OptionUse {
    const OptionRow *row;
    const char *value; /* NULL for a flag */
} OptionUse;

typedef struct CommandRow CommandRow;

/* One run of the command. */
typedef struct Cli {
    Arena *arena;
    const CommandRow *command;
    VEC(OptionUse) options;
    VEC(const char *) operands; /* what is no option */
    int num_before_rest;        /* of them, before a "--"; -1: there was none */
    bool json, quiet, verbose;
    const char *device;
    VEC(const char *) include_dirs;
    VEC(const char *) defines;
    /* Of the contexts that cli_open opens: tern_open_options. */
    bool watch, bounds;
    int timeout_ms;
    uint64_t order_seed;
    /* Takes operands and options of words, behind those that it has; false after complaining. */
    bool (*take_options)(struct Cli *cli, char **words, int count);
    Buf *complaints; /* NULL: they go to stderr */
    Buf *said;       /* what went to stderr, for an object on stdout; NULL: nobody asked for JSON */
    Str input;       /* standard input, where FILE is "-" */
} Cli;

struct CommandRow {
    const char *name, *synopsis, *summary;
    const char *details; /* what --help says after the options */
    const OptionRow *options;
    int (*run)(Cli *cli); /* returns an ExitCode */
};

int command_run(Cli *cli), command_exec(Cli *cli), command_fuse(Cli *cli), command_lab(Cli *cli),
    command_build(Cli *cli), command_show(Cli *cli), command_replay(Cli *cli),
    command_devices(Cli *cli), command_bench(Cli *cli), command_check(Cli *cli),
    command_cmp(Cli *cli), command_peak(Cli *cli), command_prof(Cli *cli), command_tune(Cli *cli),
    command_view(Cli *cli), command_why(Cli *cli);
extern const OptionRow options_bench[], options_exec[], options_fuse[], options_lab[],
    options_build[], options_check[], options_cmp[], options_peak[], options_prof[], options_run[],
    options_show[], options_replay[], options_tune[], options_view[], options_why[],
    options_devices[];
extern const char details_bench[], details_exec[], details_fuse[], details_lab[], details_build[],
    details_check[], details_cmp[], details_peak[], details_prof[], details_run[], details_show[],
    details_replay[], details_tune[], details_view[], details_why[];

/* The last value given for an option, or NULL; index 0, 1 .. for one that may be given repeatedly.
 */
const char *option_value(const Cli *cli, const char *name);
const char *option_nth(const Cli *cli, const char *name, int index);
bool option_given(const Cli *cli, const char *name);
/* --block X[,Y[,Z]] and --shared BYTES, of CUDA C. False: complained. */
bool option_launch(const Cli *cli, tern_options *options);
/* An integer option within [low, high]; `otherwise` when it is not given. False: complained. */
bool option_int(const Cli *cli, const char *name, int low, int high, int otherwise, int *value);
bool option_double(const Cli *cli, const char *name, double otherwise, double *value);

/* Sets an option of this command to one value, whatever was given; in a copy of a Cli the original
 * keeps its own. For "a", NAME=VALUE, other names stay. */
void cli_set_option(Cli *cli, const char *name, const char *value);
/* "num-warps" for num_warps or num-warps; NULL: no option of a launch. */
const char *cli_launch_option(Str name);

/* Complains on stderr ("tern run: words") and returns the code. */
int cli_fail(const Cli *cli, ExitCode code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Words as they are, with their newline. */
void cli_complain(const Cli *cli, const char *text);
/* The first line of complaints, without the command's name in front. */
const char *cli_first_words(Arena *arena, const Cli *cli, Str complaints);
/* The same as cli_fail for a failed call of the library: its words, and the exit code of its
 * status. */
int cli_fail_context(const Cli *cli, tern_context *context);
/* Takes "FILE:LINE:COLUMN: error: words" apart; false: the words have no place. `words` may be
 * advanced past the place; *file_length bytes of the old words are the file. */
bool words_place(const char **words, int *file_length, int *line);
ExitCode exit_code_of(tern_status status);
tern_context *cli_open(const Cli *cli, const char *device, int *exit_code); /* NULL: complained */
/* Whether a kernel's wrong address can end this process: on the host and not checked. */
bool cli_may_crash(const char *device);
/* --global NAME=VALUE ..; false: complained. */
bool cli_set_globals(const Cli *cli, tern_context *context, tern_module *module);
bool cli_make_folder(const Cli *cli, const char *folder); /* with those above; false: complained */
/* Whether FILE is standard input: "-" or "-:KERNEL". */
bool cli_is_input(const char *operand);
/* Of a command that runs programs: complained that it does not read them so. */
bool cli_refuses_input(const Cli *cli, int *code);
/* Reads it, where the first operand wants it; false: complained. */
bool cli_read_input(Cli *cli);
/* What the compiler warned of, on stderr; with -v its remarks, too, which are shown anyway. */
void cli_show_warnings(const Cli *cli, tern_kernel *kernel);
/* "FILE:KERNEL", "FILE:KERNEL@LINE" or "FILE": loads the file and finds the function; NULL:
 * complained. */
const tern_function *cli_find_function(const Cli *cli, tern_context *context, const char *operand,
                                       tern_module **module, int *exit_code);

#endif
