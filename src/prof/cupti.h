// SPDX-License-Identifier: Apache-2.0
/* cupti: the times of the GPU, as NVIDIA's library records them: kernels, copies, calls of the
 * driver. It is found at run time; without it profiles time by events.
 *
 * The declarations are our own, of only what is used, so that nothing of CUDA is needed to build;
 * test/unit/cupti_signatures.c compares them with NVIDIA's headers where there are some. Records
 * only grow from version to version: what is declared here of one is its beginning, the same from
 * CUDA 11.4 to 13.5. */
#ifndef TERN_CUPTI_H
#define TERN_CUPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CUctx_st *CudaContext;
typedef struct CUpti_Subscriber_st *CuptiSubscriber;
typedef void (*CuptiRequested)(uint8_t **buffer, size_t *bytes, size_t *most_records);
typedef void (*CuptiCompleted)(CudaContext context, uint32_t stream, uint8_t *buffer, size_t bytes,
                               size_t valid_bytes);
typedef uint64_t (*CuptiClock)(void);

/* Those results that are treated apart; the library has words for all. */
typedef enum CuptiResult {
    CUPTI_OK = 0,
    CUPTI_OUT_OF_MEMORY = 8,
    CUPTI_MAX_LIMIT_REACHED = 12,
    CUPTI_NOT_INITIALIZED = 15,
    CUPTI_HARDWARE_BUSY = 26,
    CUPTI_NOT_SUPPORTED = 27,
    CUPTI_INSUFFICIENT_PRIVILEGES = 35,
    CUPTI_MULTIPLE_SUBSCRIBERS = 39,
    CUPTI_VIRTUAL_PRIVILEGES = 40, /* on a virtual GPU */
} CuptiResult;
typedef enum CuptiDomain { CUPTI_DRIVER_CALLS = 1, CUPTI_RUNTIME_CALLS = 2 } CuptiDomain;
typedef enum CuptiThreadIds { CUPTI_SYSTEM_THREADS = 1 } CuptiThreadIds;
typedef enum CuptiAttribute { CUPTI_BUFFERS_ARE_ZEROED = 5 } CuptiAttribute;
typedef enum CuptiKind {
    CUPTI_MEMCPY = 1,
    CUPTI_MEMSET = 2,
    CUPTI_DRIVER = 4,
    CUPTI_RUNTIME = 5,
    CUPTI_KERNEL = 10, /* of kernels that may run at once */
    CUPTI_OVERHEAD = 17,
    CUPTI_PEER_COPY = 22, /* from one GPU to another */
} CuptiKind;
typedef void (*CuptiCallback)(void *user, CuptiDomain domain, uint32_t call, const void *data);

enum {
    CUPTI_FLUSH_FORCED = 1,
    /* CUpti_driver_api_trace_cbid: made around all of tern's calls, and worth no record. */
    CUPTI_CTX_SET_CURRENT = 303,
    CUPTI_CTX_GET_CURRENT = 304,
};

/* ---- records: all are packed, as NVIDIA's are; reserved_* is what is not used ---- */

#define CUPTI_PACKED __attribute__((packed, aligned(8)))

typedef struct CUPTI_PACKED CuptiRecord {
    CuptiKind kind;
} CuptiRecord;

typedef struct CUPTI_PACKED CuptiKernel {
    CuptiKind kind;
    uint8_t reserved_cache, reserved_shared;
    uint16_t registers;
    int reserved_requested, reserved_executed;
    uint64_t start_ns, end_ns, reserved_completed;
    uint32_t device, context, stream;
    int32_t grid[3], block[3];
    int32_t static_shared, dynamic_shared;
    uint32_t local_bytes, reserved_local; /* local_bytes: of a thread */
    uint32_t correlation;
    int64_t reserved_grid;
    const char *name;
} CuptiKernel;

typedef struct CUPTI_PACKED CuptiMemcpy {
    CuptiKind kind;
    uint8_t direction, from, to, reserved_flags;
    uint64_t bytes;
    uint64_t start_ns, end_ns;
    uint32_t device, context, stream;
    uint32_t correlation;
} CuptiMemcpy;

typedef struct CUPTI_PACKED CuptiPeerCopy {
    CuptiKind kind;
    uint8_t direction, from, to, reserved_flags;
    uint64_t bytes;
    uint64_t start_ns, end_ns;
    uint32_t device, context, stream; /* where it was enqueued */
    uint32_t from_device, from_context, to_device, to_context;
    uint32_t correlation;
} CuptiPeerCopy;

typedef struct CUPTI_PACKED CuptiMemset {
    CuptiKind kind;
    uint32_t reserved_value;
    uint64_t bytes;
    uint64_t start_ns, end_ns;
    uint32_t device, context, stream;
    uint32_t correlation;
    uint16_t reserved_flags, memory;
} CuptiMemset;

typedef struct CUPTI_PACKED CuptiCall { /* of the driver or the runtime */
    CuptiKind kind;
    uint32_t call;
    uint64_t start_ns, end_ns;
    uint32_t process, thread;
    uint32_t correlation;
    uint32_t reserved_result;
} CuptiCall;

typedef struct CUPTI_PACKED CuptiOverhead {
    CuptiKind kind;
    uint32_t what;
    uint32_t reserved_object, reserved_ids[3];
    uint64_t start_ns, end_ns;
} CuptiOverhead;

/* ---- the library ---- */

typedef struct Cupti {
    void *library;
    CuptiSubscriber subscriber; /* NULL: nothing is recorded */
    bool is_taken;              /* another profiler has the process */
    bool has_no_peers;          /* copies from one GPU to another are not recorded */
    struct CuptiBuffer *taken;  /* what cupti_next reads */
    uint32_t api;               /* 130001 is 13.0's; small numbers are older */
#define CUPTI_CALL(name, symbol, parameters, arguments) CuptiResult(*name) parameters;
#include "prof/cupti.def"
#undef CUPTI_CALL
} Cupti;

/* The one that the process has, that $TERN_CUPTI names, or that is found; NULL: none. */
void *cupti_library(void);
/* Begins to record all of the process. False: `words` say why not: it is not here, another
 * profiler is attached, the driver refuses. */
bool cupti_open(Cupti *cupti, char *words, size_t size);
void cupti_close(Cupti *cupti); /* of zeros: nothing */
/* Takes the records since the last time, all of work that the device has done; gives how many got
 * lost, for which there was no room. */
int64_t cupti_take(Cupti *cupti);
/* Of those taken, the one after `record` (NULL: the first), which goes; NULL: there are no more. */
const CuptiRecord *cupti_next(Cupti *cupti, const CuptiRecord *record);
/* "cuLaunchKernel" */
const char *cupti_call_name(const Cupti *cupti, const CuptiCall *call);

#endif
