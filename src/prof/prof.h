// SPDX-License-Identifier: Apache-2.0
/* prof: profiles: record.c fills a list of events, the others turn it into reports.
 *
 * An event is an interval of one host thread or of the device. Which event is inside which is not
 * recorded but made of the intervals when recording ends (tree.c), so that reports of events from
 * elsewhere come out alike. */
#ifndef TERN_PROF_H
#define TERN_PROF_H

#include "base/source.h"
#include "tern.h"

#include <pthread.h>

typedef struct ProfEvent {
    const char *name;
    int64_t start_ns, end_ns; /* from the start of the profile */
    int64_t thread;           /* of the host; on the device: the stream's number */
    int parent;               /* the host event that it is directly inside of; device: that
                                 enqueued it; -1: none */
    tern_call_kind kind;
    bool on_device, waits, is_merged; /* is_merged: counts as its parent, see tree.c */
    size_t bytes;
    uint32_t grid[3];
    /* Of the subtree, filled by tree.c. */
    int64_t self_ns, device_self_ns, device_total_ns;
    int row; /* of prof_rows */
} ProfEvent;

typedef VEC(int) Ints;

enum { PROF_RECENT_NAMES = 64 };
enum { PROF_MAX_DEPTH = 1000 }; /* of events in events; deeper ones are counted as dropped */

/* One row of a table: events of a name, on one side. */
typedef struct ProfRow {
    const char *name;
    bool on_device;
    int64_t count, cpu_ns, cpu_self_ns, device_ns, device_self_ns;
    int number;    /* in order of first appearance */
    bool is_own;   /* on the device, and no call of the host is known to have enqueued it */
    Ints launched; /* numbers of the rows of the kernels that these events enqueued */
} ProfRow;

typedef VEC(ProfRow) ProfRows;

typedef struct ProfStream {
    const tern_stream *stream; /* NULL: the context's own */
    int64_t end_ns;            /* of the last work that was seen on it */
} ProfStream;

struct tern_profile {
    Arena *arena;
    jmp_buf no_memory;
    tern_context *context;
    bool is_running, out_of_memory, has_device; /* has_device: device events were timed */
    const char *device;                         /* its description */
    ProfEvent *events;                          /* malloc: it grows while calls are timed */
    int num_events, capacity, max_events;
    int64_t num_dropped, num_unbalanced;
    Ints open; /* ranges and calls that have begun */
    Map names;
    const char *recent_names[PROF_RECENT_NAMES]; /* of names, by where the caller's text lay */
    pthread_t thread;                            /* that called last */
    int64_t thread_number;
    int64_t begin_ns, end_ns;   /* of the monotonic clock */
    double range_ns;            /* what recording an empty range takes */
    struct ProfTiming *timings; /* cuda: events around device work */
    int num_timings, timings_capacity;
    VEC(ProfStream) streams;
    tern_event *anchor; /* recorded at anchor_ns */
    int64_t anchor_ns;
};

/* ---- tree.c ---- */

/* Sets parents and times of all events. As torch.autograd's EventList: by thread and start; an
 * interval that only partly overlaps has no parent; a child of its parent's name that is its only
 * one is merged into it. */
void prof_tree(Arena *arena, ProfEvent *events, int count);

/* ---- table.c ---- */

/* By name, in order of first appearance; sets the events' rows. */
ProfRows prof_rows(Arena *arena, ProfEvent *events, int count);
/* Descending, equal rows in order of number; false: there is no such column. */
bool prof_sort(Arena *arena, ProfRows *rows, const char *sort_by);
void prof_table_torch(Buf *out, const ProfRows *rows, int row_limit, int max_name_width);
void prof_table_csv(Buf *out, const ProfRows *rows);
void prof_table_own(Buf *out, const tern_profile *profile, const ProfRows *rows, int row_limit);

/* ---- trace.c, stacks.c, flame.c ---- */
void prof_chrome(Buf *out, const tern_profile *profile);
void prof_jsonl(Buf *out, const tern_profile *profile);
void prof_speedscope(Buf *out, const tern_profile *profile);
void prof_folded(Buf *out, const tern_profile *profile);
void prof_flame(Buf *out, const tern_profile *profile);

#endif
