// SPDX-License-Identifier: Apache-2.0
/* measure: one point of a benchmark: bind, compile, launch once, look at the results, time, divide.
 * What cannot be trusted is said; what is wrong is not timed. */
#ifndef TERN_CLI_MEASURE_H
#define TERN_CLI_MEASURE_H

#include "cli/bind.h"

typedef struct MeasureRequest {
    const char *device, *operand;
    int num_variables;
    PointVariable *variables;
    double rep_ms, warmup_ms;
    bool hot, cold_fill, cold_read, cold_flush, allow_slow, use_peak;
    bool counts;      /* hardware counters, where there are some */
    int again;        /* timed and counted so often more, see Measured */
    bool keeps_peaks; /* they were measured again already, because a result beat them */
} MeasureRequest;

typedef enum Evidence {
    EVIDENCE_NONE,
    EVIDENCE_COUNTED,
    EVIDENCE_AT_MOST,
    EVIDENCE_DECLARED
} Evidence;

typedef struct MeasuredAgain {
    double median_ms, floor_ms, launch_floor_ms;
    bool has_hardware;
    tern_hardware hardware;
} MeasuredAgain;

typedef struct Measured {
    int exit_code;     /* EXIT_OK: all below holds */
    const char *words; /* else why not */
    char device[32], description[256], kernel[128];
    char host[64]; /* of another rank: its machine; else empty */
    uint32_t grid[3];
    tern_timing timing; /* samples: tern_timing_free */
    Str choice;         /* what was compiled: signature, warps, stages */
    double bytes, flops;
    Evidence bytes_by, flops_by;
    bool on_tensor;     /* the operations, or most of them, are products on tensor cores */
    double tensor_rate; /* of the fastest kind of them, see published.h; 0: not known */
    tern_peaks peaks;   /* all 0: not known */
    bool peaks_again;   /* the result beat them, and they were measured again */
    double share;       /* of the nearest ceiling; 0: not known */
    const char *ceiling;
    bool has_hardware;      /* below it what the device counted of one launch */
    tern_hardware hardware; /* where request->counts */
    MeasuredAgain *again;   /* request->again of them */
    Str not_counted;        /* what it did not, and why */
    Str trust;  /* what was done and what speaks against it: "cold .. · outputs written" */
    Str doubts; /* only what speaks against it; empty: nothing */
} Measured;

/* Text goes to `arena`. */
void measure_point(const Cli *cli, Arena *arena, const MeasureRequest *request, Measured *measured);

/* The same in a process of its own, so that a kernel that crashes ends its point alone. Not for
 * cuda, which does not live on in a fork. */
void measure_point_apart(const Cli *cli, Arena *arena, const MeasureRequest *request,
                         Measured *measured);

/* What one process has measured for another, as parcel.h has it. */
void measured_put(Buf *out, const Measured *measured);
bool measured_take(Arena *arena, Str *rest, Measured *measured); /* false: damaged */
/* device empty: nobody knows on which. */
void measured_failed(Arena *arena, Measured *measured, int code, const char *device,
                     const char *words);

/* Ctrl-C, or SIGTERM: the first ends what runs at its next call, the second the process. */
void measure_catch_interrupt(void);
bool measure_interrupted(void);

#endif
