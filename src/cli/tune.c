// SPDX-License-Identifier: Apache-2.0
/* tern tune: which config of a kernel takes the least time for these arguments.
 *
 * Each candidate first runs in a process of its own, with a time limit: what crashes, hangs, writes
 * outside of its tensors or fails --check is out, and the others go on. Those that are left must
 * then agree: results that most others do not share are wrong. Then they race (tern_tune). On cuda,
 * which does not live on in a fork, they run here. */
#include "cli/check.h"
#include "cli/json.h"
#include "cli/progress.h"
#include "cli/range.h"
#include "cli/tuned.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

const OptionRow options_tune[] = {
    {"grid", 'g', "EXPR,..", "number of programs, one to three dimensions"},
    {"a", 0, "NAME=VALUE", "an argument of the kernel (repeatable); see 'tern run --help'"},
    {"x", 0, "NAME=VALUES",
     "BLOCK=64,128,256 or BLOCK=2^6..2^10: a constant's values (repeatable)"},
    {"num-warps", 0, "N,N..", "to be tried; default: the config's, else 4"},
    {"num-stages", 0, "N,N..", "to be tried; default: the config's, else the target's"},
    {"check", 0, "WHAT", "what each is compared with: interp, or NAME=VALUE (repeatable)"},
    {"limit", 0, "SECONDS", "for one candidate to compile and run; default: 60"},
    {"margin", 0, "PART", "what is no difference; default: 0.01"},
    {"max-time", 0, "SECONDS", "of the race; default: 60"},
    {"hot", 0, NULL, "caches as the run before left them; default: cold"},
    {"allow-slow", 0, NULL, "time a device that is not made for speed, too"},
    {"no-keep", 0, NULL, "do not keep the answer"},
    {"config", 0, "K", "only this @triton.autotune config"},
    {"debug", 0, NULL, "compile asserts of the kernel in"},
    {"precise", 0, NULL, "GPU: round a * b + c twice, keep small numbers (doc/language.md)"},
    {0},
};

const char details_tune[] =
    "Without -x, --num-warps and --num-stages the @triton.autotune configs are tried. The answer "
    "is "
    "kept\n"
    "in the cache folder, for the kernel's text, the device and the arguments that were given with "
    "-a;\n"
    "'tern run' and 'tern bench' take it when neither --config nor the constant is given.\n"
    "Ctrl-C ends it and keeps what is known. Exit code 1: a candidate computes something wrong.\n\n"
    "example:\n"
    "  tern tune kernels/vector_add.py --grid 'cdiv(n,BLOCK)' -a n=1000000 -a 'x_ptr=rand(n)' \\\n"
    "      -a 'y_ptr=rand(n)' -a 'out_ptr=empty(n)' -x 'BLOCK=2^8..2^12'\n";

enum { MOST_CANDIDATES = 1024 };

typedef struct Entry {
    const char *choice, *name; /* NAME=VALUE a line; "BLOCK=1024 num_warps=4" */
    Cli cli;
    Bound bound;
    bool is_open;
    tern_argument *arguments;
    int num_arguments;
    int group; /* of those with the same results: the first one's index */
    tern_candidate_state state;
    const char *words;
    unsigned char *
        *restored; /* of each argument what it gets before a sample; NULL: it is left alone */
} Entry;

typedef struct Tune {
    Cli *cli;
    const char *operand;
    Bound base; /* the context, the module; of the arguments only the key is made */
    const char *key;
    tern_autotune autotune;
    VEC(Entry) entries;
    double limit_s;
    bool hot;
    Progress progress;
    tern_tuning tuning;
} Tune;

/* ---- the space ---- */

static int add_entry(Tune *tune, const Cli *cli, const char *choice) {
    if (tune->entries.count == MOST_CANDIDATES)
        return cli_fail(tune->cli, EXIT_USAGE, "more than %d candidates", MOST_CANDIDATES);
    Entry entry = {.choice = choice,
                   .name = tuned_name(tune->cli->arena, choice),
                   .cli = *cli,
                   .state = TERN_CANDIDATE_WAITS,
                   .words = ""};
    vec_push(tune->cli->arena, &tune->entries, entry);
    return EXIT_OK;
}

/* A config in the words of the value language: what is kept, and found again. */
static const char *config_choice(Arena *arena, const tern_config *config) {
    Buf name = {.arena = arena};
    buf_puts(&name, "");
    for (int i = 0; i < config->num_values; i++)
        buf_printf(&name, "%s%s=%s", i ? "\n" : "", config->values[i].name, config->values[i].text);
    const char *newline = config->num_values ? "\n" : "";
    if (config->num_warps)
        buf_printf(&name, "%snum_warps=%d", newline, config->num_warps), newline = "\n";
    if (config->num_stages) buf_printf(&name, "%snum_stages=%d", newline, config->num_stages);
    return name.data;
}

static int take_configs(Tune *tune) {
    const tern_config *configs;
    Cli *cli = tune->cli;
    int only, code = EXIT_OK;
    int count = tern_module_configs(tune->base.module, tune->base.function->name, &configs);
    if (count < 0) return cli_fail_context(cli, tune->base.context);
    if (count == 0)
        return cli_fail(cli, EXIT_USAGE,
                        "kernel '%s' has no @triton.autotune: -x NAME=VALUES says what to try",
                        tune->base.function->name);
    if (!option_int(cli, "config", 1, count, 0, &only)) return EXIT_USAGE;
    if (tune->autotune.prunes && !only)
        return cli_fail(cli, EXIT_REFUSED,
                        "prune_configs_by=%s is Python's: -x NAME=VALUES says what to try",
                        tune->autotune.prunes);
    for (int i = 0; i < count && !code; i++) {
        Cli own = *cli;
        if (only && only != i + 1) continue;
        cli_set_option(&own, "config", str_format(cli->arena, "%d", i + 1).data);
        code = add_entry(tune, &own, config_choice(cli->arena, &configs[i]));
    }
    return code;
}

typedef struct Axis {
    Range range;
    const char *option; /* "num-warps"; NULL: an argument */
} Axis;
typedef VEC(Axis) Axes;

static int add_product(Tune *tune, const Axes *axes, int depth, const Cli *cli,
                       const char *choice) {
    if (depth == axes->count) return add_entry(tune, cli, choice);
    const Axis *axis = &axes->data[depth];
    Arena *arena = tune->cli->arena;
    int code = EXIT_OK;
    for (int i = 0; i < axis->range.values.count && !code; i++) {
        Cli own = *cli;
        long long value = axis->range.values.data[i];
        const char *pair = str_format(arena, "%.*s=%lld", STR_ARG(axis->range.name), value).data;
        cli_set_option(&own, axis->option ? axis->option : "a",
                       axis->option ? str_format(arena, "%lld", value).data : pair);
        code = add_product(tune, axes, depth + 1, &own,
                           str_format(arena, "%s%s%s", choice, depth ? "\n" : "", pair).data);
    }
    return code;
}

static int add_axis(Tune *tune, Axes *axes, const char *text, const char *option) {
    Axis axis = {.option = option};
    Str why;
    if (!range_parse(tune->cli->arena, text, &axis.range, &why))
        return cli_fail(tune->cli, EXIT_USAGE, "%s%s%.*s", option ? "--" : "-x ",
                        option ? option : "", option ? 0 : why.length, option ? "" : why.data);
    bool is_known = option != NULL;
    for (int i = 0; i < tune->base.function->num_parameters; i++)
        is_known |= str_is(axis.range.name, tune->base.function->parameters[i].name);
    if (!is_known)
        return cli_fail(tune->cli, EXIT_USAGE, "-x: kernel '%s' has no parameter '%.*s'",
                        tune->base.function->name, STR_ARG(axis.range.name));
    for (int i = 0; i < axes->count; i++)
        if (str_equal(axes->data[i].range.name, axis.range.name))
            return cli_fail(tune->cli, EXIT_USAGE, "-x '%.*s' is given twice",
                            STR_ARG(axis.range.name));
    vec_push(tune->cli->arena, axes, axis);
    return EXIT_OK;
}

static int take_space(Tune *tune) {
    static const char *const options[][2] = {{"num-warps", "num_warps"},
                                             {"num-stages", "num_stages"}};
    Cli *cli = tune->cli;
    Axes axes = {0};
    const char *text;
    int code = EXIT_OK;
    for (int i = 0; (text = option_nth(cli, "x", i)) && !code; i++)
        code = add_axis(tune, &axes, text, NULL);
    for (int i = 0; i < COUNT(options) && !code; i++)
        if ((text = option_value(cli, options[i][0])))
            code = add_axis(tune, &axes, str_format(cli->arena, "%s=%s", options[i][1], text).data,
                            options[i][0]);
    if (code) return code;
    return axes.count ? add_product(tune, &axes, 0, cli, "") : take_configs(tune);
}

/* ---- one candidate, alone ---- */

static tern_status launch(Entry *entry) {
    Bound *bound = &entry->bound;
    tern_status status =
        tern_launch(NULL, bound->kernel, bound->grid, entry->arguments, entry->num_arguments);
    return status ? status : tern_synchronize(bound->context);
}

static bool is_among(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name)) return true;
    return false;
}

/* What tensors get before each sample: zeros, or what they hold now. */
static void keep_restored(const Tune *tune, Entry *entry) {
    const tern_autotune *autotune = &tune->autotune;
    Bound *bound = &entry->bound;
    entry->restored = arena_array(tune->cli->arena, unsigned char *, bound->num_args + 1);
    for (int i = 0; i < bound->num_args; i++) {
        const char *name = bound->args[i].parameter->name;
        bool is_reset = is_among(autotune->reset_to_zero, autotune->num_reset, name);
        if (!bound->args[i].buffer || bound->args[i].is_shared) continue;
        if (!is_reset && !is_among(autotune->restore_value, autotune->num_restore, name)) continue;
        const Tensor *tensor = bound->args[i].value->tensor;
        entry->restored[i] = arena_array(tune->cli->arena, unsigned char, tensor->storage_bytes);
        if (!is_reset) memcpy(entry->restored[i], tensor->storage, tensor->storage_bytes);
    }
}

/* Compiles, launches once, looks at what came out. entry->bound is open. */
static tern_candidate_state try(Tune *tune, Entry *entry, bool checks) {
    Bound *bound = &entry->bound;
    const MeasureRequest request = {.device = tune->cli->device, .operand = tune->operand};
    Str why;
    if (bound_values(bound) || bound_compile(bound) || bound_upload(bound))
        return TERN_CANDIDATE_REFUSED;
    if (!launch_arguments(bound->cli->arena, bound->kernel, bound->args, bound->num_args,
                          &entry->arguments, &entry->num_arguments, &why)) {
        cli_fail(bound->cli, EXIT_USAGE, "%.*s", STR_ARG(why));
        return TERN_CANDIDATE_REFUSED;
    }
    keep_restored(tune, entry);
    if (launch(entry)) {
        cli_fail_context(bound->cli, bound->context);
        return TERN_CANDIDATE_FAILED;
    }
    if (bound_check_zones(bound)) return TERN_CANDIDATE_WRONG;
    if (bound_download(bound)) return TERN_CANDIDATE_FAILED;
    if (checks && check_results(&request, bound)) return TERN_CANDIDATE_WRONG;
    return TERN_CANDIDATE_READY;
}

/* What was complained, in one line, without the command's name in front. */
static const char *first_words(Arena *arena, const char *text) {
    static const char prefix[] = "tern tune: ";
    if (!strncmp(text, prefix, sizeof prefix - 1)) text += sizeof prefix - 1;
    return str_c(arena, (Str){text, (int)strcspn(text, "\n")});
}

enum { RED_ZONE_BYTES = 1 << 16 };

_Noreturn static void child(Tune *tune, Entry *entry, int to) {
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGINT};
    Buf complaints = {.arena = tune->cli->arena};
    for (int i = 0; i < COUNT(crashes); i++) signal(crashes[i], SIG_DFL);
    buf_puts(&complaints, "");
    entry->cli.complaints = &complaints;
    tern_candidate_state state = TERN_CANDIDATE_REFUSED;
    if (!bound_open(&entry->bound, &entry->cli, tune->cli->device, tune->operand)) {
        bool guards = !tern_device_property(tern_device_name(entry->bound.context),
                                            TERN_DEVICE_CHECKS_ACCESSES);
        entry->bound.red_zone_bytes = guards ? RED_ZONE_BYTES : 0;
        entry->bound.is_guest = true; /* what was found before is not asked for */
        state = try(tune, entry, true);
    }
    const char *words = first_words(tune->cli->arena, complaints.data);
    size_t length = strlen(words), sent = 0;
    while (sent < length) {
        ssize_t count = write(to, words + sent, length - sent);
        if (count <= 0 && errno != EINTR) break;
        if (count > 0) sent += (size_t)count;
    }
    _exit(100 + (int)state);
}

/* Reads what the child says until it ends. False: its time is over, or Ctrl-C. */
static bool listen_to(int from, double end_ms, Buf *words) {
    for (;;) {
        char bytes[512];
        struct pollfd wait = {.fd = from, .events = POLLIN};
        double left = end_ms - clock_ms();
        if (left <= 0 || measure_interrupted()) return false;
        if (poll(&wait, 1, left < 100 ? (int)left + 1 : 100) <= 0) continue;
        ssize_t count = read(from, bytes, sizeof bytes);
        if (count == 0 || (count < 0 && errno != EINTR)) return true;
        if (count > 0) buf_add(words, bytes, (size_t)count);
    }
}

static void try_apart(Tune *tune, Entry *entry) {
    Arena *arena = tune->cli->arena;
    Buf words = {.arena = arena};
    int ends[2], status = 0;
    fflush(NULL);
    buf_puts(&words, "");
    pid_t process = pipe(ends) ? -1 : fork();
    if (process == 0) {
        close(ends[0]);
        child(tune, entry, ends[1]);
    }
    entry->state = TERN_CANDIDATE_FAILED;
    entry->words = "cannot start a process";
    if (process < 0) return;
    close(ends[1]);
    bool ended = listen_to(ends[0], clock_ms() + tune->limit_s * 1e3, &words);
    close(ends[0]);
    if (!ended) kill(process, SIGKILL);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    entry->words = words.data;
    if (!ended && measure_interrupted())
        entry->state = TERN_CANDIDATE_WAITS;
    else if (!ended) {
        entry->state = TERN_CANDIDATE_HUNG;
        entry->words = str_format(arena, "no end within %g s", tune->limit_s).data;
    } else if (WIFEXITED(status) && WEXITSTATUS(status) >= 100)
        entry->state = (tern_candidate_state)(WEXITSTATUS(status) - 100);
    else
        entry->words = str_format(arena, "its process crashed (%s)",
                                  WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it ended")
                           .data;
}

/* In this process, in the context that all share: what was tried apart runs here, too. */
static void try_here(Tune *tune, Entry *entry, bool checks) {
    Buf complaints = {.arena = tune->cli->arena};
    buf_puts(&complaints, "");
    entry->cli.complaints = &complaints;
    bound_share(&entry->bound, &entry->cli, &tune->base);
    entry->is_open = true;
    entry->state = try(tune, entry, checks);
    entry->cli.complaints = NULL;
    if (entry->state != TERN_CANDIDATE_READY)
        entry->words = first_words(tune->cli->arena, complaints.data);
}

static int try_all(Tune *tune) {
    const char *device = tern_device_name(tune->base.context);
    bool apart = tern_device_property(device, TERN_DEVICE_ON_HOST);
    for (int i = 0; i < tune->entries.count; i++) {
        Entry *entry = &tune->entries.data[i];
        progress_say(&tune->progress, "%d of %d: %s", i + 1, tune->entries.count, entry->name);
        if (measure_interrupted())
            return cli_fail(tune->cli, EXIT_SYSTEM, "interrupted before the race");
        if (apart) try_apart(tune, entry);
        if (!apart || entry->state == TERN_CANDIDATE_READY) try_here(tune, entry, !apart);
    }
    return EXIT_OK;
}

/* ---- do they agree? ---- */

static const char *difference(Arena *arena, Entry *entry, const Entry *other) {
    for (int i = 0; i < entry->bound.num_args; i++) {
        const LaunchArg *got = &entry->bound.args[i];
        Mismatch mismatch;
        if (!got->buffer || got->is_shared) continue;
        const LaunchArg *want = bound_arg(&other->bound, str_of(got->parameter->name));
        if (!want || !want->buffer) continue;
        const Tensor *a = got->value->tensor, *b = want->value->tensor;
        if (tensor_count(a) != tensor_count(b)) continue; /* it may well depend on a constant */
        if (results_differ(&entry->bound, got->parameter->name, a, b, &mismatch))
            return str_format(arena, "%lld of %lld elements of '%s': [%lld] is %.9g, not %.9g",
                              (long long)mismatch.wrong, (long long)mismatch.count,
                              got->parameter->name, (long long)mismatch.first, mismatch.got,
                              mismatch.want)
                .data;
    }
    return NULL;
}

/* Who has the same results; of each group the first one's index. Returns how many groups. */
static int group(Tune *tune, int *members) {
    int num_groups = 0;
    for (int i = 0; i < tune->entries.count; i++) {
        Entry *entry = &tune->entries.data[i];
        if (entry->state != TERN_CANDIDATE_READY) continue;
        entry->group = i;
        for (int k = 0; k < i && entry->group == i; k++) {
            const Entry *other = &tune->entries.data[k];
            if (other->state == TERN_CANDIDATE_READY && other->group == k &&
                !difference(tune->cli->arena, entry, other))
                entry->group = k;
        }
        num_groups += entry->group == i;
        members[entry->group]++;
    }
    return num_groups;
}

/* What most have is right. With --check NAME=VALUE each was compared with what is right already. */
static void agree(Tune *tune) {
    Arena *arena = tune->cli->arena;
    int count = tune->entries.count, most = -1, num_most = 0;
    int *members = arena_array(arena, int, count);
    const char *text;
    for (int i = 0; (text = option_nth(tune->cli, "check", i)); i++)
        if (strcmp(text, "interp") != 0) return;
    int num_groups = group(tune, members);
    for (int i = 0; i < count; i++) {
        if (members[i] == num_most) most = -1; /* no majority so far */
        if (members[i] > num_most) most = i, num_most = members[i];
    }
    for (int i = 0; i < count && num_groups > 1; i++) {
        Entry *entry = &tune->entries.data[i];
        if (entry->state != TERN_CANDIDATE_READY || entry->group == most) continue;
        if (most < 0)
            entry->words = str_format(arena,
                                      "one of %d different results, and no majority: --check "
                                      "NAME=VALUE says which is right",
                                      num_groups)
                               .data;
        else {
            const char *words = difference(arena, entry, &tune->entries.data[most]);
            entry->words = str_format(arena, "not as %d others%s%s", num_most, words ? ": " : "",
                                      words ? words : "")
                               .data;
        }
    }
    for (int i = 0; i < count && num_groups > 1; i++) {
        Entry *entry = &tune->entries.data[i];
        if (entry->state == TERN_CANDIDATE_READY && entry->group != most)
            entry->state = TERN_CANDIDATE_WRONG;
    }
}

/* ---- the race ---- */

static tern_candidate_state ready(void *user, int candidate, char *words, size_t size) {
    const Tune *tune = user;
    snprintf(words, size, "%s", tune->entries.data[candidate].words);
    return tune->entries.data[candidate].state;
}

static tern_status run(void *user, int candidate, tern_stream *stream) {
    Tune *tune = user;
    Entry *entry = &tune->entries.data[candidate];
    return tern_launch(stream, entry->bound.kernel, entry->bound.grid, entry->arguments,
                       entry->num_arguments);
}

static tern_status reset(void *user, int candidate) {
    Tune *tune = user;
    Entry *entry = &tune->entries.data[candidate];
    tern_status status = TERN_OK;
    for (int i = 0; i < entry->bound.num_args && !status; i++)
        if (entry->restored[i])
            status = tern_write(entry->bound.args[i].buffer, 0, entry->restored[i],
                                entry->bound.args[i].value->tensor->storage_bytes);
    return status;
}

static bool stop(void *user) {
    (void)user;
    return measure_interrupted();
}

static void progress(void *user, const tern_tune_progress *at) {
    Tune *tune = user;
    if (at->round)
        progress_say(&tune->progress, "round %d, %d of %d left", at->round, at->num_left,
                     at->num_candidates);
}

static int race(Tune *tune) {
    Cli *cli = tune->cli;
    double margin, seconds;
    if (!option_double(cli, "margin", 0.01, &margin) ||
        !option_double(cli, "max-time", 60, &seconds))
        return EXIT_USAGE;
    if (!(margin > 0 && margin < 1)) return cli_fail(cli, EXIT_USAGE, "--margin is a part below 1");
    const tern_tune_options options = {.user = tune,
                                       .ready = ready,
                                       .run = run,
                                       .reset = reset,
                                       .stop = stop,
                                       .progress = progress,
                                       .margin = margin,
                                       .max_time_ms = seconds * 1e3,
                                       .hot = tune->hot};
    if (tern_tune(tune->base.context, tune->entries.count, &options, &tune->tuning))
        return cli_fail_context(cli, tune->base.context);
    return EXIT_OK;
}

/* ---- report ---- */

static void report_times(const tern_candidate *candidate) {
    printf("  %.6g ms, %.3f of the best's", candidate->median_ms, candidate->ratio);
    if (candidate->state != TERN_CANDIDATE_WON && candidate->high > 0)
        printf(" (%.3f to %.3f)", candidate->low, candidate->high);
    printf(", %d rounds", candidate->rounds);
}

static void report_text(const Tune *tune) {
    const tern_tuning *tuning = &tune->tuning;
    printf("device: %s (%s)\n", tern_device_name(tune->base.context),
           tern_device_description(tune->base.context));
    for (int i = 0; i < tuning->num_candidates; i++) {
        const tern_candidate *candidate = &tuning->candidates[i];
        printf("%-8s %s", tern_candidate_word(candidate->state), tune->entries.data[i].name);
        if (candidate->rounds) report_times(candidate);
        if (*candidate->words) printf("  %s", candidate->words);
        putchar('\n');
    }
    if (tuning->winner < 0) return;
    printf("winner: %s, %s", tune->entries.data[tuning->winner].name,
           tuning->decided ? "decided" : "undecided");
    if (tuning->num_rounds)
        printf(" after %d rounds, %zu samples", tuning->num_rounds, tuning->num_samples);
    if (tuning->num_equal && tuning->decided)
        printf("; no difference to %d other%s", tuning->num_equal,
               tuning->num_equal > 1 ? "s" : "");
    puts(tuning->stopped ? "; interrupted" : "");
}

static void report_json(const Tune *tune) {
    const tern_tuning *tuning = &tune->tuning;
    Json json = {.out.arena = tune->cli->arena};
    json_open(&json, '{');
    json_key(&json, "device"), json_text(&json, tern_device_name(tune->base.context));
    json_key(&json, "kernel"), json_text(&json, tune->base.function->name);
    json_key(&json, "winner");
    json_text(&json, tuning->winner < 0 ? NULL : tune->entries.data[tuning->winner].name);
    json_key(&json, "decided"), json_bool(&json, tuning->decided);
    json_key(&json, "equal"), json_int(&json, tuning->num_equal);
    json_key(&json, "rounds"), json_int(&json, tuning->num_rounds);
    json_key(&json, "samples"), json_int(&json, (int64_t)tuning->num_samples);
    json_key(&json, "candidates"), json_open(&json, '[');
    for (int i = 0; i < tuning->num_candidates; i++) {
        const tern_candidate *candidate = &tuning->candidates[i];
        json_open(&json, '{');
        json_key(&json, "name"), json_text(&json, tune->entries.data[i].name);
        json_key(&json, "state"), json_text(&json, tern_candidate_word(candidate->state));
        json_key(&json, "words"), json_text(&json, candidate->words);
        json_key(&json, "median_ms"), json_number(&json, candidate->median_ms);
        json_key(&json, "ratio"), json_number(&json, candidate->ratio);
        json_key(&json, "low"), json_number(&json, candidate->low);
        json_key(&json, "high"), json_number(&json, candidate->high);
        json_key(&json, "rounds"), json_int(&json, candidate->rounds);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
    json_print(&json);
}

static int answer(Tune *tune) {
    const tern_tuning *tuning = &tune->tuning;
    bool any_wrong = false, all_refused = true;
    for (int i = 0; i < tuning->num_candidates; i++) {
        any_wrong |= tuning->candidates[i].state == TERN_CANDIDATE_WRONG;
        all_refused &= tuning->candidates[i].state == TERN_CANDIDATE_REFUSED;
    }
    progress_end(&tune->progress);
    if (tune->cli->json)
        report_json(tune);
    else
        report_text(tune);
    if (tuning->winner < 0)
        return cli_fail(tune->cli, all_refused ? EXIT_REFUSED : EXIT_WRONG, "no candidate is left");
    const char *choice = tune->entries.data[tuning->winner].choice;
    if (!option_given(tune->cli, "no-keep") && *tern_cache_dir(tune->base.context) &&
        tern_tuned_keep(tune->base.context, tune->key, choice))
        return cli_fail_context(tune->cli, tune->base.context);
    return any_wrong ? EXIT_WRONG : EXIT_OK;
}

/* ---- all of it ---- */

static int prepare(Tune *tune) {
    Cli *cli = tune->cli;
    Bound *base = &tune->base;
    if (!option_double(cli, "limit", 60, &tune->limit_s)) return EXIT_USAGE;
    if (!(tune->limit_s > 0 && tune->limit_s < 1e6))
        return cli_fail(cli, EXIT_USAGE, "--limit is in seconds, above 0");
    tune->hot = option_given(cli, "hot");
    int code = bound_open(base, cli, cli->device, tune->operand);
    if (code) return code;
    const char *device = tern_device_name(base->context);
    if (!option_given(cli, "allow-slow") && !tern_device_property(device, TERN_DEVICE_IS_FAST))
        return cli_fail(cli, EXIT_REFUSED,
                        "device %s checks kernels, its time says nothing about speed "
                        "(--allow-slow times it)",
                        device);
    if (base->function->is_cuda)
        return cli_fail(cli, EXIT_REFUSED, "kernels in CUDA C have no constants to tune");
    code = bound_given(base);
    if (code) return code;
    tune->key = tuned_key(base);
    if (!tune->key || tern_module_autotune(base->module, base->function->name, &tune->autotune))
        return cli_fail_context(cli, base->context);
    return take_space(tune);
}

int command_tune(Cli *cli) {
    if (cli->operands.count != 1)
        return cli_fail(cli, EXIT_USAGE, "one FILE[:KERNEL], not %d", cli->operands.count);
    Tune tune = {.cli = cli, .operand = cli->operands.data[0], .tuning.winner = -1};
    measure_catch_interrupt();
    launch_guard_crashes();
    progress_start(&tune.progress, cli);
    int code = prepare(&tune);
    if (!code) code = try_all(&tune);
    if (!code) agree(&tune), code = race(&tune);
    progress_end(&tune.progress);
    if (!code) code = answer(&tune);
    tern_tuning_free(&tune.tuning);
    for (int i = 0; i < tune.entries.count; i++)
        if (tune.entries.data[i].is_open) bound_close(&tune.entries.data[i].bound);
    bound_close(&tune.base);
    return code;
}
