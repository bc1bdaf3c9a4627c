// SPDX-License-Identifier: Apache-2.0
/* autotune: what autotuner.py asks of C: a race between the configs of a kernel, and what was kept
 * of earlier ones, by `tern tune` too. */
#include "exec/exec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char text_autotuner_start[], text_autotuner_end[];

/* ---- the race ---- */

typedef struct Race {
    Host *host;
    Object *before, *run, *after; /* of a candidate's number; after: and an exception or None */
    int pending;                  /* the candidate that ran last and has not been seen off; -1 */
} Race;

static bool call_with(Race *race, Object *function, int candidate, Object *exception) {
    Host *host = race->host;
    if (is_raised(host)) return false;
    Moment moment = moment_of(host);
    Object *args[] = {object_int(host->arena, candidate), exception};
    host_invoke_with(host, function, exception ? 2 : 1, args);
    if (is_raised(host)) return false;
    moment_end(host, moment);
    return host_step(host, host->span);
}

static bool see_off(Race *race) {
    int candidate = race->pending;
    race->pending = -1;
    return candidate < 0 || call_with(race, race->after, candidate, race->host->script->none);
}

static tern_status reset(void *user, int candidate) {
    Race *race = user;
    return see_off(race) && call_with(race, race->before, candidate, NULL) ? TERN_OK
                                                                           : TERN_ERROR_ARGUMENT;
}

/* An exception of the kernel's goes on once `after` has seen it. */
static tern_status run(void *user, int candidate, tern_stream *stream) {
    Race *race = user;
    (void)stream; /* the context's own, as for all that a script launches */
    if (call_with(race, race->run, candidate, NULL)) {
        race->pending = candidate;
        return TERN_OK;
    }
    Script *script = race->host->script;
    if (!script->raised || script->is_refused) return TERN_ERROR_ARGUMENT;
    Object *exception = take_raised(race->host);
    if (call_with(race, race->after, candidate, exception))
        host_raise_object(race->host, exception);
    return TERN_ERROR_ARGUMENT;
}

/* As in Triton, a config that asks for more than there is, or that a static_assert turns down, is
 * out; any other exception ends the tuning. */
static tern_candidate_state ready(void *user, int candidate, char *words, size_t size) {
    Race *race = user;
    Exec *exec = exec_of(race->host);
    exec->is_config_refused = false;
    if (!reset(race, candidate) && !run(race, candidate, NULL)) return TERN_CANDIDATE_READY;
    if (!exec->is_config_refused || !is_raised(race->host) || race->host->script->is_refused)
        return TERN_CANDIDATE_FAILED;
    take_raised(race->host);
    snprintf(words, size, "%.*s", (int)strcspn(tern_message(exec->context), "\n"),
             tern_message(exec->context));
    return TERN_CANDIDATE_REFUSED;
}

static bool stop(void *user) {
    const Race *race = user;
    return is_raised(race->host);
}

/* A line for each candidate, much as `tern tune` prints them. */
static Object *evidence(Host *host, const tern_tuning *tuning, Object *const *names) {
    Buf out = {.arena = host->arena};
    for (int i = 0; i < tuning->num_candidates; i++) {
        const tern_candidate *candidate = &tuning->candidates[i];
        buf_printf(&out, "%-8s ", tern_candidate_word(candidate->state));
        host_print(host, names[i], &out, false);
        if (candidate->rounds)
            buf_printf(&out, "  %.6g ms, %.3f (%.3f to %.3f), %d rounds", candidate->median_ms,
                       candidate->ratio, candidate->low, candidate->high, candidate->rounds);
        buf_printf(&out, "%s%s\n", *candidate->words ? "  " : "", candidate->words);
    }
    return object_str(host->arena, buf_str(&out));
}

/* What is not made for speed is not timed: there the first that runs is taken. */
static tern_status choose(Race *race, int count, tern_tuning *tuning, bool is_fast) {
    enum { MS_A_CONFIG = 125 }; /* what Triton takes: warmup 25, rep 100 */
    Exec *exec = exec_of(race->host);
    const tern_tune_options options = {.user = race,
                                       .ready = ready,
                                       .run = run,
                                       .reset = reset,
                                       .stop = stop,
                                       .max_rounds = is_fast ? 0 : 1,
                                       .max_time_ms = MS_A_CONFIG * count};
    return tern_tune(exec->context, count, &options, tuning);
}

/* names, before, run, after: the times in ms, what there is to keep of it, the fastest. */
static Object *run_race(Host *host, Object *const *args, const HostCall *call) {
    Race race = {host, args[1], args[2], args[3], -1};
    Exec *exec = exec_of(host);
    bool is_fast = tern_device_property(tern_device_name(exec->context), TERN_DEVICE_IS_FAST);
    tern_tuning tuning;
    Object **names;
    int count;
    (void)call;
    if (!host_items(host, args[0], &count, &names)) return host->script->poison;
    if (choose(&race, count, &tuning, is_fast) && !is_raised(host)) tensor_failed(host);
    see_off(&race);
    Object *times = heap_list(host, OBJECT_LIST, 0, NULL);
    for (int i = 0; i < tuning.num_candidates && !is_raised(host); i++) {
        const tern_candidate *candidate = &tuning.candidates[i];
        bool ran = candidate->state == TERN_CANDIDATE_WON ||
                   candidate->state == TERN_CANDIDATE_LOST ||
                   candidate->state == TERN_CANDIDATE_READY;
        list_insert(host, times, i,
                    object_float(host->arena, ran ? candidate->median_ms : HUGE_VAL));
    }
    Object *best = object_int(host->arena, tuning.winner < 0 ? 0 : tuning.winner);
    Object *kept = is_fast && tuning.winner >= 0 ? evidence(host, &tuning, names)
                                                 : object_str(host->arena, STR(""));
    tern_tuning_free(&tuning);
    return heap_list(host, OBJECT_TUPLE, 3, (Object *[]){times, kept, best});
}

/* ---- what is kept ---- */

/* The arguments of run(*args, **kwargs), without what is not the kernel's. */
static HostCall call_of(Host *host, const Object *args, const Object *kwargs, Span span) {
    int count = args->num_items;
    Object **values = arena_array(host->arena, Object *, count + kwargs->num_items / 2 + 1);
    Str *names = arena_array(host->arena, Str, count + kwargs->num_items / 2 + 1);
    for (int i = 0; i < count; i++) values[i] = args->items[i];
    for (int i = 0; i + 1 < kwargs->num_items; i += 2) {
        Str name = kwargs->items[i]->text;
        if (str_is(name, "grid") || str_is(name, "warmup")) continue;
        names[count] = name, values[count++] = kwargs->items[i + 1];
    }
    return (HostCall){.num_args = count, .args = values, .names = names, .span = span};
}

static void say(Host *host, const char *words) {
    Exec *exec = exec_of(host);
    Str line = str_format(host->arena, "tern exec: %s\n", words);
    if (exec->errors) exec->errors(exec->output_user, line.data, (size_t)line.length);
}

/* jit, args, kwargs: what was chosen for such arguments, or None. */
static Object *run_find(Host *host, Object *const *args, const HostCall *call) {
    Exec *exec = exec_of(host);
    HostCall given = call_of(host, args[1], args[2], call->span);
    tern_status status = TERN_OK;
    if (!tern_device_property(tern_device_name(exec->context), TERN_DEVICE_IS_FAST))
        return host->script->none;
    char *key = jit_tuned_key(host, args[0], &given);
    char *found = key ? tern_tuned_find(exec->context, key, &status) : NULL;
    Object *result =
        found ? object_str(host->arena, str_copy(host->arena, str_of(found))) : host->script->none;
    if (status) say(host, tern_message(exec->context));
    tern_free(key);
    tern_free(found);
    return result;
}

/* jit, args, kwargs, choice, evidence. Without a cache folder nothing is kept. */
static Object *run_keep(Host *host, Object *const *args, const HostCall *call) {
    Exec *exec = exec_of(host);
    HostCall given = call_of(host, args[1], args[2], call->span);
    char *key = *tern_cache_dir(exec->context) ? jit_tuned_key(host, args[0], &given) : NULL;
    if (key && tern_tuned_keep(exec->context, key, str_c(host->arena, args[3]->text),
                               str_c(host->arena, args[4]->text)))
        say(host, tern_message(exec->context));
    tern_free(key);
    return host->script->none;
}

/* ---- the modules ---- */

static Object *open_race(Host *host) {
    static const Native rows[] = {NATIVE("race", "names, before, run, after", run_race),
                                  NATIVE("find", "fn, args, kwargs", run_find),
                                  NATIVE("keep", "fn, args, kwargs, choice, evidence", run_keep)};
    return host_module_of(host, "triton.runtime.tern_race", rows, COUNT(rows));
}

Object *autotune_open(Host *host, Str path) {
    if (str_is(path, "triton.runtime.tern_race")) return open_race(host);
    if (!str_is(path, "triton.runtime.autotuner")) return NULL;
    return module_of_text(host, "triton.runtime.autotuner", "triton/runtime/autotuner.py",
                          text_autotuner_start, text_autotuner_end);
}
