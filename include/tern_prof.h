// SPDX-License-Identifier: Apache-2.0
/* tern_prof: watching the calls of a context, and profiles. A part of tern.h, which includes it. */
#ifndef TERN_PROF_PUBLIC_H
#define TERN_PROF_PUBLIC_H

#include "tern.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- watching calls ----
 *
 * An observer is told when a call of the context begins and ends, on the thread that makes it: what
 * tern_profile_start records. It may record events, and nothing else, on the context. */

typedef enum tern_call_kind {
    TERN_CALL_RANGE,  /* between tern_range_push and tern_range_pop; nests */
    TERN_CALL_OP,     /* the same of tern_op_push */
    TERN_CALL_LAUNCH, /* of a kernel; on host devices it runs meanwhile */
    TERN_CALL_GRAPH,  /* tern_graph_launch */
    TERN_CALL_WRITE,  /* the host's memory to the device's */
    TERN_CALL_READ,   /* and back */
    TERN_CALL_FILL,
    TERN_CALL_WAIT,    /* the host waits for the device, and that is all */
    TERN_CALL_COMPILE, /* tern_compile */
    TERN_CALL_DRIVER,  /* of CUDA's driver or runtime: profiles have them, observers do not */
} tern_call_kind;
typedef struct tern_input { /* of an op; a number has rank 0 */
    int rank;
    const int64_t *sizes;
} tern_input;
typedef struct tern_call {
    tern_call_kind kind;
    const char *name; /* of the range, of the kernel launched; else the function: "tern_read" */
    tern_stream *stream;
    size_t bytes;                   /* copied or filled */
    uint32_t grid[3];               /* LAUNCH */
    bool waits;                     /* it returns when its work is done, not when it is enqueued */
    const tern_kernel *kernel;      /* LAUNCH: with what tern_launch was given, not checked yet */
    const tern_argument *arguments; /* only when it begins; so are inputs */
    int num_arguments;
    const tern_input *inputs; /* OP */
    int num_inputs;
} tern_call;
typedef void tern_observer(void *user, const tern_call *call, bool begins);
/* One at a time; NULL: none. False: the context has one already, which stays. */
TERN_API bool tern_observe(tern_context *context, tern_observer *observer, void *user);

/* Marks what the host does between the two, for whoever observes; nothing when nobody does. */
TERN_API void tern_range_push(tern_context *context, const char *name);
TERN_API void tern_range_pop(tern_context *context);
/* The same from where it stands to the end of its block, however that is left (GCC, Clang):
 *     { TERN_RANGE(context, "forward"); .. } */
#define TERN_RANGE(context, name)                                                                  \
    __attribute__((cleanup(tern_range_leave), unused)) tern_context *TERN_RANGE_AT(__COUNTER__) =  \
        tern_range_enter(context, name)
#define TERN_RANGE_AT(count)       TERN_RANGE_JOIN(tern_range_, count)
#define TERN_RANGE_JOIN(one, more) one##more
static inline __attribute__((always_inline)) tern_context *tern_range_enter(tern_context *context,
                                                                            const char *name) {
    tern_range_push(context, name);
    return context;
}
static inline void tern_range_leave(tern_context **context) { tern_range_pop(*context); }
/* A range of what computes something of tensors, whose shapes reports show. The ops of
 * tern_tensor.h do it by themselves. Ended by tern_range_pop. */
TERN_API void tern_op_push(tern_context *context, const char *name, const tern_input *inputs,
                           int num_inputs);

/* ---- profiles ----
 *
 * Where the time goes: ranges, calls and kernels of a context between start and stop. On cuda
 * CUPTI records kernels, copies and calls of the driver, of all of the process; where it is not
 * here, or refuses, kernels and copies are timed by events around them, and reports say why.
 * Elsewhere a launch is host time. Recording a range takes tens of nanoseconds, measured and said
 * in each report. */

typedef struct tern_profile tern_profile;
typedef struct tern_profile_options {
    size_t size;
    size_t max_events; /* 0: 1,000,000; what comes after is counted, not kept */
    bool shapes; /* keep those of ops' inputs, and of launches how many elements buffers have */
    /* A schedule, as torch.profiler's: of the steps that tern_profile_step ends, `wait` are not
     * watched, `warmup` are watched and forgotten, `active` are kept; then on_ready is called and
     * may make reports, and all begins again, `repeat` times (0: until the stop). active 0: no
     * schedule, all is kept. */
    int wait, warmup, active, repeat;
    void (*on_ready)(void *user, tern_profile *profile);
    void *user;
    bool by_events; /* cuda: not by CUPTI, even where it is */
    bool
        frames; /* keep from which C functions ranges, ops and calls were made: microseconds each */
    /* With frames, of a program that is interpreted: functions of its own, instead of those of C.
     * Fills `names`, from the innermost, at most `most`: "train (train.py:41)"; they are copied.
     * Returns how many. Given `user`. */
    int (*stack)(void *user, const char **names, int most);
} tern_profile_options;

/* NULL: tern_message says why (another observer, no memory). */
TERN_API tern_profile *tern_profile_start(tern_context *context,
                                          const tern_profile_options *options);
/* Who interprets a program says so: a profile of the context from outside (tern prof --frames
 * -- PROGRAM) that is running keeps what `stack` says, as tern_profile_options has it, in the place
 * of C functions. NULL: no longer. */
TERN_API void tern_interprets(tern_context *context,
                              int (*stack)(void *user, const char **names, int most), void *user);

/* Waits for the device and reads the times. A range that is still open ends here. Before
 * tern_close. With a schedule: reports are of the active steps that came last. */
TERN_API tern_status tern_profile_stop(tern_profile *profile);
/* A step ends and the next one begins. A range is kept where it begins and ends in kept steps of
 * one cycle. These steps are ranges "ProfilerStep*". Where the last one ends it waits. */
TERN_API tern_status tern_profile_step(tern_profile *profile);
TERN_API void tern_profile_free(tern_profile *profile); /* stops it; NULL is allowed */

typedef enum tern_table_style {
    TERN_TABLE_OWN,   /* 100 columns, kernels below the calls that launched them */
    TERN_TABLE_TORCH, /* the text of torch.profiler's key_averages().table(..) */
    TERN_TABLE_CSV,   /* nanoseconds, all rows */
} tern_table_style;
typedef enum tern_time_unit {
    TERN_TIME_AUTO, /* the one that fits */
    TERN_TIME_S,
    TERN_TIME_MS,
    TERN_TIME_US,
} tern_time_unit;
typedef struct tern_table_options {
    size_t size;
    tern_table_style style;
    /* Descending: "self_cpu_time_total", "cpu_time_total", "cpu_time", "self_cuda_time_total",
     * "cuda_time_total", "cuda_time", "count"; NULL: in order of first appearance, own: the time */
    const char *sort_by;
    int row_limit;             /* 0: 100; -1: all */
    int max_name_column_width; /* torch; 0: 55; -1: no limit */
    bool group_by_shape;       /* a row for each name and shapes: tern_profile_options.shapes */
    /* A row for each name and so many of the ranges, ops and calls around it, from the innermost;
     * torch prints them as "Source Location". */
    int group_by_stack;
    tern_time_unit time_unit; /* torch */
    bool top_level_only;      /* torch: rows of what was first seen inside of nothing else */
} tern_table_options;
/* The caller's: tern_free. NULL: the profile is not stopped, or has no such column, or no
 * memory. */
TERN_API char *tern_profile_table(const tern_profile *profile, const tern_table_options *options);

typedef enum tern_profile_format {
    TERN_PROFILE_CHROME,     /* trace events in JSON: chrome://tracing, ui.perfetto.dev */
    TERN_PROFILE_SPEEDSCOPE, /* JSON of speedscope.app */
    TERN_PROFILE_FOLDED,     /* "root;child;leaf NANOSECONDS" a line, for flame graphs */
    TERN_PROFILE_FLAME,      /* a flame graph: SVG, with zoom and search */
    TERN_PROFILE_JSONL,      /* an event a line */
    TERN_PROFILE_HTML,       /* one page: table, calls, timeline, flame graph; fetches nothing */
} tern_profile_format;
/* From now on flame graphs of this profile, also in its page, are coloured by the difference to an
 * earlier one, whose TERN_PROFILE_FOLDED the file is: red where more time is spent, blue where
 * less. tern_message says what is wrong with it. */
TERN_API tern_status tern_profile_before(tern_profile *profile, const char *folded_path);
/* Writes to a temporary name, then renames. A path that ends in ".gz" is compressed, through
 * libz.so.1; TERN_ERROR_UNSUPPORTED: there is none. TERN_ERROR_SYSTEM: tern_message says why. */
TERN_API tern_status tern_profile_save(tern_profile *profile, tern_profile_format format,
                                       const char *path);

#ifdef __cplusplus
}
#endif
#endif
