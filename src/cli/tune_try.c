// SPDX-License-Identifier: Apache-2.0
/* tune_try: is a candidate right?
 *
 * Each first runs in a process of its own (tune_apart.c). Those that are left run here, for the
 * race, and must agree: results that most others do not share are wrong. */
#include "cli/check.h"
#include "cli/tune.h"

#include <stdlib.h>

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

/* A number of what the device says of a compiled kernel; 0: it does not say. */
static long fact(Bound *bound, const char *name) {
    const char *facts = tern_kernel_text(bound->kernel, TERN_STAGE_FACTS);
    const char *line = facts ? strstr(facts, name) : NULL;
    return line ? strtol(line + strlen(name), NULL, 10) : 0;
}

/* What no register is left for goes through memory, each time that it is needed. */
static bool is_pruned(Tune *tune, Entry *entry) {
    long spilled = fact(&entry->bound, "\nlocal bytes (spills): ");
    if (!spilled || option_given(tune->cli, "spills")) return false;
    cli_fail(&entry->cli, EXIT_REFUSED, "spills %ld bytes a thread, with %ld registers", spilled,
             fact(&entry->bound, "\nregisters: "));
    return true;
}

/* What no candidate writes is there once: the bytes are the same, and so is their place. */
static void share_inputs(const Tune *tune, Entry *entry) {
    for (int i = 0; i < entry->bound.num_args; i++) {
        LaunchArg *arg = &entry->bound.args[i];
        bool is_input = arg->value && arg->value->kind == ARG_TENSOR && !arg->value->is_empty &&
                        !tern_kernel_writes(entry->bound.kernel, arg->parameter->name);
        for (int k = 0; k < tune->entries.count && is_input && !arg->buffer; k++) {
            const Entry *other = &tune->entries.data[k];
            bool is_ready = other != entry && other->is_open &&
                            other->bound.context == entry->bound.context &&
                            other->state == TERN_CANDIDATE_READY && other->bound.kernel;
            const LaunchArg *its =
                is_ready ? bound_arg(&other->bound, str_of(arg->parameter->name)) : NULL;
            if (!its || !its->buffer || its->is_shared ||
                tern_kernel_writes(other->bound.kernel, arg->parameter->name))
                continue;
            const Tensor *a = arg->value->tensor, *b = its->value->tensor;
            if (a->storage_bytes != b->storage_bytes ||
                memcmp(a->storage, b->storage, a->storage_bytes) != 0)
                continue;
            arg->buffer = its->buffer, arg->is_shared = true;
        }
    }
}

tern_candidate_state tune_try_one(Tune *tune, Entry *entry, bool checks) {
    Bound *bound = &entry->bound;
    const MeasureRequest request = {.device = tune->cli->device, .operand = tune->operand};
    Str why;
    if (bound_values(bound) || bound_compile(bound)) return TERN_CANDIDATE_REFUSED;
    share_inputs(tune, entry);
    if (bound_upload(bound)) return TERN_CANDIDATE_REFUSED;
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
    if (is_pruned(tune, entry)) return TERN_CANDIDATE_PRUNED; /* of the text that was launched */
    if (bound_check_zones(bound)) return TERN_CANDIDATE_WRONG;
    if (bound_download(bound)) return TERN_CANDIDATE_FAILED;
    if (checks && check_results(&request, bound)) return TERN_CANDIDATE_WRONG;
    return TERN_CANDIDATE_READY;
}

/* In this process, in the context that all share: what was tried apart runs here, too. */
static void try_here(Tune *tune, Entry *entry, bool checks) {
    Buf complaints = {.arena = tune->cli->arena};
    buf_puts(&complaints, "");
    entry->cli.complaints = &complaints;
    bound_share(&entry->bound, &entry->cli, &tune->base);
    entry->is_open = true;
    entry->state = tune_try_one(tune, entry, checks);
    entry->cli.complaints = NULL;
    if (entry->state != TERN_CANDIDATE_READY)
        entry->words = tune_words(tune->cli->arena, complaints.data);
}

int tune_try(Tune *tune) {
    bool on_host = tern_device_property(tern_device_name(tune->base.context), TERN_DEVICE_ON_HOST);
    if (on_host) tune_try_apart(tune);
    for (int i = 0; i < tune->entries.count; i++) {
        Entry *entry = &tune->entries.data[i];
        if (!entry->is_wanted) continue;
        entry->is_wanted = false;
        if (!on_host) tune_apart_take(tune, entry);
        if (measure_interrupted())
            return cli_fail(tune->cli, EXIT_SYSTEM, "interrupted before the race");
        bool is_tried = entry->state != TERN_CANDIDATE_WAITS;
        if (!is_tried)
            progress_say(&tune->progress, "%d of %d: %s", i + 1, tune->entries.count, entry->name);
        if (!is_tried || entry->state == TERN_CANDIDATE_READY) try_here(tune, entry, !is_tried);
    }
    tune_apart_close(tune);
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

static bool is_first(const Tune *tune, int index) {
    const Entry *entry = &tune->entries.data[index];
    return entry->state == TERN_CANDIDATE_READY && entry->is_open && entry->group == index;
}

void tune_group(Tune *tune) {
    Entry *entries = tune->entries.data;
    for (int i = 0; i < tune->entries.count; i++)
        for (int k = 0; k < i && is_first(tune, i); k++)
            if (is_first(tune, k) && !difference(tune->cli->arena, &entries[i], &entries[k]))
                entries[i].group = k;
    for (int i = 0; i < tune->entries.count; i++)
        entries[i].group = entries[entries[i].group].group;
}

static void disagrees(const Tune *tune, Entry *entry, int most, int num_most, int num_groups) {
    Arena *arena = tune->cli->arena;
    entry->state = TERN_CANDIDATE_WRONG;
    if (most < 0) {
        entry->words = str_format(arena,
                                  "one of %d different results, and no majority: --check "
                                  "NAME=VALUE says which is right",
                                  num_groups)
                           .data;
        return;
    }
    const char *words =
        difference(arena, &tune->entries.data[entry->group], &tune->entries.data[most]);
    entry->words =
        str_format(arena, "not as %d others%s%s", num_most, words ? ": " : "", words ? words : "")
            .data;
}

/* With --check NAME=VALUE each was compared with what is right already. */
void tune_agree(Tune *tune) {
    int count = tune->entries.count, most = -1, num_most = 0, num_groups = 0;
    int *members = arena_array(tune->cli->arena, int, count);
    const char *text;
    for (int i = 0; (text = option_nth(tune->cli, "check", i)); i++)
        if (strcmp(text, "interp") != 0) return;
    for (int i = 0; i < count; i++)
        if (tune->entries.data[i].state == TERN_CANDIDATE_READY)
            members[tune->entries.data[i].group]++;
    for (int i = 0; i < count; i++) {
        num_groups += members[i] > 0;
        if (members[i] == num_most) most = -1; /* no majority so far */
        if (members[i] > num_most) most = i, num_most = members[i];
    }
    for (int i = 0; i < count && num_groups > 1; i++) {
        Entry *entry = &tune->entries.data[i];
        if (entry->state == TERN_CANDIDATE_READY && entry->group != most)
            disagrees(tune, entry, most, num_most, num_groups);
    }
}
