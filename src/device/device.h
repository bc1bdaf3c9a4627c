// SPDX-License-Identifier: Apache-2.0
/* device: what an executor provides. One table of functions for each of interp, cpu, sim, cuda. */
#ifndef TERN_DEVICE_H
#define TERN_DEVICE_H

#include "base/diag.h"
#include "compile/kernel.h"
#include "device/finding.h"
#include "tern.h"

#include <stdatomic.h>

typedef struct Device Device;

/* Words for the user go to `why` (in the device's arena or static); the status says the kind. */
typedef struct DeviceOps {
    const char *name; /* "interp", "cpu", "sim", "cuda" */
    const char *how;  /* to get it, for people */
    /* See tern_device_property. */
    bool on_host, is_fast, checks_accesses;
    /* argument: what follows ':' in the device's name, or NULL */
    tern_status (*open)(Device *device, const char *argument, const tern_open_options *options);
    void (*close)(Device *device);
    tern_status (*alloc)(Device *device, size_t size_bytes, void **pointer); /* aligned to 256 */
    void (*release)(Device *device, void *pointer);
    /* Memory that the host and the device reach by one address, zeros; NULL where that is so of all
     * memory. */
    tern_status (*alloc_shared)(Device *device, size_t size_bytes, void **pointer);
    void (*release_shared)(Device *device, void *pointer);
    /* What alloc may find: now, and in all. */
    tern_status (*memory)(Device *device, size_t *free_bytes, size_t *total_bytes);
    tern_status (*write)(Device *device, void *to, const void *from, size_t bytes);
    tern_status (*read)(Device *device, void *to, const void *from, size_t bytes);
    tern_status (*fill)(Device *device, void *to, unsigned char byte, size_t bytes);
    /* Of memory of alloc: DeviceRange.written, and making it say that nobody wrote some bytes. NULL
     * on devices that do not follow it. */
    unsigned char *(*written)(void *pointer);
    void (*forget)(unsigned char *written, size_t at, size_t bytes);
    /* Makes a compiled kernel callable; *loaded is the device's own. */
    tern_status (*load)(Device *device, const CompiledKernel *kernel, void **loaded);
    void (*unload)(Device *device, void *loaded);
    /* args[i] points at the i-th parameter's value, in its own type (pointers: 8 bytes). */
    tern_status (*launch)(Device *device, void *queue, void *loaded, const uint32_t grid[3],
                          void **args);
    tern_status (*synchronize)(Device *device);

    /* ---- optional: NULL on a device that does its work inside each call, in order ----
     * queue NULL is the device's own queue; it runs in order with all queues of queue_open. */
    tern_status (*queue_open)(Device *device, void **queue);
    void (*queue_close)(Device *device, void *queue); /* waits */
    tern_status (*queue_wait)(Device *device, void *queue);
    void *(*queue_handle)(void *queue); /* the driver's own: CUstream */
    tern_status (*queue_adopt)(Device *device, void *handle,
                               void **queue); /* the caller's CUstream */
    /* Enqueue; host memory must stay until the queue has been waited for. */
    tern_status (*write_async)(Device *device, void *queue, void *to, const void *from,
                               size_t bytes);
    tern_status (*read_async)(Device *device, void *queue, void *to, const void *from,
                              size_t bytes);
    tern_status (*fill_async)(Device *device, void *queue, void *to, unsigned char byte,
                              size_t bytes);
    tern_status (*event_open)(Device *device, void **event);
    void (*event_close)(Device *device, void *event);
    tern_status (*event_record)(Device *device, void *event, void *queue);
    tern_status (*event_wait)(Device *device, void *event);               /* the host waits */
    tern_status (*event_order)(Device *device, void *event, void *queue); /* the queue waits */
    tern_status (*event_elapsed)(Device *device, void *start, void *end, double *nanoseconds);
    /* A gate holds back what is enqueued on a queue after gate_shut until gate_lift, which any
     * thread may call. gate_close waits: lift first. */
    tern_status (*gate_open)(Device *device, void **gate);
    void (*gate_close)(Device *device, void *gate);
    tern_status (*gate_shut)(Device *device, void *gate, void *queue);
    void (*gate_lift)(void *gate);
    /* An event of event_close .. event_elapsed that also reads the device's clock. */
    tern_status (*clock_open)(Device *device, void **event);
    tern_status (*clock_between)(Device *device, void *start, void *end, double *mhz);
    tern_status (*clock_state)(Device *device, tern_clock_state *state);
    /* Between begin and end launches on the queue are recorded, not run. */
    tern_status (*graph_begin)(Device *device, void *queue);
    tern_status (*graph_end)(Device *device, void *queue, void **graph);
    tern_status (*graph_launch)(Device *device, void *graph, void *queue);
    void (*graph_close)(Device *device, void *graph);
    /* What the driver says of a loaded kernel, one "name: value" a line: registers, spills,
     * shared memory, occupancy. In the device's arena. */
    Str (*loaded_facts)(Device *device, void *loaded);
    /* What was counted over the launches of a loaded kernel, text or JSON. Until the next call. */
    Str (*loaded_counters)(Device *device, void *loaded, bool as_json);
    void (*loaded_counted)(Device *device, void *loaded, tern_counted *counted);
    /* Single accesses: how many of a launch to keep, and those of the last one. */
    void (*loaded_record)(void *loaded, int most);
    void (*loaded_accesses)(void *loaded, tern_accesses *accesses);
    /* What launches of a loaded kernel on a watched device were seen to do. */
    const Findings *(*loaded_findings)(Device *device, void *loaded);
} DeviceOps;

/* Memory that kernels may touch. */
typedef struct DeviceRange {
    const char *base;
    size_t size;
    unsigned char *written; /* a bit for each byte: was it written? NULL: that is not followed */
} DeviceRange;

/* Who asks for the end of a launch. */
enum { STOP_ASKED = 1 /* tern_interrupt */, STOP_LATE = 2 /* its time limit */ };

struct Device {
    const DeviceOps *ops;
    Arena *arena; /* for words and for the device's own state */
    jmp_buf *oom; /* for further arenas of the device: unwinds to the API entry */
    void *state;
    Str name;           /* "cuda:0" */
    int num_threads;    /* that share a launch; 0: this is no matter of the device */
    Str description;    /* "8 threads, gcc 12.2.0, AVX-512" */
    tern_gpu gpu;       /* of a GPU; all 0: it is none */
    const char *target; /* what to compile for: "interp", "cpu:avx512", "sm_90a" */
    Str why;            /* words of the last failure */
    /* Kept by the context: its buffers, for executors that check each access. */
    const DeviceRange *ranges;
    int num_ranges;
    bool watch, bounds;    /* tern_open_options */
    bool makes_maps;       /* launch makes the tensor maps that a kernel's facts ask for */
    bool clusters;         /* launch takes kernels whose programs are clusters (GenFacts.cluster) */
    int walks;             /* launch takes kernels whose blocks walk (GenFacts.walks), on so many
                * multiprocessors; 0: it does not */
    _Atomic int stop;      /* not 0: the launch that runs is to end; set from anywhere */
    bool has_raw_pointers; /* of the launch: addresses outside the ranges may be right too */
    /* Where device_print goes, in whole lines. Call it on the thread that called
     * launch/synchronize. */
    void (*print)(void *user, const char *text, size_t length);
    void *print_user;
    /* What breakpoint() asks; NULL: nobody answers. */
    const char *(*ask)(void *user, const char *prompt);
    void *ask_user;
};

/* Gives the status; words: static, or in the device's arena. */
tern_status device_says(Device *device, tern_status status, const char *words);

/* memory, write, read, fill and synchronize of devices on the host. */
tern_status host_memory(Device *device, size_t *free_bytes, size_t *total_bytes);
tern_status host_copy(Device *device, void *to, const void *from, size_t bytes);
tern_status host_fill(Device *device, void *to, unsigned char byte, size_t bytes);
tern_status host_synchronize(Device *device);

/* tern_open_options.timeout_ms, or what the environment says; 0: no limit. False: neither is one,
 * and `why` says so. */
bool device_timeout(Device *device, int asked_ms, int *timeout_ms);

/* "cpu:avx512": the most of base/cpus.def that this machine runs. */
const char *cpu_best_target(void);

extern const DeviceOps device_interp, device_cpu, device_sim, device_cuda;

#endif
