// SPDX-License-Identifier: Apache-2.0
#include "cli/versus.h"
#include "cli/gather.h"
#include "cli/json.h"
#include "cli/progress.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool margin_option(const Cli *cli, double *margin) {
    const char *text = option_value(cli, "margin");
    *margin = 0.01;
    if (!text) return true;
    char *end;
    double value = strtod(text, &end);
    if (end != text && *end == '%') value /= 100, end++;
    if (end == text || *end || !(value >= 0 && value < 1)) {
        cli_fail(cli, EXIT_USAGE, "--margin: expected a part as 1%% or 0.01, saw '%s'", text);
        return false;
    }
    *margin = value;
    return true;
}

/* ---- report ---- */

static void put_time(char *out, size_t size, double ms) {
    if (ms >= 1000)
        snprintf(out, size, "%.4g s", ms / 1000);
    else if (ms >= 1)
        snprintf(out, size, "%.4g ms", ms);
    else
        snprintf(out, size, "%.4g us", ms * 1000);
}

typedef struct Tally {
    int compared, slower, unsure, failed, by_chance;
    double sum_logs, worst_detectable;
} Tally;

static void report_json(const Cli *cli, const char *key, const tern_comparison *c,
                        const RunPoint *a, const RunPoint *b) {
    Json json = {.out.arena = cli->arena};
    json_open(&json, '{');
    json_key(&json, "point"), json_text(&json, key);
    json_key(&json, "verdict"), json_text(&json, tern_verdict_word(c->verdict));
    json_key(&json, "time_ratio"), json_number(&json, c->ratio);
    json_key(&json, "low"), json_number(&json, c->low);
    json_key(&json, "high"), json_number(&json, c->high);
    json_key(&json, "margin"), json_number(&json, c->margin);
    json_key(&json, "detectable"), json_number(&json, c->detectable);
    json_key(&json, "p"), json_number(&json, c->p);
    json_key(&json, "processes_a"), json_int(&json, a->medians.count);
    json_key(&json, "processes_b"), json_int(&json, b->medians.count);
    json_close(&json, '}');
    json_print(&json);
}

static void report_text(int width, const char *key, const tern_comparison *c, const RunPoint *a,
                        const RunPoint *b) {
    char time_a[32], time_b[32], interval[48] = "none", change[32] = "";
    put_time(time_a, sizeof time_a, tern_quantile(a->medians.data, (size_t)a->medians.count, 0.5));
    put_time(time_b, sizeof time_b, tern_quantile(b->medians.data, (size_t)b->medians.count, 0.5));
    if (c->low > 0) snprintf(interval, sizeof interval, "%.3f .. %.3f", c->low, c->high);
    if (c->verdict == TERN_FASTER || c->verdict == TERN_SLOWER)
        snprintf(change, sizeof change, " by %.1f %%", fabs(c->ratio - 1) * 100);
    printf("%-*s  %10s  %10s  %6.3f  %16s  %s%s\n", width, key, time_a, time_b, c->ratio, interval,
           tern_verdict_word(c->verdict), change);
}

typedef struct Pair {
    const RunPoint *a, *b;
    bool is_compared;
    tern_comparison comparison;
} Pair;

/* All points at once, so that the verdicts hold for as many as there are. */
static int compare_all(const Cli *cli, Pair *pairs, int count, double margin) {
    tern_comparison *comparisons = arena_array(cli->arena, tern_comparison, count);
    int n = 0, k = 0;
    for (int i = 0; i < count; i++) {
        const RunPoint *a = pairs[i].a, *b = pairs[i].b;
        pairs[i].is_compared = a->medians.count && b->medians.count;
        if (pairs[i].is_compared)
            comparisons[n++] = tern_compare(a->medians.data, (size_t)a->medians.count,
                                            b->medians.data, (size_t)b->medians.count, margin);
    }
    int by_chance = tern_holm(comparisons, n);
    for (int i = 0; i < count; i++)
        if (pairs[i].is_compared) pairs[i].comparison = comparisons[k++];
    return by_chance;
}

static void report_pair(const Cli *cli, int width, const Pair *pair, Tally *tally) {
    const RunPoint *a = pair->a, *b = pair->b;
    if (!pair->is_compared) {
        tally->failed++;
        if (!cli->json)
            printf("%-*s  failed: %s\n", width, b->key, a->medians.count ? b->failed : a->failed);
        return;
    }
    tern_comparison c = pair->comparison;
    tally->compared++;
    tally->slower += c.verdict == TERN_SLOWER;
    tally->unsure += c.verdict == TERN_UNSURE;
    tally->sum_logs += log(c.ratio);
    if (c.detectable > tally->worst_detectable) tally->worst_detectable = c.detectable;
    if (cli->json)
        report_json(cli, b->key, &c, a, b);
    else
        report_text(width, b->key, &c, a, b);
}

static void report_end(const RunFile *a, const RunFile *b, const Tally *tally, bool is_interleaved,
                       double margin) {
    printf("%d compared, %d and %d processes, %s; margin %.2g %%", tally->compared,
           a->num_processes, b->num_processes, is_interleaved ? "interleaved" : "not interleaved",
           margin * 100);
    if (tally->compared > 1)
        printf("; geometric mean of the ratios %.3f", exp(tally->sum_logs / tally->compared));
    if (isfinite(tally->worst_detectable) && tally->compared)
        printf("; smallest change that all points would show: %.2g %%",
               tally->worst_detectable * 100);
    putchar('\n');
    if (tally->by_chance)
        printf("unsure: %d that would hold alone do not for %d points together (Holm); more "
               "processes tell\n",
               tally->by_chance, tally->compared);
    if (tally->unsure && (a->num_processes < 4 || b->num_processes < 4))
        puts("unsure: a verdict takes 4 processes a side or more: tern bench --processes 7 --save "
             "DIR");
}

/* What speaks against either side, once. */
static void report_trust(const Cli *cli, const RunFile *a, const RunFile *b) {
    Gathered gathered = {.arena = cli->arena};
    Buf out = {.arena = cli->arena};
    const RunFile *sides[] = {a, b};
    int count = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < sides[side]->points.count; i++, count++) {
            const RunPoint *point = &sides[side]->points.data[i];
            Str where = str_format(cli->arena, "%c %s", "ab"[side], point -> key);
            for (int k = 0; k < point->doubts.count; k++)
                gather_add(&gathered, where.data, str_of(point->doubts.data[k]));
        }
    gather_print(&out, &gathered, count);
    fputs(out.length ? out.data : "trust   nothing speaks against them\n", stdout);
}

int versus_report(const Cli *cli, const RunFile *a, const char *name_a, const RunFile *b,
                  const char *name_b, double margin) {
    Tally tally = {0};
    bool is_interleaved = a->is_interleaved && b->is_interleaved;
    int width = 9, missing = 0;
    if (!is_interleaved) margin *= 2; /* the machine may have changed in between */
    for (int i = 0; i < b->points.count; i++)
        if ((int)strlen(b->points.data[i].key) > width) width = (int)strlen(b->points.data[i].key);
    if (!cli->json)
        printf("a: %s\nb: %s\n%-*s  %10s  %10s  %6s  %16s  verdict on b\n", name_a, name_b, width,
               "benchmark", "a", "b", "b / a", "95 % interval");
    Pair *pairs = arena_array(cli->arena, Pair, b->points.count);
    int count = 0;
    for (int i = 0; i < b->points.count; i++) {
        const RunPoint *other = run_find(a, b->points.data[i].key);
        if (other)
            pairs[count++] = (Pair){.a = other, .b = &b->points.data[i]};
        else
            missing++;
    }
    tally.by_chance = compare_all(cli, pairs, count, margin);
    for (int i = 0; i < count; i++) report_pair(cli, width, &pairs[i], &tally);
    for (int i = 0; i < a->points.count; i++) missing += !run_find(b, a->points.data[i].key);
    if (!cli->json) report_end(a, b, &tally, is_interleaved, margin);
    if (!cli->json) report_trust(cli, a, b);
    if (missing) cli_fail(cli, EXIT_OK, "%d points are only in one of the two", missing);
    if (!tally.compared && !tally.failed)
        return cli_fail(cli, EXIT_USAGE, "the two have no point in common");
    return tally.slower   ? EXIT_SLOWER
           : tally.failed ? EXIT_WRONG
           : tally.unsure ? EXIT_UNSURE
                          : EXIT_OK;
}

/* ---- processes ---- */

static bool is_ours(const char *name) {
    static const char *const mine[] = {"vs",     "processes", "margin",    "save",
                                       "format", "json",      "quantiles", "quiet"};
    for (int i = 0; i < COUNT(mine); i++)
        if (!strcmp(name, mine[i])) return true;
    return false;
}

/* This command again, for one operand, printing its run file. */
static char **child_words(const Cli *cli, const char *operand) {
    VEC(char *) words = {0};
    vec_push(cli->arena, &words, (char *)"tern");
    vec_push(cli->arena, &words, (char *)"bench");
    for (int i = 0; i < cli->options.count; i++) {
        const OptionUse *use = &cli->options.data[i];
        if (is_ours(use->row->name)) continue;
        const char *dashes = use->row->name[1] ? "--" : "-";
        vec_push(cli->arena, &words,
                 (char *)str_format(cli->arena, "%s%s", dashes, use->row->name).data);
        if (use->value) vec_push(cli->arena, &words, (char *)use->value);
    }
    vec_push(cli->arena, &words, (char *)"--json");
    vec_push(cli->arena, &words, (char *)"--");
    vec_push(cli->arena, &words, (char *)operand);
    vec_push(cli->arena, &words, (char *)NULL);
    return words.data;
}

static FILE *start_child(char **words, pid_t *child) {
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (pipe(ends)) return NULL;
    if (posix_spawn_file_actions_init(&actions)) return NULL;
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int failed = posix_spawn(child, "/proc/self/exe", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!failed) return fdopen(ends[0], "r");
    close(ends[0]);
    errno = failed;
    return NULL;
}

/* Reads a child's lines into `run` and on to the file. */
static int one_process(const Cli *cli, const char *operand, RunFile *run, RunWriter *writer) {
    pid_t child;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    Str why;
    int code = EXIT_OK, status = 0;
    FILE *lines = start_child(child_words(cli, operand), &child);
    if (!lines) return cli_fail(cli, EXIT_SYSTEM, "cannot start a process: %s", strerror(errno));
    for (int number = 1; (length = getline(&line, &capacity, lines)) > 0; number++) {
        if (!code && !run_read_line(run, line, (size_t)length, number, &why))
            code = cli_fail(cli, EXIT_SYSTEM, "%.*s", STR_ARG(why));
        bool to_stdout = writer->to_stdout;
        writer->to_stdout = false;
        if (!code) run_write_line(writer, line);
        writer->to_stdout = to_stdout;
    }
    free(line);
    fclose(lines);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (!code && WIFSIGNALED(status))
        code = cli_fail(cli, EXIT_SYSTEM, "a process ended by signal %d", WTERMSIG(status));
    if (!code && WIFEXITED(status) && WEXITSTATUS(status) && !run->points.count)
        code = WEXITSTATUS(status);
    return code;
}

static bool is_saved(const Cli *cli, const char *other, const char **path) {
    struct stat st;
    size_t length = strlen(other);
    *path = other;
    if (!stat(other, &st) && S_ISDIR(st.st_mode))
        *path = str_format(cli->arena, "%s/run.jsonl", other).data;
    else if (length < 6 || strcmp(other + length - 6, ".jsonl") != 0)
        return false;
    return true;
}

typedef struct Sides {
    RunFile runs[2];   /* a: the other; b: this */
    const Cli *cli[2]; /* with the options of each */
    const char *operands[2], *names[2];
    RunWriter writers[2];
} Sides;

/* A B, B A, A B ..: what drifts meets both alike. */
static int run_sides(Cli *cli, Sides *sides, int processes, bool has_other) {
    int code = EXIT_OK;
    Progress progress;
    progress_start(&progress, cli);
    for (int i = 0; i < processes && !code && !measure_interrupted(); i++)
        for (int k = 0; k < 2 && !code; k++) {
            int side = i % 2 ? 1 - k : k;
            if (side == 0 && !has_other) continue;
            progress_say(&progress, "process %d of %d: %s", i + 1, processes, sides->names[side]);
            code = one_process(sides->cli[side], sides->operands[side], &sides->runs[side],
                               &sides->writers[side]);
        }
    progress_end(&progress);
    return code;
}

static void alone_json(const Cli *cli, const RunPoint *point) {
    Json json = {.out.arena = cli->arena};
    json_open(&json, '{');
    json_key(&json, "point"), json_text(&json, point->key);
    json_key(&json, "failed"), json_text(&json, point->medians.count ? NULL : point->failed);
    json_key(&json, "medians_ms"), json_open(&json, '[');
    for (int i = 0; i < point->medians.count; i++) json_number(&json, point->medians.data[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    json_print(&json);
}

static void print_alone(const Cli *cli, const RunFile *run) {
    for (int i = 0; i < run->points.count; i++) {
        const RunPoint *point = &run->points.data[i];
        size_t n = (size_t)point->medians.count;
        if (cli->json) {
            alone_json(cli, point);
            continue;
        }
        char middle[32], least[32], most[32];
        put_time(middle, sizeof middle, tern_quantile(point->medians.data, n, 0.5));
        put_time(least, sizeof least, tern_quantile(point->medians.data, n, 0));
        put_time(most, sizeof most, tern_quantile(point->medians.data, n, 1));
        if (n)
            printf("%s  %s over %zu processes (%s .. %s)\n", point->key, middle, n, least, most);
        else
            printf("%s  failed: %s\n", point->key, point->failed);
    }
    const RunFile none = {0};
    if (!cli->json) report_trust(cli, &none, run);
}

/* NAME=VALUE: this very kernel, with another value of an argument, or of an option of the
 * launch. */
static bool is_setting(const char *other) {
    const char *equals = strchr(other, '=');
    return equals && equals != other && !strchr(other, ':') && access(other, F_OK);
}

static void set_other(Cli *other, const char *setting) {
    Str name = {setting, (int)strcspn(setting, "=")};
    const char *option = cli_launch_option(name), *text;
    bool is_argument = !option;
    for (int i = 0; (text = option_nth(other, "a", i)); i++)
        is_argument |= !strncmp(text, setting, (size_t)name.length + 1);
    if (is_argument)
        cli_set_option(other, "a", setting);
    else
        cli_set_option(other, option, setting + name.length + 1);
}

static int open_sides(const Cli *cli, Sides *sides, const char *other, const char *path) {
    Str why;
    const char *save = option_value(cli, "save");
    sides->runs[0].arena = sides->runs[1].arena = cli->arena;
    if (path && !run_read(cli->arena, path, &sides->runs[0], &why))
        return cli_fail(cli, EXIT_USAGE, "%s: %.*s", path, STR_ARG(why));
    if (sides->runs[0].cut) cli_fail(cli, EXIT_OK, "%s: %s", path, sides->runs[0].cut);
    if (!run_writer_open(&sides->writers[1], cli, save, "run.jsonl") ||
        (other && !path && !run_writer_open(&sides->writers[0], cli, save, "vs.jsonl")))
        return EXIT_SYSTEM;
    return EXIT_OK;
}

int versus_run(Cli *cli, const char *operand, const char *other, VersusCheck *check, void *user) {
    double margin;
    int processes;
    const char *path = NULL;
    bool saved = other && is_saved(cli, other, &path),
         setting = other && !saved && is_setting(other);
    Cli other_cli = *cli;
    if (setting) set_other(&other_cli, other);
    Sides sides = {.cli = {&other_cli, cli},
                   .operands = {setting ? operand : other, operand},
                   .names = {other, operand}};
    if (setting) sides.names[0] = str_format(cli->arena, "%s with %s", operand, other).data;
    if (!margin_option(cli, &margin) ||
        !option_int(cli, "processes", 1, MOST_PROCESSES, 7, &processes))
        return EXIT_USAGE;
    int code = open_sides(cli, &sides, other, saved ? path : NULL);
    if (!code && other && !saved) code = check(user, &other_cli, sides.operands[0]);
    if (code) return code;
    code = run_sides(cli, &sides, processes, other && !saved);
    bool written = run_writer_close(&sides.writers[0]);
    written &= run_writer_close(&sides.writers[1]);
    if (code) return code;
    if (!saved) sides.runs[0].is_interleaved = sides.runs[1].is_interleaved = true;
    if (!other)
        print_alone(cli, &sides.runs[1]);
    else
        code = versus_report(cli, &sides.runs[0], sides.names[0], &sides.runs[1], sides.names[1],
                             margin);
    if (saved && !cli->json) puts("outputs were not compared: a is a saved run");
    if (!code && measure_interrupted()) return cli_fail(cli, EXIT_SYSTEM, "interrupted");
    return written ? code : EXIT_SYSTEM;
}
