// SPDX-License-Identifier: Apache-2.0
/* tune_race: the race, and how ranks share the work.
 *
 *     each rank    tries its candidates, and groups them by their results           -> "tried"
 *     rank 0       tries one of each group of the others, compares what the devices
 *                  gave (tune_devices.c), and says which are right                  -> "right"
 *     each rank    races those of its own that are right                            -> "raced"
 *     rank 0       races those that no rank has told from its best: one device decides
 *
 * What a dead rank has not given, rank 0 does itself. */
#include "cli/measure.h"
#include "cli/parcel.h"
#include "cli/tune.h"

#include <stdio.h>

/* ---- one race ---- */

static tern_candidate_state ready(void *user, int candidate, char *words, size_t size) {
    const Entry *entry = &((const Tune *)user)->entries.data[candidate];
    snprintf(words, size, "%s", entry->words);
    return entry->state == TERN_CANDIDATE_READY && !entry->is_wanted ? TERN_CANDIDATE_WAITS
                                                                     : entry->state;
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

/* Of those that are wanted, alone on the device. */
static int race(Tune *tune) {
    const tern_tune_options options = {.user = tune,
                                       .ready = ready,
                                       .run = run,
                                       .reset = reset,
                                       .stop = stop,
                                       .progress = progress,
                                       .margin = tune->margin,
                                       .max_time_ms = tune->max_time_ms,
                                       .hot = tune->hot};
    tern_tuning_free(&tune->tuning);
    int lock = ranks_lock(&tune->ranks, tern_device_name(tune->base.context));
    tern_status status =
        tern_tune(tune->base.context, tune->entries.count, &options, &tune->tuning);
    ranks_unlock(lock);
    return status ? cli_fail_context(tune->cli, tune->base.context) : EXIT_OK;
}

static int race_own(Tune *tune) {
    for (int i = 0; i < tune->entries.count; i++) {
        Entry *entry = &tune->entries.data[i];
        entry->is_wanted = entry->owner == tune->ranks.rank && entry->is_open;
    }
    return race(tune);
}

/* ---- with other ranks ---- */

static bool is_own(const Tune *tune, int index, int rank) {
    return tune->entries.data[index].owner == rank;
}

static bool put_tried(const Tune *tune) {
    Buf out = {.arena = tune->cli->arena};
    parcel_put_text(&out, tern_device_description(tune->base.context));
    for (int i = 0; i < tune->entries.count; i++) {
        const Entry *entry = &tune->entries.data[i];
        if (!is_own(tune, i, tune->ranks.rank)) continue;
        parcel_put(&out, &entry->state, sizeof entry->state);
        parcel_put(&out, &entry->group, sizeof entry->group);
        uint64_t hash = tune_results_hash(entry);
        parcel_put(&out, &hash, sizeof hash);
        parcel_put_text(&out, entry->words);
    }
    return ranks_put(&tune->ranks, "tried", buf_str(&out));
}

/* One that has ended says nothing; what is its, is rank 0's then. */
static int adopt(Tune *tune, int rank) {
    int count = 0;
    if (measure_interrupted())
        return cli_fail(tune->cli, EXIT_SYSTEM, "interrupted before the race");
    for (int i = 0; i < tune->entries.count; i++) {
        Entry *entry = &tune->entries.data[i];
        if (entry->owner != rank) continue;
        entry->owner = 0;
        entry->is_wanted = true;
        count++;
    }
    cli_fail(tune->cli, EXIT_SYSTEM, "rank %d has ended: its %d candidates are tried here", rank,
             count);
    return tune_try(tune);
}

/* Of each group one runs here, too, to be compared with the others'. */
static int take_tried(Tune *tune, int rank) {
    Arena *arena = tune->cli->arena;
    const char *device;
    uint64_t *hashes = arena_array(arena, uint64_t, tune->entries.count + 1);
    Str rest;
    bool fine = ranks_get(&tune->ranks, rank, "tried", &rest) &&
                parcel_take_text(arena, &rest, &device) && device;
    if (!fine) return adopt(tune, rank);
    if (strcmp(device, tern_device_description(tune->base.context)) != 0)
        return cli_fail(tune->cli, EXIT_USAGE,
                        "rank %d runs on '%s', rank 0 on '%s': one answer for both there is none",
                        rank, device, tern_device_description(tune->base.context));
    for (int i = 0; i < tune->entries.count && fine; i++) {
        Entry *entry = &tune->entries.data[i];
        if (!is_own(tune, i, rank)) continue;
        fine = parcel_take(&rest, &entry->state, sizeof entry->state) &&
               parcel_take(&rest, &entry->group, sizeof entry->group) &&
               parcel_take(&rest, &hashes[i], sizeof *hashes) &&
               parcel_take_text(arena, &rest, &entry->words) && entry->words && entry->group >= 0 &&
               entry->group <= i && is_own(tune, entry->group, rank);
        entry->is_wanted = fine && entry->state == TERN_CANDIDATE_READY && entry->group == i;
    }
    if (!fine) return adopt(tune, rank);
    int code = tune_try(tune);
    for (int i = 0; i < tune->entries.count && !code; i++) {
        Entry *entry = &tune->entries.data[i];
        bool ran = is_own(tune, i, rank) && entry->group == i && entry->is_open;
        entry->is_unlike |=
            ran && entry->state == TERN_CANDIDATE_READY && tune_results_hash(entry) != hashes[i];
    }
    return code;
}

/* What runs on its rank must run here: two devices that disagree have no common answer. */
static void drop_unlike(Tune *tune) {
    for (int i = 0; i < tune->entries.count; i++) {
        Entry *entry = &tune->entries.data[i];
        const Entry *first = &tune->entries.data[entry->group];
        if (entry->state != TERN_CANDIDATE_READY || first->state == TERN_CANDIDATE_READY) continue;
        entry->state = first->state;
        entry->words =
            str_format(tune->cli->arena, "as %s, on rank 0: %s", first->name, first->words).data;
    }
}

static int agree_of_all(Tune *tune) {
    Buf out = {.arena = tune->cli->arena};
    int code = EXIT_OK;
    for (int rank = 1; rank < tune->ranks.count && !code; rank++) code = take_tried(tune, rank);
    if (code) return code;
    drop_unlike(tune);
    tune_group(tune);
    tune_agree(tune);
    tune_devices_agree(tune);
    for (int i = 0; i < tune->entries.count; i++)
        parcel_put(&out, &tune->entries.data[i].state, sizeof tune->entries.data[i].state);
    return ranks_put(&tune->ranks, "right", buf_str(&out)) ? EXIT_OK : EXIT_SYSTEM;
}

static int take_right(Tune *tune) {
    Str rest;
    bool fine = ranks_get(&tune->ranks, 0, "right", &rest);
    for (int i = 0; i < tune->entries.count && fine; i++)
        fine = parcel_take(&rest, &tune->entries.data[i].state, sizeof tune->entries.data[i].state);
    return fine ? EXIT_OK
                : cli_fail(tune->cli, EXIT_SYSTEM, "rank 0 has ended: what is known is lost");
}

static bool put_raced(const Tune *tune) {
    Buf out = {.arena = tune->cli->arena};
    for (int i = 0; i < tune->tuning.num_candidates; i++)
        parcel_put(&out, &tune->tuning.candidates[i], sizeof tune->tuning.candidates[i]);
    return ranks_put(&tune->ranks, "raced", buf_str(&out));
}

/* Into `seen` of all what their ranks have seen; of a dead one all that is right stays untimed. */
static void take_raced(Tune *tune, tern_candidate *seen) {
    for (int rank = 1; rank < tune->ranks.count; rank++) {
        Str rest;
        tern_candidate one;
        bool fine = ranks_get(&tune->ranks, rank, "raced", &rest);
        for (int i = 0; i < tune->entries.count; i++) {
            fine = fine && parcel_take(&rest, &one, sizeof one);
            if (is_own(tune, i, rank) && fine) seen[i] = one;
        }
        if (!fine && !measure_interrupted())
            cli_fail(tune->cli, EXIT_SYSTEM, "rank %d has ended: its candidates are timed here",
                     rank);
    }
}

/* A ratio is to the best of all, not to the best of a rank. */
static void put_together(Tune *tune, const tern_candidate *seen) {
    for (int i = 0; i < tune->entries.count; i++) {
        tern_candidate *candidate = &tune->tuning.candidates[i];
        tern_candidate_state state = candidate->state;
        bool is_finalist = tune->entries.data[i].is_wanted;
        double scale = 1;
        if (tune->entries.data[i].state != TERN_CANDIDATE_READY) continue;
        if (is_finalist && candidate->rounds) continue;
        for (int k = 0; k < tune->entries.count; k++)
            if (seen[k].state == TERN_CANDIDATE_WON &&
                is_own(tune, k, tune->entries.data[i].owner) &&
                tune->tuning.candidates[k].ratio > 0)
                scale = tune->tuning.candidates[k].ratio;
        *candidate = seen[i];
        if (is_finalist) candidate->state = state; /* alone: nothing was timed again */
        candidate->ratio *= scale, candidate->low *= scale, candidate->high *= scale;
    }
}

/* Who won on its rank, who was not told from it, and who was not timed. */
static int race_finalists(Tune *tune) {
    int count = tune->entries.count;
    tern_candidate *seen = arena_array(tune->cli->arena, tern_candidate, count);
    memcpy(seen, tune->tuning.candidates, (size_t)count * sizeof *seen);
    take_raced(tune, seen);
    if (measure_interrupted()) return EXIT_OK; /* the own race is what is known */
    for (int i = 0; i < count; i++) {
        Entry *entry = &tune->entries.data[i];
        bool may_win = seen[i].state == TERN_CANDIDATE_WON ||
                       seen[i].state == TERN_CANDIDATE_READY ||
                       seen[i].state == TERN_CANDIDATE_WAITS;
        may_win &= entry->state == TERN_CANDIDATE_READY;
        entry->is_wanted = may_win && !entry->is_open;
    }
    int code = tune_try(tune);
    for (int i = 0; i < count; i++)
        tune->entries.data[i].is_wanted = tune->entries.data[i].is_open &&
                                          seen[i].state != TERN_CANDIDATE_LOST &&
                                          seen[i].state != TERN_CANDIDATE_FAILED;
    if (!code) code = race(tune);
    if (!code) put_together(tune, seen);
    return code;
}

int tune_run(Tune *tune) {
    bool is_alone = tune->ranks.count == 1;
    for (int i = 0; i < tune->entries.count; i++)
        tune->entries.data[i].is_wanted = is_own(tune, i, tune->ranks.rank);
    int code = tune_try(tune);
    if (code) return code;
    tune_group(tune);
    if (tune->ranks.rank) {
        if (!put_tried(tune) || !tune_devices_put(tune)) return EXIT_SYSTEM;
        code = take_right(tune);
        if (!code) code = race_own(tune);
        return code || put_raced(tune) ? code : EXIT_SYSTEM;
    }
    if (is_alone)
        tune_agree(tune);
    else
        code = agree_of_all(tune);
    if (!code) code = race_own(tune);
    return code || is_alone ? code : race_finalists(tune);
}
