// SPDX-License-Identifier: Apache-2.0
/* sampler: one sample of a callable: make the caches cold, record an event, call, record an event.
 *
 * On a GPU with gates the device is held back from the first event on until the callable has
 * returned, so that neither the host's speed nor a launch's way to the device is in the sample. A
 * callable that waits for the device would then wait for ever: a thread of its own opens the gate
 * after half a second, and the sample says so. */
#ifndef TERN_SAMPLER_H
#define TERN_SAMPLER_H

#include "tern.h"

#include <pthread.h>

typedef struct Watch { /* opens a gate that stays shut for too long */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    tern_gate *gate;
    bool is_running, stop;
    int64_t shut_ns; /* atomic; 0: open */
    bool fired;      /* atomic */
} Watch;

typedef struct Sampler {
    tern_context *context;
    tern_callable *run;
    void *user;
    bool on_gpu; /* not on the host */
    tern_event *start, *end;
    tern_event *clock_before, *clock_after; /* NULL: the clock cannot be read */
    tern_gate *gate;                        /* NULL: none */
    Watch watch;
    tern_buffer *flush;          /* filled, or read; NULL: hot, or lines are flushed */
    tern_buffer *const *flushed; /* host: whose lines are taken out of the caches */
    int num_flushed;
    size_t flush_bytes;
    double cold_ms; /* what making caches cold takes, once */
    bool fills;
    tern_module *module; /* gpu: kernels of the sampler's own */
    tern_kernel *reader, *nothing;
    tern_buffer *sums;
    double cpu_ms;          /* processor time inside the callable, summed */
    volatile unsigned sink; /* keeps the host's reading */
} Sampler;

typedef struct Sample {
    double ms, host_ms;
    double stray_ms;       /* gpu: how long the device went on working after the end */
    double mhz;            /* 0: not known */
    double cpu_ms;         /* host: processor time inside the callable, all threads */
    bool knows_cpu;        /* cpu_ms is what the work took, not only enqueueing it */
    bool gate_opened_late; /* the callable did not return while the gate was shut */
} Sample;

typedef struct SamplerOptions {
    bool cold, fills, gate, clock, floor;
    size_t cold_bytes; /* 0: default */
    tern_buffer *const *flushed;
    int num_flushed;
} SamplerOptions;

/* On failure nothing stays open; the context has the words. */
tern_status sampler_open(Sampler *sampler, tern_context *context, tern_callable *run, void *user,
                         SamplerOptions options);
void sampler_close(Sampler *sampler);

/* Enqueues one recorded run; waits for nothing. Of the sample only what the host saw is filled. */
tern_status sampler_enqueue(Sampler *sampler, tern_event *start, tern_event *end, Sample *sample);
/* One run that is waited for. */
tern_status sampler_take(Sampler *sampler, Sample *sample);
/* The median time of nothing, of an empty kernel (0: there is none here), and of a last wait. */
tern_status sampler_floor(Sampler *sampler, double *floor_ms, double *launch_ms, double *wait_ms);

#endif
