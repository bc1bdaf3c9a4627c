// SPDX-License-Identifier: Apache-2.0
/* tern tune: which config of a kernel takes the least time for these arguments: its options, the
 * space of candidates, the answer. */
#include "cli/json.h"
#include "cli/measure.h"
#include "cli/range.h"
#include "cli/tune.h"
#include "cli/tuned.h"

#include <stdio.h>

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
    {"devices", 0, "D,D..", "share the work among these: cuda:0,cuda:1"},
    {"hot", 0, NULL, "caches as the run before left them; default: cold"},
    {"spills", 0, NULL, "GPU: time also what keeps values in memory that no register is left for"},
    {"allow-slow", 0, NULL, "time a device that is not made for speed, too"},
    {"no-keep", 0, NULL, "do not keep the answer"},
    {"config", 0, "K", "only this @triton.autotune config"},
    OPTIONS_COMPILE,
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

/* ---- the space ---- */

static int add_entry(Tune *tune, const Cli *cli, const char *choice) {
    if (tune->entries.count == MOST_CANDIDATES)
        return cli_fail(tune->cli, EXIT_USAGE, "more than %d candidates", MOST_CANDIDATES);
    Entry entry = {.choice = choice,
                   .name = tuned_name(tune->cli->arena, choice),
                   .cli = *cli,
                   .owner = tune->entries.count % tune->ranks.count,
                   .group = tune->entries.count,
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
    const int *left = NULL;
    int only, code = EXIT_OK;
    int count = tern_module_configs(tune->base.module, tune->base.function->name, &configs);
    if (count < 0) return cli_fail_context(cli, tune->base.context);
    if (count == 0)
        return cli_fail(cli, EXIT_USAGE,
                        "kernel '%s' has no @triton.autotune: -x NAME=VALUES says what to try",
                        tune->base.function->name);
    if (!option_int(cli, "config", 1, count, 0, &only)) return EXIT_USAGE;
    for (int i = 0; i < count; i++)
        if (configs[i].has_pre_hook) tune->autotune.hook = "pre_hook";
    if (tune->autotune.hook)
        return cli_fail(cli, EXIT_REFUSED,
                        "%s of @triton.autotune is Python's to run: 'tern exec' of the program "
                        "does, and keeps what it finds",
                        tune->autotune.hook);
    if (!only && count) {
        tern_value *known;
        int num_known = bound_known(&tune->base, &known);
        count = tern_module_pruned(tune->base.module, tune->base.function->name, known, num_known,
                                   &left);
        if (count < 0) return cli_fail_context(cli, tune->base.context);
    }
    for (int i = 0; i < count && !code; i++) {
        int at = left ? left[i] : i;
        Cli own = *cli;
        if (only && only != at + 1) continue;
        cli_set_option(&own, "config", str_format(cli->arena, "%d", at + 1).data);
        code = add_entry(tune, &own, config_choice(cli->arena, &configs[at]));
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

static void put_json(const Tune *tune, Json *out) {
    const tern_tuning *tuning = &tune->tuning;
    Json json = *out;
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
    *out = json;
}

static int answer(Tune *tune) {
    const tern_tuning *tuning = &tune->tuning;
    bool any_wrong = false, any_pruned = false, all_refused = true;
    for (int i = 0; i < tuning->num_candidates; i++) {
        any_wrong |= tuning->candidates[i].state == TERN_CANDIDATE_WRONG;
        bool is_pruned = tuning->candidates[i].state == TERN_CANDIDATE_PRUNED;
        any_pruned |= is_pruned;
        all_refused &= is_pruned || tuning->candidates[i].state == TERN_CANDIDATE_REFUSED;
    }
    progress_end(&tune->progress);
    Json evidence = {.out.arena = tune->cli->arena};
    put_json(tune, &evidence);
    if (tune->cli->json)
        json_print(&evidence);
    else
        report_text(tune);
    if (tuning->winner < 0)
        return cli_fail(tune->cli, all_refused ? EXIT_REFUSED : EXIT_WRONG,
                        "no candidate is left%s",
                        any_pruned ? ": --spills times those that are pruned, too" : "");
    const char *choice = tune->entries.data[tuning->winner].choice;
    if (!option_given(tune->cli, "no-keep") && *tern_cache_dir(tune->base.context) &&
        tern_tuned_keep(tune->base.context, tune->key, choice,
                        str_c(tune->cli->arena, buf_str(&evidence.out))))
        return cli_fail_context(tune->cli, tune->base.context);
    return any_wrong ? EXIT_WRONG : EXIT_OK;
}

/* ---- all of it ---- */

int tune_prepare(Tune *tune, const char *device) {
    Cli *cli = tune->cli;
    Bound *base = &tune->base;
    double seconds;
    if (!option_double(cli, "limit", 60, &tune->limit_s) ||
        !option_double(cli, "margin", 0.01, &tune->margin) ||
        !option_double(cli, "max-time", 60, &seconds))
        return EXIT_USAGE;
    tune->max_time_ms = seconds * 1e3;
    if (!(tune->margin > 0 && tune->margin < 1))
        return cli_fail(cli, EXIT_USAGE, "--margin is a part below 1");
    if (!(tune->limit_s > 0 && tune->limit_s < 1e6))
        return cli_fail(cli, EXIT_USAGE, "--limit is in seconds, above 0");
    tune->hot = option_given(cli, "hot");
    int code = bound_open(base, cli, device, tune->operand);
    if (code) return code;
    const char *name = tern_device_name(base->context);
    bool is_slow = !tune->is_nursery && !tern_device_property(name, TERN_DEVICE_IS_FAST);
    if (is_slow && !option_given(cli, "allow-slow"))
        return cli_fail(cli, EXIT_REFUSED,
                        "device %s checks kernels, its time says nothing about speed "
                        "(--allow-slow times it)",
                        name);
    if (base->function->is_cuda)
        return cli_fail(cli, EXIT_REFUSED, "kernels in CUDA C have no constants to tune");
    base->env.draws = arena_new_of(cli->arena, Draws);
    base->env.draws->arena = cli->arena;
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
    Tune tune = {.cli = cli,
                 .operand = cli->operands.data[0],
                 .tuning.winner = -1,
                 .ranks.count = 1,
                 .said.arena = cli->arena};
    measure_catch_interrupt();
    launch_guard_crashes();
    int code = ranks_open(&tune.ranks, cli, true);
    progress_start(&tune.progress, cli);
    if (!code) tune_apart_open(&tune);
    if (!code) code = tune_prepare(&tune, cli->device);
    if (!code) code = tune_run(&tune);
    tune_apart_close(&tune);
    progress_end(&tune.progress);
    if (!code && !tune.ranks.rank) code = answer(&tune);
    tern_tuning_free(&tune.tuning);
    for (int i = 0; i < tune.entries.count; i++)
        if (tune.entries.data[i].is_open) bound_close(&tune.entries.data[i].bound);
    bound_close(&tune.base);
    return ranks_close(&tune.ranks, code);
}
