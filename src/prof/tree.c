// SPDX-License-Identifier: Apache-2.0
/* tree: which event is inside which, and what each took by itself. */
#include "prof/prof.h"

#include <stdlib.h>

typedef struct Sorted {
    const ProfEvent *event;
    int index;
} Sorted;

static int compare(const void *left, const void *right) {
    const Sorted *a = left, *b = right;
    if (a->event->thread != b->event->thread) return a->event->thread < b->event->thread ? -1 : 1;
    if (a->event->start_ns != b->event->start_ns)
        return a->event->start_ns < b->event->start_ns ? -1 : 1;
    if (a->event->end_ns != b->event->end_ns) return a->event->end_ns > b->event->end_ns ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

static void find_parents(Arena *arena, ProfEvent *events, int count) {
    Sorted *sorted = arena_array(arena, Sorted, count);
    int num_host = 0;
    Ints stack = {0};
    for (int i = 0; i < count; i++)
        if (!events[i].on_device) sorted[num_host++] = (Sorted){&events[i], i};
    qsort(sorted, (size_t)num_host, sizeof *sorted, compare);
    for (int i = 0; i < num_host; i++) {
        ProfEvent *event = &events[sorted[i].index];
        if (i && sorted[i - 1].event->thread != event->thread) stack.count = 0;
        event->parent = -1;
        while (stack.count && event->parent < 0) {
            int top = stack.data[stack.count - 1];
            if (event->start_ns >= events[top].end_ns || event->end_ns > events[top].end_ns)
                stack.count--;
            else
                event->parent = top;
        }
        vec_push(arena, &stack, sorted[i].index);
    }
}

/* In rounds, as the children of what is merged become its parent's. */
static void merge_repeated(Arena *arena, ProfEvent *events, int count) {
    int *children = arena_array(arena, int, count);
    for (bool again = true; again;) {
        again = false;
        memset(children, 0, (size_t)count * sizeof *children);
        for (int i = 0; i < count; i++)
            if (!events[i].on_device && !events[i].is_merged && events[i].parent >= 0)
                children[events[i].parent]++;
        for (int i = 0; i < count; i++) {
            ProfEvent *event = &events[i];
            if (event->on_device || event->is_merged || event->parent < 0) continue;
            if (children[event->parent] != 1 || strcmp(events[event->parent].name, event->name))
                continue;
            event->is_merged = again = true;
        }
        for (int i = 0; i < count; i++)
            while (events[i].parent >= 0 && events[events[i].parent].is_merged)
                events[i].parent = events[events[i].parent].parent;
    }
}

/* What a call of the driver enqueued counts as that of the op, range or call which it is inside
 * of. */
static void pass_on(ProfEvent *events, int count) {
    for (int i = 0; i < count; i++) {
        int call = events[i].on_device ? events[i].parent : -1;
        if (call >= 0 && events[call].kind == TERN_CALL_DRIVER && events[call].parent >= 0)
            events[i].parent = events[call].parent;
    }
}

void prof_tree(Arena *arena, ProfEvent *events, int count) {
    find_parents(arena, events, count);
    merge_repeated(arena, events, count);
    pass_on(events, count);
    for (int i = 0; i < count; i++) {
        ProfEvent *event = &events[i];
        int64_t took = event->end_ns - event->start_ns;
        if (event->is_merged) continue;
        if (event->on_device) {
            event->device_self_ns = event->device_total_ns = took;
            if (event->parent >= 0) events[event->parent].device_self_ns += took;
            for (int up = event->parent; up >= 0; up = events[up].parent)
                events[up].device_total_ns += took;
        } else {
            event->self_ns += took;
            if (event->parent >= 0) events[event->parent].self_ns -= took;
        }
    }
}

/* Parents may come after their children in the list (steps do). */
int prof_depth(const ProfEvent *events, int at) {
    int depth = 0;
    for (int up = events[at].on_device ? -1 : events[at].parent; up >= 0; up = events[up].parent)
        depth++;
    return depth;
}

ProfTracks prof_tracks(Arena *arena, const ProfEvent *events, int count) {
    ProfTracks tracks = {0};
    Map found = {.arena = arena};
    for (int i = 0; i < count; i++) {
        int64_t id[2] = {events[i].thread, events[i].on_device};
        Str key = {(const char *)id, (int)sizeof id};
        if (events[i].is_merged) continue;
        intptr_t known = (intptr_t)map_get(&found, key);
        if (!known) {
            vec_push(arena, &tracks,
                     (ProfTrack){.on_device = events[i].on_device, .thread = events[i].thread});
            known = tracks.count;
            map_set(&found, str_copy(arena, key), (void *)known);
        }
        vec_push(arena, &tracks.data[known - 1].events, i);
    }
    return tracks;
}

Str prof_track_name(const tern_profile *profile, const ProfTrack *track) {
    if (!track->on_device)
        return str_format(profile->scratch, "thread %lld", (long long)track->thread);
    const ProfStream *stream = &profile->streams.data[track->thread];
    if (!stream->lane) return str_format(profile->scratch, "stream %u", stream->id);
    return str_format(profile->scratch, "stream %u, %d", stream->id, stream->lane + 1);
}
