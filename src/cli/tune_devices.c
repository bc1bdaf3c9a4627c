// SPDX-License-Identifier: Apache-2.0
/* tune_devices: do the ranks' devices compute the same?
 *
 *     each rank    a hash of what its candidates gave, with the rest of "tried"
 *     rank 0       runs them, too; whose bits are others here is                    -> "asked"
 *     each rank    what it got from those                                           -> "results"
 *     rank 0       compares, within the tolerance of all comparisons
 *
 * Two devices that differ have no common answer, and which of them is right nobody here knows: all
 * candidates are wrong then, also those that ran on one of them alone. With --check each rank has
 * compared its own with what is right. */
#include "cli/check.h"
#include "cli/parcel.h"
#include "cli/tune.h"

/* The same on each rank, whatever inputs its candidates share. */
static bool is_result(const Entry *entry, const LaunchArg *arg) {
    return arg->buffer && arg->value->tensor->storage_bytes &&
           tern_kernel_writes(entry->bound.kernel, arg->parameter->name);
}

uint64_t tune_results_hash(const Entry *entry) {
    uint64_t hash = 0;
    for (int i = 0; entry->is_open && i < entry->bound.num_args; i++) {
        const LaunchArg *arg = &entry->bound.args[i];
        if (is_result(entry, arg))
            hash = hash_bytes(arg->value->tensor->storage, arg->value->tensor->storage_bytes, hash);
    }
    return hash;
}

bool tune_devices_put(const Tune *tune) {
    Str asked;
    Buf out = {.arena = tune->cli->arena};
    bool is_asked, any = false;
    if (!ranks_get(&tune->ranks, 0, "asked", &asked))
        return true; /* said where "right" is wanted */
    for (int i = 0; i < tune->entries.count; i++) {
        const Entry *entry = &tune->entries.data[i];
        if (!parcel_take(&asked, &is_asked, sizeof is_asked)) return true;
        if (!is_asked || entry->owner != tune->ranks.rank || !entry->is_open) continue;
        any = true;
        for (int k = 0; k < entry->bound.num_args; k++) {
            const LaunchArg *arg = &entry->bound.args[k];
            if (is_result(entry, arg))
                parcel_put(&out, arg->value->tensor->storage, arg->value->tensor->storage_bytes);
        }
    }
    return !any || ranks_put(&tune->ranks, "results", buf_str(&out));
}

/* What differs between a candidate's results here and those in `rest`; NULL: nothing. */
static const char *difference(const Tune *tune, const Entry *entry, Str *rest) {
    Arena *arena = tune->cli->arena;
    const char *words = NULL;
    for (int i = 0; i < entry->bound.num_args; i++) {
        const LaunchArg *arg = &entry->bound.args[i];
        Mismatch mismatch;
        Str bytes;
        if (!is_result(entry, arg)) continue;
        Tensor other = *arg->value->tensor;
        if (!parcel_take_bytes(rest, &bytes) || (size_t)bytes.length != other.storage_bytes)
            return "what it gives is not known";
        other.storage = arena_array(arena, unsigned char, other.storage_bytes);
        memcpy(other.storage, bytes.data, other.storage_bytes);
        if (!words && results_differ(&entry->bound, arg->parameter->name, &other,
                                     arg->value->tensor, &mismatch))
            words = str_format(arena, "%lld of %lld elements of '%s': [%lld] is %.9g, not %.9g",
                               (long long)mismatch.wrong, (long long)mismatch.count,
                               arg->parameter->name, (long long)mismatch.first, mismatch.got,
                               mismatch.want)
                        .data;
    }
    return words;
}

static void all_wrong(Tune *tune, const char *words) {
    for (int i = 0; i < tune->entries.count; i++) {
        Entry *entry = &tune->entries.data[i];
        if (entry->state == TERN_CANDIDATE_READY)
            entry->state = TERN_CANDIDATE_WRONG, entry->words = words;
    }
}

static bool is_asked_of(const Entry *entry, int rank) {
    return entry->is_unlike && entry->owner == rank;
}

void tune_devices_agree(Tune *tune) {
    Buf out = {.arena = tune->cli->arena};
    bool checks = option_given(tune->cli, "check");
    for (int i = 0; i < tune->entries.count; i++) {
        Entry *entry = &tune->entries.data[i];
        bool is_unlike = entry->is_unlike && !checks;
        entry->is_unlike = is_unlike;
        parcel_put(&out, &is_unlike, sizeof is_unlike);
    }
    ranks_put(&tune->ranks, "asked", buf_str(&out));
    for (int rank = 1; rank < tune->ranks.count; rank++) {
        Str rest = {0};
        bool is_known = false;
        for (int i = 0; i < tune->entries.count; i++) {
            const Entry *entry = &tune->entries.data[i];
            if (!is_asked_of(entry, rank)) continue;
            if (!is_known && !ranks_get(&tune->ranks, rank, "results", &rest)) break;
            is_known = true;
            const char *words = difference(tune, entry, &rest);
            if (!words) continue;
            all_wrong(tune,
                      str_format(tune->cli->arena,
                                 "rank %d's device computes '%s' otherwise than %s: %s: "
                                 "which is right, --check NAME=VALUE or interp would say",
                                 rank, entry->name, tern_device_name(tune->base.context), words)
                          .data);
            return;
        }
    }
}
