// SPDX-License-Identifier: Apache-2.0
/* stacks: folded stacks and speedscope's JSON. */
#include "prof/prof.h"

#include <stdlib.h>

/* ---- folded: "root;child;leaf NANOSECONDS", equal stacks once ---- */

static void put_word(Buf *out, const char *word) {
    for (const char *c = word; *c; c++)
        buf_putc(out, (unsigned char)*c <= ' ' || *c == ';' ? '_' : *c);
}

void prof_put_step(Buf *out, ProfStep step) {
    put_word(out, step.name);
    if (step.on_device) buf_puts(out, "_[device]");
}

/* The C functions between an event and the one that it is inside of, from the outermost. Both are
 * of one thread, so that what they share is the outermost ones; a function's line may differ. */
static void add_functions(Arena *arena, ProfPath *path, const ProfEvent *event,
                          const ProfEvent *in) {
    const ProfFrames *frames = event->on_device ? NULL : event->frames;
    int known = in && in->frames ? in->frames->count : 0;
    for (int i = frames ? frames->count - 1 - known : -1; i >= 0; i--)
        vec_push(arena, path, ((ProfStep){frames->names[i], false}));
}

static void add_steps(Arena *arena, ProfPath *path, const ProfEvent *events, int at) {
    const ProfEvent *in = events[at].parent >= 0 ? &events[events[at].parent] : NULL;
    if (in) add_steps(arena, path, events, events[at].parent);
    add_functions(arena, path, &events[at], in);
    vec_push(arena, path, ((ProfStep){events[at].name, events[at].on_device}));
}

void prof_path(Arena *arena, ProfPath *path, const ProfEvent *events, int at) {
    path->count = 0;
    add_steps(arena, path, events, at);
}

static void put_path(Buf *out, const ProfPath *path) {
    for (int i = 0; i < path->count; i++) {
        if (i) buf_putc(out, ';');
        prof_put_step(out, path->data[i]);
    }
}

typedef struct Folded {
    const char *stack;
    int64_t ns;
} Folded;

static int by_stack(const void *left, const void *right) {
    return strcmp(((const Folded *)left)->stack, ((const Folded *)right)->stack);
}

void prof_folded(ProfFile *file, const tern_profile *profile) {
    Buf *out = &file->text, stack = {.arena = profile->scratch};
    ProfPath path = {0};
    VEC(Folded) stacks = {0};
    Map found = {.arena = profile->scratch};
    buf_puts(out, "");
    for (int i = 0; i < profile->num_events; i++) {
        const ProfEvent *event = &profile->events[i];
        int64_t ns = event->on_device ? event->device_self_ns : event->self_ns;
        if (event->is_merged || ns <= 0) continue;
        stack.length = 0;
        prof_path(profile->scratch, &path, profile->events, i);
        put_path(&stack, &path);
        intptr_t known = (intptr_t)map_get(&found, buf_str(&stack));
        if (known) {
            stacks.data[known - 1].ns += ns;
            continue;
        }
        Str kept = str_copy(profile->scratch, buf_str(&stack));
        vec_push(profile->scratch, &stacks, (Folded){kept.data, ns});
        map_set(&found, kept, (void *)(intptr_t)stacks.count);
    }
    if (stacks.count) qsort(stacks.data, (size_t)stacks.count, sizeof *stacks.data, by_stack);
    for (int i = 0; i < stacks.count; i++) {
        buf_puts(out, stacks.data[i].stack);
        buf_printf(out, " %lld\n", (long long)stacks.data[i].ns);
        prof_drain(file);
    }
}

/* ---- speedscope ---- */

typedef struct Step { /* of one track: an event begins or ends */
    int event, depth;
    int64_t at;
    bool opens;
} Step;

/* By time; of what happens at one time, ends come first, inner ones before outer ones, and outer
 * ones begin before inner ones. */
static int by_time(const void *left, const void *right) {
    const Step *a = left, *b = right;
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    if (a->event == b->event) return a->opens ? -1 : 1;
    if (a->opens != b->opens) return a->opens ? 1 : -1;
    int inner = a->opens ? a->depth - b->depth : b->depth - a->depth;
    return inner ? inner : a->opens ? a->event - b->event : b->event - a->event;
}

static void put_track(ProfFile *file, const tern_profile *profile, const ProfTrack *track) {
    Buf *out = &file->text;
    VEC(Step) steps = {0};
    int64_t latest = 0;
    for (int i = 0; i < track->events.count; i++) {
        int at = track->events.data[i];
        const ProfEvent *event = &profile->events[at];
        int depth = prof_depth(profile->events, at);
        int64_t from = event->start_ns < latest && event->on_device ? latest : event->start_ns;
        int64_t to = event->end_ns < from ? from : event->end_ns;
        if (event->on_device) latest = to;
        vec_push(profile->scratch, &steps, (Step){at, depth, from, true});
        vec_push(profile->scratch, &steps, (Step){at, depth, to, false});
    }
    qsort(steps.data, (size_t)steps.count, sizeof *steps.data, by_time);
    buf_printf(out,
               "{\"type\":\"evented\",\"name\":\"%s\",\"unit\":\"nanoseconds\",\"startValue\":%lld,"
               "\"endValue\":%lld,\"events\":[",
               prof_track_name(profile, track).data, (long long)steps.data[0].at,
               (long long)steps.data[steps.count - 1].at);
    for (int i = 0; i < steps.count; i++) {
        buf_printf(out, "%s{\"type\":\"%s\",\"frame\":%d,\"at\":%lld}", i ? "," : "",
                   steps.data[i].opens ? "O" : "C", profile->events[steps.data[i].event].row,
                   (long long)steps.data[i].at);
        prof_drain(file);
    }
    buf_puts(out, "]}");
}

void prof_speedscope(ProfFile *file, const tern_profile *profile) {
    Buf *out = &file->text;
    ProfRows rows =
        prof_rows(profile->scratch, profile->events, profile->num_events, (ProfGrouping){false, 0});
    ProfTracks tracks = prof_tracks(profile->scratch, profile->events, profile->num_events);
    buf_puts(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                  "\"exporter\":\"tern\",\"shared\":{\"frames\":[");
    for (int i = 0; i < rows.count; i++) {
        buf_puts(out, i ? ",{\"name\":" : "{\"name\":");
        buf_json(out, str_of(rows.data[i].name));
        buf_putc(out, '}');
    }
    buf_puts(out, "]},\"profiles\":[");
    for (int i = 0; i < tracks.count; i++) {
        if (i) buf_puts(out, ",\n");
        put_track(file, profile, &tracks.data[i]);
    }
    buf_puts(out, "]}\n");
}
