// SPDX-License-Identifier: Apache-2.0
/* cuda: the state of one opened NVIDIA GPU, shared by the files of src/device/cuda.
 *
 *     device.c   the table of the device: open, close, describe
 *     module.c   PTX text -> a function that can be launched
 *     launch.c   launches, queues, graphs
 *     map.c      tensor maps
 *     memory.c   the pool, copies
 *     clock.c    gates, readings of the GPU's clock, what NVML says of it
 *     wait.c     events, waiting, the watch over hung kernels, and what a failure means
 *
 * Everything made on the device is a CudaObject in one list, so that closing the device frees what
 * its user left behind. */
#ifndef TERN_CUDA_DEVICE_H
#define TERN_CUDA_DEVICE_H

#include "device/cuda/driver.h"
#include "device/device.h"
#include "device/cuda/nvml.h"

typedef enum CudaKind { CUDA_QUEUE, CUDA_EVENT, CUDA_GRAPH, CUDA_LOADED, CUDA_GATE } CudaKind;

typedef struct CudaObject {
    CudaKind kind;
    struct CudaObject *next, *previous;
    bool adopted;   /* queue: the stream is the caller's */
    bool capturing; /* queue: launches are recorded */
    CudaStream stream;
    CudaEvent event;
    CudaGraphExec graph;
    CudaModule module;
    CudaFunction function;
    void *shared;          /* gate, event with a clock: a page that the GPU writes and reads, too */
    CudaPointer shared_at; /* its address there */
    uint32_t closings;     /* gate */
    unsigned block[3], dynamic_shared; /* loaded */
    bool is_cooperative;               /* loaded: its blocks wait for each other */
    struct CudaMaps *maps;             /* loaded: NULL: it has none */
    int cluster;                       /* loaded: blocks of a program, or 0 */
    int walks, num_args;               /* loaded: blocks of a multiprocessor, or 0 (GenFacts) .. */
    void **walk_args;                  /* .. its arguments, and the size of the grid */
    char *name;                        /* loaded: "softmax_kernel (softmax.py:12)" */
    char *log;                         /* loaded: what the driver's assembler said; may be "" */
    char *stops;                       /* loaded: "line 12: .." of each trap; NULL: it has none */
} CudaObject;

typedef struct CudaBlock {
    CudaPointer pointer;
    size_t size_bytes;
    struct CudaBlock *next;
} CudaBlock;

enum { CUDA_BUCKETS = 256, CUDA_WORDS = 16384, CUDA_LAUNCHES_UNWATCHED = 512 };

typedef struct CudaPool {
    CudaBlock *used[CUDA_BUCKETS]; /* by pointer */
    CudaBlock *idle[CUDA_BUCKETS]; /* by size */
    size_t idle_bytes;
} CudaPool;

typedef struct Cuda {
    Device *device;
    CudaDriver driver;
    CudaDeviceId id;
    CudaContext context; /* the primary one, so that pointers are shared with PyTorch's */
    int driver_version;  /* 12040 is 12.4 */
    int major, minor;    /* compute capability */
    int multiprocessors, shared_optin, threads_per_multiprocessor, block_registers;
    size_t memory_bytes;
    int timeout_ms; /* 0: wait for ever */
    bool blocking;
    CudaObject objects; /* head of the list */
    CudaPool pool;
    CudaModule clock_module; /* NULL: not used yet */
    CudaFunction clock_function;
    Nvml nvml;
    CudaEvent watch; /* with a timeout: tells whether the default stream has come to an end */

    bool unusable;          /* a sticky error, or a kernel that hangs: `words` keep saying why */
    bool hung;              /* then not even closing may touch the device */
    const CudaObject *last; /* launched last; NULL: none since the last wait */
    uint32_t last_grid[3];
    CudaStream cooperative_stream; /* of the last launch whose blocks wait for each other */
    uint64_t num_launches;
    int launches_since_wait;
    bool unfinished; /* something was enqueued since the last wait for all */
    int num_adopted; /* queues whose stream is the caller's */
    char words[CUDA_WORDS];
} Cuda;

/* ---- wait.c ---- */

/* Stores words; returns status. */
tern_status cuda_fail(Cuda *cuda, tern_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* What a result of the driver means: its words after `doing` ("allocate 16 bytes"). */
tern_status cuda_check(Cuda *cuda, CudaResult result, const char *doing);
/* Makes the device's context current; *previous is what cuda_leave restores. Fails at once on a
 * device that is unusable. */
tern_status cuda_enter(Cuda *cuda, CudaContext *previous);
void cuda_leave(Cuda *cuda, CudaContext previous);
tern_status cuda_wait_all(Cuda *cuda, const char *doing);
tern_status cuda_wait_stream(Cuda *cuda, CudaStream stream, const char *doing);

tern_status cuda_synchronize(Device *device);
tern_status cuda_event_open(Device *device, void **event);
tern_status cuda_event_record(Device *device, void *event, void *queue);
tern_status cuda_event_wait(Device *device, void *event);
tern_status cuda_event_order(Device *device, void *event, void *queue);
tern_status cuda_event_elapsed(Device *device, void *start, void *end, double *nanoseconds);

/* ---- clock.c ---- */

tern_status cuda_gate_open(Device *device, void **gate);
tern_status cuda_gate_shut(Device *device, void *gate, void *queue);
void cuda_gate_lift(void *gate); /* from any thread */
tern_status cuda_clock_open(Device *device, void **event);
tern_status cuda_clock_enqueue(Cuda *cuda, CudaObject *event, CudaStream stream);
tern_status cuda_clock_between(Device *device, void *start, void *end, double *mhz);
tern_status cuda_clock_state(Device *device, tern_clock_state *state);
void cuda_clock_close(Cuda *cuda); /* with the context current */

/* ---- objects (cuda.c) ---- */

CudaObject *cuda_object_new(Cuda *cuda, CudaKind kind); /* NULL: words say that memory is full */
void cuda_object_free(Cuda *cuda, CudaObject *object);  /* with the context current */
/* *kept is the object if its making went well; else that is freed. It may be NULL. */
void cuda_object_keep(Cuda *cuda, CudaObject *object, tern_status made, void **kept);
static inline CudaStream cuda_stream_of(const void *queue) {
    return queue ? ((const CudaObject *)queue)->stream : NULL;
}

/* ---- memory.c ---- */

tern_status cuda_alloc(Device *device, size_t size_bytes, void **pointer);
tern_status cuda_memory(Device *device, size_t *free_bytes, size_t *total_bytes);
void cuda_release(Device *device, void *pointer);
tern_status cuda_alloc_shared(Device *device, size_t size_bytes, void **pointer);
void cuda_release_shared(Device *device, void *pointer);
void cuda_pool_close(Cuda *cuda); /* frees what is used, too */
tern_status cuda_write(Device *device, void *to, const void *from, size_t bytes);
tern_status cuda_read(Device *device, void *to, const void *from, size_t bytes);
tern_status cuda_fill(Device *device, void *to, unsigned char byte, size_t bytes);
tern_status cuda_write_async(Device *device, void *queue, void *to, const void *from, size_t bytes);
tern_status cuda_read_async(Device *device, void *queue, void *to, const void *from, size_t bytes);
tern_status cuda_fill_async(Device *device, void *queue, void *to, unsigned char byte,
                            size_t bytes);

/* ---- module.c ---- */

tern_status cuda_load(Device *device, const CompiledKernel *kernel, void **loaded);
Str cuda_loaded_facts(Device *device, void *loaded);

/* ---- map.c ---- */

/* Tensor maps of a kernel that is being loaded. */
tern_status cuda_maps_open(Cuda *cuda, const CompiledKernel *kernel, CudaObject *object);
/* For a launch: *args becomes those and the maps made of them, until the next call. */
tern_status cuda_maps_make(Cuda *cuda, const CudaObject *kernel, void ***args);

/* ---- launch.c ---- */

tern_status cuda_launch(Device *device, void *queue, void *loaded, const uint32_t grid[3],
                        void **args);
tern_status cuda_queue_open(Device *device, void **queue);
tern_status cuda_queue_adopt(Device *device, void *handle, void **queue);
tern_status cuda_queue_wait(Device *device, void *queue);
void *cuda_queue_handle(void *queue);
tern_status cuda_graph_begin(Device *device, void *queue);
tern_status cuda_graph_end(Device *device, void *queue, void **graph);
tern_status cuda_graph_launch(Device *device, void *graph, void *queue);

#endif
