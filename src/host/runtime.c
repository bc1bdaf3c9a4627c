// SPDX-License-Identifier: Apache-2.0
/* runtime: CUDA's functions for memory, copies, streams and events. What a GPU would give an error
 * code for that programs look at (no memory, a launch that cannot be) is one; what is wrong with
 * the program (a copy past an end) stops it at its line. */
#include "host/host.h"

#include <stdlib.h>

enum {
    CUDA_SUCCESS = 0,
    CUDA_INVALID_VALUE = 1,
    CUDA_NO_MEMORY = 2,
};

static bool gives(Host *h, Call *call, int error) {
    if (error) h->last_error = error;
    call->result = (uint32_t)(error ? error : h->sticky_error);
    return true;
}

static bool store_handle(Host *h, uint64_t address, uint64_t handle) {
    char *to = memory_at(h, address, sizeof handle, true, NULL);
    if (to) memcpy(to, &handle, sizeof handle);
    return to != NULL;
}

/* ---- memory ---- */

/* where, bytes, kind: 0 of the device, 1 of both; its name. */
bool native___tern_malloc(Host *h, Call *call) {
    RangeKind kind = call->args[2] ? RANGE_MANAGED : RANGE_DEVICE;
    uint64_t length;
    const char *name = memory_text(h, call->args[3], &length);
    if (!name) return false;
    size_t bytes = (size_t)call->args[1];
    Device *device = &h->context->device;
    void *shared = NULL;
    bool is_shared = kind == RANGE_MANAGED && device->ops->alloc_shared;
    if (is_shared && device->ops->alloc_shared(device, bytes, &shared))
        return gives(h, call, CUDA_NO_MEMORY);
    tern_buffer *buffer =
        is_shared ? tern_wrap(h->context, shared, bytes) : tern_alloc(h->context, bytes);
    if (!buffer && shared) device->ops->release_shared(device, shared);
    if (!buffer) return gives(h, call, CUDA_NO_MEMORY);
    if (h->is_compiled && kind == RANGE_MANAGED && !shared) /* what it writes there is not seen */
        tern_fill(buffer, 0);
    Range *range = memory_add_buffer(h, kind, buffer, str_copy(h->arena, str_of(name)));
    if (range) range->shared = shared;
    return range && gives(h, call, CUDA_SUCCESS) && store_handle(h, call->args[0], range->start);
}

bool native___tern_free(Host *h, Call *call) {
    if (!call->args[0]) return gives(h, call, CUDA_SUCCESS);
    Range *range = memory_find(h, call->args[0]);
    if (!range || !range->buffer || range->is_lent || range->start != call->args[0])
        return host_fail(
            h, "cudaFree of an address that no allocation of CUDA gave, or of memory that "
               "was freed before");
    bool managed = range->kind == RANGE_MANAGED;
    if (!managed && call->args[1]) return host_fail(h, "cudaFreeHost of the device's memory");
    memory_free(h, range);
    return gives(h, call, CUDA_SUCCESS);
}

/* Where what is free goes, and what is in all. */
bool native_cudaMemGetInfo(Host *h, Call *call) {
    size_t bytes[2];
    if (h->sticky_error) return gives(h, call, CUDA_SUCCESS);
    if (context_memory(h->context, &bytes[0], &bytes[1]))
        return host_fail(h, "%s", tern_message(h->context));
    return store_handle(h, call->args[0], bytes[0]) && store_handle(h, call->args[1], bytes[1]) &&
           gives(h, call, CUDA_SUCCESS);
}

/* A __device__ or __constant__ variable, by its name. */
bool native___tern_symbol(Host *h, Call *call) {
    uint64_t length;
    const char *name = memory_text(h, call->args[0], &length);
    tern_buffer *buffer = name ? tern_module_symbol(h->module, name) : NULL;
    if (!buffer) return name && host_fail(h, "%s", tern_message(h->context));
    Range *range = memory_find(h, (uint64_t)(uintptr_t)tern_buffer_pointer(buffer));
    if (!range || range->buffer != buffer)
        range = memory_add_buffer(h, RANGE_DEVICE, buffer, str_copy(h->arena, str_of(name)));
    if (!range) return false;
    range->is_lent = true;
    call->result = range->start;
    return true;
}

/* ---- copies ---- */

typedef struct Side {
    const Range *range;
    uint64_t offset;
    bool is_device;
} Side;

static bool side(Host *h, uint64_t address, uint64_t bytes, const char *does, Side *s) {
    s->range = memory_whole(h, address, bytes, does);
    s->offset = s->range ? address - s->range->start : 0;
    s->is_device = s->range && s->range->kind == RANGE_DEVICE;
    return s->range != NULL;
}

static bool failed(Host *h) { return host_fail(h, "%s", tern_message(h->context)); }

static bool moved(Host *h, uint64_t to, uint64_t from, uint64_t bytes, const Side *target,
                  const Side *source) {
    /* Shared memory is the host's here: nothing runs. */
    tern_buffer *in = target->range->shared ? NULL : target->range->buffer;
    tern_buffer *out = source->range->shared ? NULL : source->range->buffer;
    void *host = (void *)(uintptr_t)(in ? from : to);
    if (!in && !out) return memmove(host, (void *)(uintptr_t)from, bytes), true;
    if (!out) return !tern_write(in, target->offset, host, bytes) || failed(h);
    if (!in) return !tern_read(out, source->offset, host, bytes) || failed(h);
    void *between = malloc(bytes);
    if (!between) longjmp(h->oom, 1);
    bool fine = !tern_read(out, source->offset, between, bytes) &&
                !tern_write(in, target->offset, between, bytes);
    free(between);
    return fine || failed(h);
}

/* to, from, bytes, kind: 0 host to host, 1 to the device, 2 from it, 3 inside it, 4 as they lie. */
bool native_cudaMemcpy(Host *h, Call *call) {
    uint64_t to = call->args[0], from = call->args[1], bytes = call->args[2], kind = call->args[3];
    static const char *const names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                        "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};
    Side target, source;
    if (kind > 4) return gives(h, call, CUDA_INVALID_VALUE);
    if (!host_settled(h, tern_synchronize(h->context))) return false;
    if (!bytes) return gives(h, call, CUDA_SUCCESS);
    if (!side(h, from, bytes, "cudaMemcpy reads", &source)) return false;
    if (!side(h, to, bytes, "cudaMemcpy writes", &target)) return false;
    bool from_device = kind & 2, to_device = kind == 1 || kind == 3;
    bool wrong_source = source.is_device != from_device && source.range->kind != RANGE_MANAGED;
    bool wrong_target = target.is_device != to_device && target.range->kind != RANGE_MANAGED;
    if (kind != 4 && (wrong_source || wrong_target))
        return host_fail(h, "%s %s '%.*s', which is %s's", names[kind],
                         wrong_source ? "from" : "to",
                         STR_ARG((wrong_source ? &source : &target)->range->name),
                         (wrong_source ? &source : &target)->is_device ? "the device" : "the host");
    return moved(h, to, from, bytes, &target, &source) && gives(h, call, CUDA_SUCCESS);
}

bool native_cudaMemset(Host *h, Call *call) {
    uint64_t bytes = call->args[2];
    Side target;
    if (!host_settled(h, tern_synchronize(h->context))) return false;
    if (!bytes) return gives(h, call, CUDA_SUCCESS);
    if (!side(h, call->args[0], bytes, "cudaMemset writes", &target)) return false;
    if (!target.range->buffer)
        return host_fail(h, "cudaMemset of memory of the host: '%.*s'",
                         STR_ARG(target.range->name));
    if (target.range->shared) {
        memset((void *)(uintptr_t)call->args[0], (int)call->args[1], bytes);
        return gives(h, call, CUDA_SUCCESS);
    }
    void *between = malloc(bytes);
    if (!between) longjmp(h->oom, 1);
    memset(between, (int)call->args[1], bytes);
    tern_status status = tern_write(target.range->buffer, target.offset, between, bytes);
    free(between);
    return status ? failed(h) : gives(h, call, CUDA_SUCCESS);
}

/* ---- streams: a handle is 1 more than the index ---- */

static bool stream_of(Host *h, uint64_t handle, tern_stream **stream) {
    *stream = NULL;
    if (handle <= 2) return true; /* the default ones */
    if (handle - 3 < (uint64_t)h->streams.count && h->streams.data[handle - 3]) {
        *stream = h->streams.data[handle - 3];
        return true;
    }
    return host_fail(h, "a stream that was never made, or is destroyed");
}

bool native_cudaStreamCreate(Host *h, Call *call) {
    tern_stream *stream = tern_stream_create(h->context);
    if (!stream) return failed(h);
    vec_push(h->arena, &h->streams, stream);
    return gives(h, call, CUDA_SUCCESS) &&
           store_handle(h, call->args[0], (uint64_t)h->streams.count + 2);
}

bool native_cudaStreamDestroy(Host *h, Call *call) {
    tern_stream *stream;
    if (!stream_of(h, call->args[0], &stream)) return false;
    if (stream) h->streams.data[call->args[0] - 3] = NULL;
    tern_stream_free(stream);
    return gives(h, call, CUDA_SUCCESS);
}

bool native_cudaStreamSynchronize(Host *h, Call *call) {
    tern_stream *stream;
    if (!stream_of(h, call->args[0], &stream)) return false;
    tern_status status = stream ? tern_stream_synchronize(stream) : tern_synchronize(h->context);
    return host_settled(h, status) && gives(h, call, CUDA_SUCCESS);
}

tern_stream *host_stream(Host *h, uint64_t handle, bool *fine) {
    tern_stream *stream;
    *fine = stream_of(h, handle, &stream);
    return stream;
}

/* ---- events ---- */

static tern_event *event_of(Host *h, uint64_t handle) {
    if (handle && handle - 1 < (uint64_t)h->events.count && h->events.data[handle - 1])
        return h->events.data[handle - 1];
    host_fail(h, "an event that was never made, or is destroyed");
    return NULL;
}

bool native_cudaEventCreate(Host *h, Call *call) {
    tern_event *event = tern_event_create(h->context);
    if (!event) return failed(h);
    vec_push(h->arena, &h->events, event);
    return gives(h, call, CUDA_SUCCESS) &&
           store_handle(h, call->args[0], (uint64_t)h->events.count);
}

bool native_cudaEventDestroy(Host *h, Call *call) {
    tern_event *event = event_of(h, call->args[0]);
    if (!event) return false;
    tern_event_free(event);
    h->events.data[call->args[0] - 1] = NULL;
    return gives(h, call, CUDA_SUCCESS);
}

bool native_cudaEventRecord(Host *h, Call *call) {
    tern_stream *stream;
    tern_event *event = event_of(h, call->args[0]);
    if (!event || !stream_of(h, call->args[1], &stream)) return false;
    return tern_event_record(event, stream) ? failed(h) : gives(h, call, CUDA_SUCCESS);
}

bool native_cudaEventSynchronize(Host *h, Call *call) {
    tern_event *event = event_of(h, call->args[0]);
    if (!event) return false;
    return host_settled(h, tern_event_synchronize(event)) && gives(h, call, CUDA_SUCCESS);
}

bool native_cudaEventElapsedTime(Host *h, Call *call) {
    tern_event *start = event_of(h, call->args[1]),
               *end = start ? event_of(h, call->args[2]) : NULL;
    double ns;
    if (!end) return false;
    if (tern_event_elapsed(start, end, &ns)) return failed(h);
    float ms = (float)(ns / 1e6);
    char *to = memory_at(h, call->args[0], sizeof ms, true, NULL);
    if (to) memcpy(to, &ms, sizeof ms);
    return to && gives(h, call, CUDA_SUCCESS);
}

/* ---- errors, the device ---- */

bool native_cudaDeviceSynchronize(Host *h, Call *call) {
    return host_settled(h, tern_synchronize(h->context)) && gives(h, call, CUDA_SUCCESS);
}

bool native_cudaPeekAtLastError(Host *h, Call *call) {
    call->result = (uint32_t)(h->last_error ? h->last_error : h->sticky_error);
    return true;
}

bool native_cudaGetLastError(Host *h, Call *call) {
    native_cudaPeekAtLastError(h, call);
    h->last_error = 0;
    return true;
}

/* which: 0 the name, 1 the words; where, room. The rows: CUDA runtime API, cudaError_t. */
bool native___tern_error_text(Host *h, Call *call) {
    static const struct {
        int error;
        const char *texts[2];
    } rows[] = {
        {0, {"cudaSuccess", "no error"}},
        {1, {"cudaErrorInvalidValue", "invalid argument"}},
        {2, {"cudaErrorMemoryAllocation", "out of memory"}},
        {3, {"cudaErrorInitializationError", "initialization error"}},
        {9, {"cudaErrorInvalidConfiguration", "invalid configuration argument"}},
        {12, {"cudaErrorInvalidPitchValue", "invalid pitch argument"}},
        {13, {"cudaErrorInvalidSymbol", "invalid device symbol"}},
        {17, {"cudaErrorInvalidDevicePointer", "invalid device pointer"}},
        {35,
         {"cudaErrorInsufficientDriver",
          "CUDA driver version is insufficient for CUDA runtime version"}},
        {100, {"cudaErrorNoDevice", "no CUDA-capable device is detected"}},
        {101, {"cudaErrorInvalidDevice", "invalid device ordinal"}},
        {400, {"cudaErrorInvalidResourceHandle", "invalid resource handle"}},
        {600, {"cudaErrorNotReady", "device not ready"}},
        {700, {"cudaErrorIllegalAddress", "an illegal memory access was encountered"}},
        {701, {"cudaErrorLaunchOutOfResources", "too many resources requested for launch"}},
        {702, {"cudaErrorLaunchTimeout", "the launch timed out and was terminated"}},
        {704, {"cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"}},
        {710, {"cudaErrorAssert", "device-side assert triggered"}},
        {719, {"cudaErrorLaunchFailure", "unspecified launch failure"}},
        {801, {"cudaErrorNotSupported", "operation not supported"}},
        {999, {"cudaErrorUnknown", "unknown error"}},
        {-1, {"unrecognized error code", "unrecognized error code"}},
    };
    int i = 0;
    while (rows[i].error != -1 && rows[i].error != (int32_t)call->args[0]) i++;
    const char *text = rows[i].texts[call->args[1] & 1];
    char *to = memory_at(h, call->args[2], strlen(text) + 1, true, NULL);
    if (to) memcpy(to, text, strlen(text) + 1);
    return to != NULL;
}

bool native___tern_device_name(Host *h, Call *call) {
    const char *name = tern_device_description(h->context);
    size_t length = strlen(name), room = (size_t)call->args[1];
    char *to = memory_at(h, call->args[0], room, true, NULL);
    if (!to || !room) return to != NULL;
    if (length >= room) length = room - 1;
    memcpy(to, name, length);
    to[length] = 0;
    return true;
}
