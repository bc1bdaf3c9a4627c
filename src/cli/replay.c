// SPDX-License-Identifier: Apache-2.0
/* tern replay: runs recorded launches and compares with what was recorded.
 *
 * The cases run in a child process, which sends a ReplayResult for each through a pipe. A case that
 * crashes or hangs takes only that process with it: the parent says so and goes on with the next.
 */
#include "cli/replay.h"
#include "cli/json.h"
#include "cli/parcel.h"
#include "cli/progress.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

const OptionRow options_replay[] = {
    {"root", 'r', "REPO", "the repository that the kernels were recorded from"},
    {"rtol", 0, "R", "relative tolerance for floats, instead of the table's"},
    {"atol", 0, "A", "absolute tolerance for floats, instead of the table's"},
    {"against", 0, "DEVICE",
     "compare with what another device computes, not with what was recorded"},
    {"time", 0, NULL, "repeat each launch and report the median time"},
    {"timeout", 0, "SECONDS", "give a case up after this time; default: never"},
    {0},
};

const char details_replay[] =
    "CASE_DIR is a folder with case.json, or one with such folders in it. One line a case:\n"
    "  ok|mismatch|refused|error|skipped NAME: words\n"
    "or, with --json, one object a line: case, status, reason, file, line, max_abs, max_rel, ms.\n"
    "A case without data is only compiled: skipped when that works.\n\n"
    "example:\n"
    "  tern replay cases/tutorials --root triton --device interp\n";

typedef struct ReplayRun {
    Cli *cli;
    ReplayOptions options;
    VEC(const char *) folders;
    int counts[NUM_REPLAY_STATUS];
    int timeout_ms; /* -1: none */
    int exit_code;
    bool device_said;
    Progress progress; /* not on a terminal, where each case has its line */
} ReplayRun;

/* ---- which cases ---- */

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool has_case(Arena *arena, const char *folder) {
    return access(str_format(arena, "%s/case.json", folder).data, F_OK) == 0;
}

static int add_folder(ReplayRun *run, const char *folder) {
    Arena *arena = run->cli->arena;
    int before = run->folders.count, length = (int)strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    folder = str_c(arena, (Str){folder, length});
    if (has_case(arena, folder)) {
        vec_push(arena, &run->folders, folder);
        return EXIT_OK;
    }
    DIR *directory = opendir(folder);
    if (!directory) return cli_fail(run->cli, EXIT_USAGE, "%s: %s", folder, strerror(errno));
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.') continue;
        const char *inner = str_format(arena, "%s/%s", folder, entry->d_name).data;
        if (has_case(arena, inner)) vec_push(arena, &run->folders, inner);
    }
    closedir(directory);
    if (run->folders.count == before)
        return cli_fail(run->cli, EXIT_USAGE, "%s: no case.json there, nor in its folders", folder);
    qsort(run->folders.data + before, (size_t)(run->folders.count - before),
          sizeof *run->folders.data, compare_names);
    return EXIT_OK;
}

/* ---- the child ---- */

static void drop_output(void *user, const char *text, size_t length) {
    (void)user, (void)text, (void)length;
}

static void child_main(const ReplayRun *run, int first, int pipe_end) {
    ReplayResult result = {.index = -1};
    tern_status status = TERN_OK;
    tern_open_options options = {.device = run->cli->device,
                                 .include_dirs = run->cli->include_dirs.data,
                                 .num_include_dirs = run->cli->include_dirs.count};
    const char *against = option_value(run->cli, "against");
    ReplayOptions how = run->options;
    tern_context *context = tern_open(&options, &status, result.reason, sizeof result.reason);
    if (context && against) {
        options.device = against;
        how.against = tern_open(&options, &status, result.reason, sizeof result.reason);
        if (how.against)
            tern_set_output(how.against, drop_output, NULL);
        else
            tern_close(context), context = NULL;
    }
    if (context) {
        snprintf(result.reason, sizeof result.reason, "%s (%s)", tern_device_name(context),
                 tern_device_description(context));
        tern_set_output(context, drop_output, NULL);
    } else {
        result.index = -2;
        result.exit_code = (int)exit_code_of(status);
    }
    bool ok = parcel_send(pipe_end, &result, sizeof result) && context;
    for (int i = first; i < run->folders.count && ok; i++) {
        result = (ReplayResult){.index = i};
        replay_case(context, run->folders.data[i], &how, &result);
        ok = parcel_send(pipe_end, &result, sizeof result);
    }
    tern_close(how.against);
    tern_close(context);
}

/* ---- the parent ---- */

static const char *const status_names[NUM_REPLAY_STATUS] = {"ok", "mismatch", "refused", "error",
                                                            "skipped"};

static void report(ReplayRun *run, const ReplayResult *result) {
    Arena *arena = run->cli->arena;
    const char *folder = run->folders.data[result->index];
    const char *slash = strrchr(folder, '/');
    Str name = str_of(slash && slash[1] ? slash + 1 : folder);
    Json json = {.out.arena = arena};
    run->counts[result->status]++;
    /* A wrong result outweighs all; then the system, bad input, and what was refused. */
    static const int weights[] = {
        [EXIT_OK] = 0, [EXIT_REFUSED] = 1, [EXIT_USAGE] = 2, [EXIT_SYSTEM] = 3, [EXIT_WRONG] = 4};
    if (weights[result->exit_code] > weights[run->exit_code]) run->exit_code = result->exit_code;
    if (!run->cli->json) {
        printf("%s %.*s: %s", status_names[result->status], STR_ARG(name), result->reason);
        if (result->file[0] && result->status != REPLAY_OK && result->status != REPLAY_SKIPPED)
            printf(" [%s:%d]", result->file, result->line);
        if (result->timed) printf(", %.6f ms", result->ms);
        putchar('\n');
        fflush(stdout);
        return;
    }
    json_open(&json, '{');
    json_key(&json, "case"), json_text(&json, str_c(arena, name));
    json_key(&json, "status"), json_text(&json, status_names[result->status]);
    json_key(&json, "reason"), json_text(&json, result->reason);
    json_key(&json, "file"), json_text(&json, result->file);
    json_key(&json, "line"), json_int(&json, result->line);
    json_key(&json, "max_abs"),
        result->compared ? json_number(&json, result->max_abs) : json_none(&json);
    json_key(&json, "max_rel"),
        result->compared ? json_number(&json, result->max_rel) : json_none(&json);
    json_key(&json, "ms"), result->timed ? json_number(&json, result->ms) : json_none(&json);
    json_close(&json, '}');
    json_print(&json);
    fflush(stdout);
}

/* 1: a result; 0: the child is gone; -1: it took too long. */
static int receive(ReplayRun *run, int pipe_end, ReplayResult *result) {
    char *bytes = (char *)result;
    double until = run->timeout_ms < 0 ? INFINITY : clock_ms() + run->timeout_ms;
    for (size_t have = 0; have < sizeof *result;) {
        struct pollfd wait = {.fd = pipe_end, .events = POLLIN};
        double left = fmax(until - clock_ms(), 0);
        int due = progress_wait(&run->progress), limit = left < INT_MAX ? (int)left : -1;
        int ready = poll(&wait, 1, due >= 0 && due < left ? due : limit);
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0) {
            if (clock_ms() >= until) return -1;
            progress_repeat(&run->progress);
            continue;
        }
        ssize_t count = read(pipe_end, bytes + have, sizeof *result - have);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return 0;
        have += (size_t)count;
    }
    return 1;
}

static void report_lost(ReplayRun *run, int index, int wait_status, bool timed_out) {
    ReplayResult result = {.index = index, .status = REPLAY_ERROR, .exit_code = EXIT_WRONG};
    if (timed_out) {
        snprintf(result.reason, sizeof result.reason, "gave up after %d s", run->timeout_ms / 1000);
    } else if (WIFSIGNALED(wait_status)) {
        int number = WTERMSIG(wait_status);
        snprintf(result.reason, sizeof result.reason, "crashed: %s", strsignal(number));
    } else {
        snprintf(result.reason, sizeof result.reason, "stopped with exit code %d",
                 WEXITSTATUS(wait_status));
    }
    report(run, &result);
}

/* Starts a child at case `first`; returns the case to go on with, or -1 when that makes no sense.
 */
static int run_child(ReplayRun *run, int first) {
    int ends[2], wait_status = 0, next = first, got;
    ReplayResult result;
    fflush(stdout);
    if (pipe(ends))
        return run->exit_code = cli_fail(run->cli, EXIT_SYSTEM, "pipe: %s", strerror(errno)), -1;
    pid_t child = fork();
    if (child < 0) {
        close(ends[0]), close(ends[1]);
        return run->exit_code = cli_fail(run->cli, EXIT_SYSTEM, "fork: %s", strerror(errno)), -1;
    }
    if (child == 0) {
        close(ends[0]);
        child_main(run, first, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    while ((got = receive(run, ends[0], &result)) > 0) {
        if (result.index == -2) {
            run->exit_code = cli_fail(run->cli, result.exit_code, "%s", result.reason);
            next = -1;
        } else if (result.index == -1) {
            if (!run->device_said && !run->cli->quiet)
                fprintf(run->cli->json ? stderr : stdout, "device: %s\n", result.reason);
            run->device_said = true;
        } else {
            report(run, &result);
            next = result.index + 1;
            if (!run->progress.is_terminal)
                progress_say(&run->progress, "%d of %d cases", next, run->folders.count);
        }
    }
    if (got < 0) kill(child, SIGKILL);
    close(ends[0]);
    while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) continue;
    if (next < 0 || next == run->folders.count) return -1;
    report_lost(run, next, wait_status, got < 0);
    return next + 1;
}

static void print_summary(const ReplayRun *run) {
    int total = 0;
    for (int i = 0; i < NUM_REPLAY_STATUS; i++) total += run->counts[i];
    if (run->cli->json || run->cli->quiet || !total) return;
    printf("%d cases:", total);
    for (int i = 0; i < NUM_REPLAY_STATUS; i++)
        printf("%s %d %s", i ? "," : "", run->counts[i], status_names[i]);
    putchar('\n');
}

int command_replay(Cli *cli) {
    ReplayRun run = {.cli = cli,
                     .options.cli = cli,
                     .options.root = option_value(cli, "root"),
                     .options.time = option_given(cli, "time")};
    int seconds, code = EXIT_OK;
    if (!option_double(cli, "rtol", -1, &run.options.relative) ||
        !option_double(cli, "atol", -1, &run.options.absolute) ||
        !option_int(cli, "timeout", 1, 1000000, 0, &seconds))
        return EXIT_USAGE;
    run.timeout_ms = seconds ? seconds * 1000 : -1;
    if (cli->operands.count == 0) return cli_fail(cli, EXIT_USAGE, "which CASE_DIR?");
    if (!run.options.root)
        return cli_fail(cli, EXIT_USAGE,
                        "--root is missing: the repository that the cases were recorded from");
    if (access(run.options.root, F_OK))
        return cli_fail(cli, EXIT_USAGE, "--root %s: %s", run.options.root, strerror(errno));
    for (int i = 0; i < cli->operands.count && !code; i++)
        code = add_folder(&run, cli->operands.data[i]);
    if (code) return code;
    progress_start(&run.progress, cli);
    /* By poll, not by a watch: children would inherit the locks that its thread holds. */
    if (!run.progress.is_terminal) progress_say(&run.progress, "the first case");
    for (int next = 0; next >= 0 && next < run.folders.count;) next = run_child(&run, next);
    progress_end(&run.progress);
    print_summary(&run);
    return run.exit_code;
}
