// SPDX-License-Identifier: Apache-2.0
/* prof: profiles: record.c keeps marks, profile.c makes them a list of events, the others turn that
 * into reports.
 *
 * An event is an interval of one host thread or of the device. Which event is inside which is not
 * recorded but made of the intervals when recording ends (tree.c), so that reports of events from
 * elsewhere come out alike. */
#ifndef TERN_PROF_H
#define TERN_PROF_H

#include "base/source.h"
#include "prof/cupti.h"
#include "tern.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

typedef struct ProfKernel { /* of a launch on the device */
    uint32_t block[3];
    int registers, shared_bytes, local_bytes; /* registers, local_bytes: of a thread */
} ProfKernel;

enum { PROF_MOST_FRAMES = 64 }; /* of a stack, from the innermost */
typedef struct ProfFrames {     /* functions, see frames.c */
    struct ProfFrames *next;
    void **at; /* return addresses */
    int num_at, count;
    const char **names; /* from the caller of tern's function on; NULL: not looked up yet */
} ProfFrames;

typedef struct ProfEvent {
    const char *name;
    int64_t start_ns, end_ns; /* from the start of the profile */
    int64_t thread;           /* of the host; on the device: which of the profile's streams */
    int parent;               /* the host event that it is directly inside of; device: that
                                 enqueued it; -1: none */
    int caller; /* device: the call that enqueued it, the driver's where it is known; -1: none */
    tern_call_kind kind;
    int64_t enqueued_ns; /* device: when the call that enqueued it began; INT64_MAX: not known */
    bool on_device, waits, is_merged; /* is_merged: counts as its parent, see tree.c */
    bool is_caller;                   /* of work of the device */
    size_t bytes;
    uint32_t grid[3];
    const ProfKernel *kernel; /* NULL: not known */
    const char *shapes;       /* of what it was given: "[[2, 3], []]"; NULL: not known */
    const ProfFrames *frames; /* NULL: not recorded */
    /* Of the subtree, filled by tree.c. */
    int64_t self_ns, device_self_ns, device_total_ns;
    int row; /* of prof_rows */
} ProfEvent;

typedef VEC(int) Ints;

enum { PROF_RECENT_NAMES = 64 };
enum { PROF_MARKS_AT_START = 1000000 }; /* 32 MB that are there before anything is recorded */
enum { PROF_MAX_DEPTH = 1000 };         /* of events in events; deeper ones are counted */

/* One row of a table: events of a name, on one side; of equal shapes or stacks, where so asked. */
typedef struct ProfRow {
    const char *name, *shapes; /* shapes: NULL also where rows are not by shape */
    bool on_device, is_top;    /* is_top: the first one is inside of no other */
    int64_t count, cpu_ns, cpu_self_ns, device_ns, device_self_ns;
    int number;  /* in order of first appearance */
    bool is_own; /* on the device, and no call of the host is known to have enqueued it */
    VEC(const char *) stack; /* names of what it is inside of, from the innermost */
    Ints launched;           /* numbers of the rows of the kernels that these events enqueued */
} ProfRow;

typedef VEC(ProfRow) ProfRows;

typedef struct ProfStream {
    const tern_stream *stream; /* by events; NULL: the context's own */
    uint32_t device, id;       /* CUPTI's; by events: in order of use */
    int lane;                  /* of work that ran at once, from 0 */
    int64_t end_ns;            /* of the last work that was seen on it */
} ProfStream;

/* By CUpti_ActivityOverheadKind, in its order. */
enum { PROF_OVERHEADS = 9, PROF_MODULE_LOADING = 4, PROF_LAZY_LOADING, PROF_QUEUE_FULL };
typedef struct ProfOverhead {
    int64_t count, ns;
} ProfOverhead;

/* ---- what is recorded, before it is events ---- */

typedef struct ProfClock {
    bool by_counter; /* ticks are the processor's counter; else nanoseconds */
    int64_t first_ticks, first_ns;
    double ns_per_tick;
} ProfClock;

static inline int64_t prof_ticks(const ProfClock *clock) {
#if defined(__x86_64__)
    if (clock->by_counter) return (int64_t)__rdtsc();
#endif
    (void)clock;
    return clock_ns();
}

typedef struct ProfMark {
    int64_t start, end; /* ticks */
    const char *name;
    int32_t detail; /* of the profile's details; -1: a range, which has none */
    int32_t thread;
} ProfMark;

typedef struct ProfDetail { /* see tern_call */
    tern_call_kind kind;
    bool waits;
    size_t bytes;
    uint32_t grid[3];
    const char *shapes;
    ProfFrames *frames;
    int mark; /* its number */
} ProfDetail;

typedef struct ProfPieces { /* of memory: it grows, and nothing in it moves */
    void **at;
    int count;
} ProfPieces;

typedef struct ProfThread {
    struct ProfThread *next;
    int64_t id;
    int depth; /* of ranges and calls that have begun, also of those too deep to be kept */
    ProfMark *open[PROF_MAX_DEPTH]; /* NULL: not kept */
} ProfThread;

typedef struct ProfName {
    const char *given, *clean; /* as the caller has it, as reports may */
} ProfName;

typedef struct ProfRecent {
    char start[16]; /* of the given one, with its end if that comes before */
    unsigned mask;  /* a bit for each character of the start that is the name's */
    ProfName name;
} ProfRecent;

typedef enum ProfPhase { PROF_WAIT, PROF_WARMUP, PROF_ACTIVE } ProfPhase;

struct tern_profile {
    Arena *arena;   /* names, shapes, what is open */
    Arena *scratch; /* of one window and its reports */
    jmp_buf no_memory;
    tern_context *context;
    tern_profile_options options;
    ProfPhase phase;
    int64_t step, step_ticks; /* that runs, and when it began */
    bool is_running, is_watching;
    bool is_ready;                  /* the events are all there, with their tree */
    bool out_of_memory, has_device; /* has_device: device events were timed */
    const char *device;             /* its description */
    ProfEvent *events;              /* malloc: it grows while calls are timed */
    int num_events, capacity;
    int64_t num_dropped, num_unbalanced;
    int64_t num_deep, num_untimed; /* inside of too many; without a time of the device */
    ProfClock clock;
    ProfPieces marks, details;
    int piece;                       /* of the marks: the last that is in use; -1: none is */
    ProfMark *next_mark, *marks_end; /* of that piece: what there is room for */
    ProfMark *quick_end;             /* the same; NULL: marks are no mere readings of the counter */
    int64_t memory_ns;               /* that getting memory took meanwhile */
    int64_t num_framed, num_timed, frames_ns; /* functions were found so often; of those that were
                                                 timed, what it took */
    int64_t asking_ns;                        /* what asking for a thread's time takes */
    bool is_trial;                            /* none are found */
    int num_details;
    ProfThread *threads, *last_thread;
    Map names, shapes, stacks; /* names: given -> ProfName; stacks: addresses -> ProfFrames */
    ProfFrames *all_stacks;    /* the newest first */
    bool frames_by_address;    /* nobody was here who knows their names */
    Buf shape_key;
    ProfRecent recent_names[PROF_RECENT_NAMES]; /* by where the caller's text lay */
    int64_t begin_ns, end_ns;                   /* of the monotonic clock */
    double range_ns, call_ns;   /* an empty range's cost, an op's, but for memory, C functions */
    double launch_ns;           /* a launch's; negative: not measured */
    struct ProfTiming *timings; /* cuda: events around device work */
    int num_timings, timings_capacity;
    VEC(ProfStream) streams;
    bool of_process;    /* by CUPTI, whatever the context's device; it makes no calls */
    tern_event *anchor; /* recorded at anchor_ns; NULL: CUPTI times, or the host itself */
    int64_t anchor_ns;
    Cupti cupti;
    char why_events[256]; /* why it is not CUPTI that times; "": it does, or there is no need */
    int64_t num_lost;     /* of its records, at most */
    int64_t early_ns;     /* so much, at most, does work begin before its call: the clocks differ */
    ProfOverhead overheads[PROF_OVERHEADS];
    const struct ProfNode *before; /* flame graphs show the difference to it; NULL: they do not */
};

/* ---- clock.c ---- */
void prof_clock_start(ProfClock *clock);
void prof_clock_stop(ProfClock *clock); /* now ticks are known as nanoseconds */
int64_t prof_clock_ns(const ProfClock *clock, int64_t ticks); /* of the monotonic clock */
static inline int64_t prof_now(const tern_profile *profile) { return prof_ticks(&profile->clock); }

/* ---- record.c ---- */
const char *prof_name(tern_profile *profile, const char *name); /* kept once */
tern_observer prof_observe;
void prof_mark(tern_profile *profile, const char *name, int64_t start, int64_t end); /* ticks */
void prof_marks_reserve(tern_profile *profile); /* before it starts */
void prof_marks_reset(tern_profile *profile);   /* of what is open the begin is no longer known */
void prof_marks_free(tern_profile *profile);
int64_t prof_num_marks(const tern_profile *profile);
void prof_marks_to_events(tern_profile *profile);

/* ---- frames.c ---- */
ProfFrames *prof_frames(tern_profile *profile); /* of the caller; NULL: there are none */
void prof_frames_ready(tern_profile *profile);  /* before they are recorded */
void prof_name_frames(tern_profile *profile);

/* ---- cost.c ---- */
int64_t prof_own_ns(void);                                    /* of this thread */
double prof_measure_range(tern_profile *profile, bool is_op); /* what recorded one takes, in ns */
void prof_measure_launch(tern_profile *profile);       /* if it has any and none was measured */
double prof_range_ns(const tern_profile *profile);     /* of recording one, with all it takes */
double prof_recording_ns(const tern_profile *profile); /* of all that was recorded */

/* ---- profile.c ---- */

/* Of all that CUDA does in this process. NULL: words say why not. */
tern_profile *prof_start_process(tern_context *context, const char *name, char *words, size_t size);

/* -1: there is no room, which is counted. */
int prof_add(tern_profile *profile, const ProfEvent *event);
/* Where events time the device: around the call that is the index-th event. */
void prof_time_begin(tern_profile *profile, const tern_call *call, int index);
void prof_time_end(tern_profile *profile, const tern_call *call, int index);

/* ---- activity.c ---- */
void prof_activity(tern_profile *profile); /* adds what CUPTI recorded */

/* ---- shapes.c ---- */

/* "[[64, 64], []]", kept once; NULL: they are not known. */
const char *prof_shapes(tern_profile *profile, const tern_call *call);

/* ---- tree.c ---- */

/* Sets parents and times of all events. As torch.autograd's EventList: by thread and start; an
 * interval that only partly overlaps has no parent; a child of its parent's name that is its only
 * one is merged into it. */
void prof_tree(Arena *arena, ProfEvent *events, int count);
int prof_depth(const ProfEvent *events, int at); /* how many it is inside of; of the device 0 */

typedef struct ProfTrack { /* a thread of the host, or a stream of the device */
    bool on_device;
    int64_t thread;
    Ints events; /* without the merged ones */
} ProfTrack;
typedef VEC(ProfTrack) ProfTracks;

/* "thread 1234", "stream 7"; what ran on it at once: "stream 7, 2" */
Str prof_track_name(const tern_profile *profile, const ProfTrack *track);
/* In order of first appearance. */
ProfTracks prof_tracks(Arena *arena, const ProfEvent *events, int count);

/* ---- rows.c ---- */

typedef struct ProfGrouping { /* what rows differ by, beside names and sides */
    bool shape;
    int stack; /* so many of the events that it is inside of */
} ProfGrouping;

/* In order of first appearance; sets the events' rows. */
ProfRows prof_rows(Arena *arena, ProfEvent *events, int count, ProfGrouping by);
/* Descending, equal rows in order of number; false: there is no such column. */
bool prof_sort(Arena *arena, ProfRows *rows, const char *sort_by);
double prof_average(int64_t total, int64_t count);
const char *prof_time(char text[32], double ns); /* "1.500ms" */
/* How many characters of UTF-8, and how many bytes the first `most` of them have. */
int prof_characters(const char *text, int most, int *bytes);

/* ---- torch.c ---- */

typedef struct ProfTorch {
    int row_limit, max_name_width; /* max_name_width 0 and below: none */
    tern_time_unit unit;
    bool top_level_only;
} ProfTorch;
void prof_table_torch(Buf *out, const ProfRows *rows, const ProfTorch *options);

/* ---- table.c ---- */
void prof_table_csv(Buf *out, const ProfRows *rows);
void prof_table_own(Buf *out, const tern_profile *profile, const ProfRows *rows, int row_limit);

/* ---- file.c ---- */

/* A text that goes to a file while it is made: a trace may be larger than memory. */
typedef struct ProfFile {
    Buf text; /* what is not written yet */
    int file; /* -1: nothing is, all stays in text */
    struct ProfGzip *gzip;
    bool failed;
    int error; /* of the system, the first; 0: there was none, or it is not known */
} ProfFile;
void prof_drain(ProfFile *file); /* between events: writes when there is enough */

/* ---- findings.c ---- */
typedef struct ProfFinding { /* what costs time and need not */
    int64_t ns;
    const char *words;
} ProfFinding;
typedef VEC(ProfFinding) ProfFindings;
ProfFindings prof_findings(const tern_profile *profile); /* the costliest first */

/* ---- trace.c, stacks.c, flame.c, html.c ---- */
void prof_chrome(ProfFile *file, const tern_profile *profile);
void prof_jsonl(ProfFile *file, const tern_profile *profile);
void prof_speedscope(ProfFile *file, const tern_profile *profile);
void prof_folded(ProfFile *file, const tern_profile *profile);
void prof_flame(ProfFile *file, const tern_profile *profile);
typedef struct ProfStep { /* of a stack: an event, or a function that it was made from */
    const char *name;
    bool on_device;
} ProfStep;
typedef VEC(ProfStep) ProfPath;
/* What an event is inside of, from the outermost, and itself. */
void prof_path(Arena *arena, ProfPath *path, const ProfEvent *events, int at);
void prof_put_step(Buf *out, ProfStep step);                      /* as folded stacks have it */
void prof_flame_svg(ProfFile *file, const tern_profile *profile); /* a part of a page */
void prof_html(ProfFile *file, const tern_profile *profile);
/* Writes under another name first. TERN_ERROR_SYSTEM: tern_message says why. */
tern_status prof_save(tern_profile *profile, const char *path,
                      void (*make)(ProfFile *, const tern_profile *));

#endif
