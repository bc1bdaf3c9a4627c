// SPDX-License-Identifier: Apache-2.0
/* stacks: folded stacks and speedscope's JSON. */
#include "prof/prof.h"

#include <stdlib.h>

/* ---- folded: "root;child;leaf NANOSECONDS", equal stacks once ---- */

static void put_frames(Buf *out, const ProfEvent *events, int at) {
    if (events[at].parent >= 0) {
        put_frames(out, events, events[at].parent);
        buf_putc(out, ';');
    }
    for (const char *c = events[at].name; *c; c++)
        buf_putc(out, *c == ' ' || *c == ';' || *c == '\t' || *c == '\n' ? '_' : *c);
    if (events[at].on_device) buf_puts(out, "_[device]");
}

typedef struct Folded {
    const char *stack;
    int64_t ns;
} Folded;

static int by_stack(const void *left, const void *right) {
    return strcmp(((const Folded *)left)->stack, ((const Folded *)right)->stack);
}

void prof_folded(Buf *out, const tern_profile *profile) {
    VEC(Folded) stacks = {0};
    Map found = {.arena = profile->arena};
    buf_puts(out, "");
    for (int i = 0; i < profile->num_events; i++) {
        const ProfEvent *event = &profile->events[i];
        int64_t ns = event->on_device ? event->device_self_ns : event->self_ns;
        if (event->is_merged || ns <= 0) continue;
        Buf stack = {.arena = profile->arena};
        put_frames(&stack, profile->events, i);
        intptr_t known = (intptr_t)map_get(&found, buf_str(&stack));
        if (known) {
            stacks.data[known - 1].ns += ns;
            continue;
        }
        vec_push(profile->arena, &stacks, (Folded){stack.data, ns});
        map_set(&found, buf_str(&stack), (void *)(intptr_t)stacks.count);
    }
    if (stacks.count) qsort(stacks.data, (size_t)stacks.count, sizeof *stacks.data, by_stack);
    for (int i = 0; i < stacks.count; i++)
        buf_printf(out, "%s %lld\n", stacks.data[i].stack, (long long)stacks.data[i].ns);
}

/* ---- speedscope ---- */

typedef struct Step { /* of one track: an event begins or ends */
    int event, depth;
    int64_t at;
    bool opens;
} Step;

static int depth_of(const ProfEvent *events, int at) {
    int depth = 0;
    for (int up = events[at].on_device ? -1 : events[at].parent; up >= 0; up = events[up].parent)
        depth++;
    return depth;
}

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

static void put_track(Buf *out, const tern_profile *profile, int first) {
    const ProfEvent *of = &profile->events[first];
    VEC(Step) steps = {0};
    int64_t latest = 0;
    for (int i = 0; i < profile->num_events; i++) {
        const ProfEvent *event = &profile->events[i];
        if (event->is_merged || event->on_device != of->on_device || event->thread != of->thread)
            continue;
        int depth = depth_of(profile->events, i);
        int64_t from = event->start_ns < latest && event->on_device ? latest : event->start_ns;
        int64_t to = event->end_ns < from ? from : event->end_ns;
        if (event->on_device) latest = to;
        vec_push(profile->arena, &steps, (Step){i, depth, from, true});
        vec_push(profile->arena, &steps, (Step){i, depth, to, false});
    }
    qsort(steps.data, (size_t)steps.count, sizeof *steps.data, by_time);
    buf_printf(
        out,
        "{\"type\":\"evented\",\"name\":\"%s %lld\",\"unit\":\"nanoseconds\",\"startValue\":%lld,"
        "\"endValue\":%lld,\"events\":[",
        of->on_device ? "stream" : "thread", (long long)of->thread, (long long)steps.data[0].at,
        (long long)steps.data[steps.count - 1].at);
    for (int i = 0; i < steps.count; i++)
        buf_printf(out, "%s{\"type\":\"%s\",\"frame\":%d,\"at\":%lld}", i ? "," : "",
                   steps.data[i].opens ? "O" : "C", profile->events[steps.data[i].event].row,
                   (long long)steps.data[i].at);
    buf_puts(out, "]}");
}

static bool is_first_of_track(const tern_profile *profile, int index) {
    const ProfEvent *event = &profile->events[index];
    for (int i = 0; i < index; i++)
        if (!profile->events[i].is_merged && profile->events[i].on_device == event->on_device &&
            profile->events[i].thread == event->thread)
            return false;
    return !event->is_merged;
}

void prof_speedscope(Buf *out, const tern_profile *profile) {
    ProfRows rows = prof_rows(profile->arena, profile->events, profile->num_events);
    const char *comma = "";
    buf_puts(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                  "\"exporter\":\"tern\",\"shared\":{\"frames\":[");
    for (int i = 0; i < rows.count; i++) {
        buf_puts(out, i ? ",{\"name\":" : "{\"name\":");
        buf_json(out, str_of(rows.data[i].name));
        buf_putc(out, '}');
    }
    buf_puts(out, "]},\"profiles\":[");
    for (int i = 0; i < profile->num_events; i++) {
        if (!is_first_of_track(profile, i)) continue;
        buf_puts(out, comma);
        put_track(out, profile, i);
        comma = ",\n";
    }
    buf_puts(out, "]}\n");
}
