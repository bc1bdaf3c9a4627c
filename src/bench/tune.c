// SPDX-License-Identifier: Apache-2.0
/* tune: candidates -> those that are right -> a race between them -> the winner.
 *
 * Each is asked for by `ready` first, so that what is raced is known to run and to be right; then
 * rounds of contest.h, each candidate sampled as tern_bench samples. What fails on the way is out,
 * with the reason, and the others go on. Whoever stops early keeps what is known so far. */
#include "base/base.h"
#include "bench/contest.h"
#include "bench/sampler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CANDIDATES = 4096, DEFAULT_ROUNDS = 200 };

typedef struct Tuner {
    tern_context *context;
    const tern_tune_options *options;
    tern_tuning *tuning;
    Contest contest;
    Sampler sampler;
    bool samples; /* the sampler is open */
    int current;  /* the candidate that the sampler's callable runs */
    int *order;
    uint64_t seed;
    double started_ms;
} Tuner;

static bool is_stopped(Tuner *tuner) {
    const tern_tune_options *options = tuner->options;
    if (options->stop && options->stop(options->user)) tuner->tuning->stopped = true;
    return tuner->tuning->stopped;
}

static void say(Tuner *tuner, int tried) {
    const tern_tune_options *options = tuner->options;
    if (!options->progress) return;
    tern_tune_progress progress = {.num_candidates = tuner->tuning->num_candidates,
                                   .num_tried = tried,
                                   .round = tuner->contest.rounds,
                                   .num_left = tuner->contest.num_in};
    options->progress(options->user, &progress);
}

static void give_up(Tuner *tuner, int index, tern_candidate_state state, const char *words) {
    tern_candidate *candidate = &tuner->tuning->candidates[index];
    candidate->state = state;
    snprintf(candidate->words, sizeof candidate->words, "%s", words);
    contest_drop(&tuner->contest, index);
}

/* ---- before the race ---- */

static void make_ready(Tuner *tuner) {
    const tern_tune_options *options = tuner->options;
    for (int i = 0; i < tuner->tuning->num_candidates; i++) {
        tern_candidate *candidate = &tuner->tuning->candidates[i];
        say(tuner, i);
        if (is_stopped(tuner)) {
            contest_drop(&tuner->contest, i);
            continue;
        }
        candidate->state = TERN_CANDIDATE_READY;
        if (options->ready)
            candidate->state =
                options->ready(options->user, i, candidate->words, sizeof candidate->words);
        if (candidate->state != TERN_CANDIDATE_READY) contest_drop(&tuner->contest, i);
    }
}

/* ---- samples ---- */

static tern_status run_current(void *user, tern_stream *stream) {
    Tuner *tuner = user;
    return tuner->options->run(tuner->options->user, tuner->current, stream);
}

static tern_status sample(Tuner *tuner, int index, double *ms) {
    const tern_tune_options *options = tuner->options;
    Sample taken = {0};
    tern_status status = options->reset ? options->reset(options->user, index) : TERN_OK;
    tuner->current = index;
    tuner->tuning->num_samples++;
    if (status) return status;
    if (options->sample) return options->sample(options->user, index, ms);
    status = sampler_take(&tuner->sampler, &taken);
    *ms = taken.ms;
    return status;
}

/* The first launch loads, and warms up. */
static void warm_up(Tuner *tuner, int index) {
    double ignored;
    if (sample(tuner, index, &ignored) && !is_stopped(tuner))
        give_up(tuner, index, TERN_CANDIDATE_FAILED, tern_message(tuner->context));
}

/* A candidate that fails is out; where the device does not work any more, all is. */
static bool run_round(Tuner *tuner) {
    int count = contest_order(&tuner->contest, &tuner->seed, tuner->order);
    for (int i = 0; i < count; i++) {
        double ms = 0;
        if (is_stopped(tuner)) return false;
        if (!sample(tuner, tuner->order[i], &ms)) {
            contest_put(&tuner->contest, tuner->order[i], ms);
            continue;
        }
        if (is_stopped(tuner)) return false;
        give_up(tuner, tuner->order[i], TERN_CANDIDATE_FAILED, tern_message(tuner->context));
        if (tern_synchronize(tuner->context)) return false;
    }
    return true;
}

static tern_status open_sampler(Tuner *tuner) {
    const tern_tune_options *options = tuner->options;
    if (options->sample) return TERN_OK;
    const SamplerOptions how = {.cold = !options->hot,
                                .gate = true,
                                .flushed = options->cold_buffers,
                                .num_flushed = options->num_cold_buffers};
    tern_status status = sampler_open(&tuner->sampler, tuner->context, run_current, tuner, how);
    tuner->samples = !status;
    return status;
}

static tern_status run_race(Tuner *tuner) {
    tern_status status = open_sampler(tuner);
    if (status) return status;
    for (int i = 0; i < tuner->contest.count; i++)
        if (tuner->contest.contestants[i].is_in && !is_stopped(tuner)) warm_up(tuner, i);
    bool ends = tuner->contest.num_in <= 1;
    while (!ends && !is_stopped(tuner)) {
        say(tuner, tuner->contest.count);
        if (!run_round(tuner)) break;
        ends = contest_next(&tuner->contest);
        if (clock_ms() - tuner->started_ms > tuner->options->max_time_ms) break;
    }
    return TERN_OK;
}

/* ---- the answer ---- */

static void judge(Tuner *tuner) {
    tern_tuning *tuning = tuner->tuning;
    Contest *contest = &tuner->contest;
    if (contest->best < 0 || !contest->contestants[contest->best].is_in) contest_look(contest);
    if (contest->best < 0 && contest->num_in == 1) /* alone: nothing to time */
        for (int i = 0; i < contest->count; i++)
            if (contest->contestants[i].is_in && !tuning->stopped) contest->best = i;
    tuning->winner = contest->best;
    tuning->decided = contest->best >= 0 && (contest->is_decided || contest->num_in == 1);
    tuning->num_rounds = contest->rounds;
    for (int i = 0; i < contest->count; i++) {
        tern_candidate *candidate = &tuning->candidates[i];
        const Contestant *contestant = &contest->contestants[i];
        if (candidate->state != TERN_CANDIDATE_READY) continue;
        candidate->rounds = contestant->rounds;
        candidate->median_ms = contest_median_ms(contest, i);
        candidate->ratio = contestant->ratio, candidate->low = contestant->low,
        candidate->high = contestant->high;
        if (i == contest->best)
            candidate->state = TERN_CANDIDATE_WON;
        else if (!contestant->is_in)
            candidate->state = TERN_CANDIDATE_LOST;
        else
            tuning->num_equal++;
    }
}

static tern_status tune(Tuner *tuner) {
    tern_tuning *tuning = tuner->tuning;
    make_ready(tuner);
    tern_status status = tuner->contest.num_in > 1 && !tuning->stopped ? run_race(tuner) : TERN_OK;
    if (tuner->samples) sampler_close(&tuner->sampler);
    if (!status) judge(tuner);
    return status;
}

tern_status tern_tune(tern_context *context, int num_candidates, const tern_tune_options *given,
                      tern_tuning *tuning) {
    tern_tune_options options = {0};
    size_t size = given->size && given->size < sizeof options ? given->size : sizeof options;
    memcpy(&options, given, size);
    *tuning = (tern_tuning){.winner = -1, .num_candidates = num_candidates};
    if (num_candidates < 1 || num_candidates > MAX_CANDIDATES || options.max_rounds < 0 ||
        options.max_rounds > 100000 || (!options.run && !options.sample) ||
        !(options.margin >= 0 && options.margin < 1))
        return TERN_ERROR_ARGUMENT;
    if (options.max_rounds == 0) options.max_rounds = DEFAULT_ROUNDS;
    if (options.margin == 0) options.margin = 0.01;
    if (!(options.max_time_ms > 0)) options.max_time_ms = 60000;
    Tuner tuner = {.context = context,
                   .options = &options,
                   .tuning = tuning,
                   .seed = options.seed,
                   .started_ms = clock_ms()};
    tuning->candidates = calloc((size_t)num_candidates, sizeof *tuning->candidates);
    tuner.order = calloc((size_t)num_candidates, sizeof *tuner.order);
    tern_status status = TERN_ERROR_NO_MEMORY;
    if (tuning->candidates && tuner.order &&
        contest_open(&tuner.contest, num_candidates, options.max_rounds, options.margin)) {
        status = tune(&tuner);
        contest_close(&tuner.contest);
    }
    free(tuner.order);
    if (status) tern_tuning_free(tuning);
    return status;
}

void tern_tuning_free(tern_tuning *tuning) {
    free(tuning->candidates);
    *tuning = (tern_tuning){.winner = -1};
}

const char *tern_candidate_word(tern_candidate_state state) {
    switch (state) {
    case TERN_CANDIDATE_WAITS: return "not tried";
    case TERN_CANDIDATE_READY: return "equal";
    case TERN_CANDIDATE_WON: return "won";
    case TERN_CANDIDATE_LOST: return "lost";
    case TERN_CANDIDATE_REFUSED: return "refused";
    case TERN_CANDIDATE_WRONG: return "wrong";
    case TERN_CANDIDATE_FAILED: return "failed";
    case TERN_CANDIDATE_HUNG: return "hung";
    case TERN_CANDIDATE_PRUNED: return "pruned";
    }
    return "?";
}
