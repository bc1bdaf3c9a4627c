// SPDX-License-Identifier: Apache-2.0
/* wait: waiting for the GPU, and saying what went wrong on it.
 *
 * A kernel fails while nobody is looking, and the driver reports it from whatever call comes next.
 * The words here say so: which launch it was when only one can have been, else the newest, and how
 * to find out. Waiting is the driver's own unless there is a time limit: then the host polls, since
 * no wait of the driver can be given up. */
#include "device/cuda/cuda.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

tern_status cuda_fail(Cuda *cuda, tern_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(cuda->words, sizeof cuda->words, format, args);
    va_end(args);
    cuda->device->why = str_of(cuda->words);
    return status;
}

static void describe_last(const Cuda *cuda, CudaResult result, char *out, size_t size) {
    if (!cuda->last) {
        snprintf(out, size, "no launch of this context is unfinished: other work in the process");
        return;
    }
    const uint32_t *g = cuda->last_grid;
    bool alone = cuda->launches_since_wait == 1;
    bool trapped = result == CUDA_LAUNCH_FAILED || result == CUDA_ILLEGAL_INSTRUCTION;
    const char *stops = trapped ? cuda->last->stops : NULL;
    snprintf(out, size, "%s %s, launch %llu, grid (%u, %u, %u)%s%s%s",
             alone ? "kernel" : "last launched", cuda->last->name,
             (unsigned long long)cuda->num_launches, g[0], g[1], g[2],
             alone ? "" : "; with TERN_LAUNCH_BLOCKING=1 the launch at fault is named",
             stops ? "; it stops itself at " : "", stops ? stops : "");
}

tern_status cuda_check(Cuda *cuda, CudaResult result, const char *doing) {
    if (result == CUDA_OK) return TERN_OK;
    char driver[512], last[1024];
    cuda_driver_words(&cuda->driver, result, driver, sizeof driver);
    const char *device = cuda->device->name.data ? cuda->device->name.data : "cuda";
    if (!cuda_result_is_sticky(result)) {
        tern_status status =
            result == CUDA_OUT_OF_MEMORY ? TERN_ERROR_NO_MEMORY : TERN_ERROR_DEVICE;
        return cuda_fail(cuda, status, "%s: cannot %s: %s", device, doing, driver);
    }
    describe_last(cuda, result, last, sizeof last);
    cuda->unusable = true;
    return cuda_fail(
        cuda, TERN_ERROR_KERNEL,
        "%s: %s (%s; seen when tern wanted to %s). The driver refuses all further work "
        "on this device: start the process again to use it",
        device, driver, last, doing);
}

tern_status cuda_enter(Cuda *cuda, CudaContext *previous) {
    *previous = cuda->context;
    if (cuda->unusable) {
        cuda->device->why = str_of(cuda->words);
        return TERN_ERROR_KERNEL;
    }
    CudaResult result = cuda->driver.context_get(previous);
    if (result == CUDA_OK && *previous == cuda->context) return TERN_OK;
    if (result == CUDA_OK) result = cuda->driver.context_set(cuda->context);
    return cuda_check(cuda, result, "make the device current");
}

void cuda_leave(Cuda *cuda, CudaContext previous) {
    /* The thread may be in the middle of work on another device, say PyTorch's: put that back. */
    if (previous && previous != cuda->context) cuda->driver.context_set(previous);
}

/* ---- waiting ---- */

/* Short kernels are polled without sleep; the longer the wait, the coarser its end may be. */
enum { RESTLESS_NS = 50000, PARTS = 16, LONGEST_REST_NS = 2000000 };

static void rest(int64_t waited_ns) {
    if (waited_ns < RESTLESS_NS) return;
    int saved = errno;
    int64_t part = waited_ns / PARTS;
    struct timespec t = {.tv_nsec = part < LONGEST_REST_NS ? part : LONGEST_REST_NS};
    nanosleep(&t, NULL);
    errno = saved;
}

static tern_status hangs(Cuda *cuda) {
    char last[1024];
    describe_last(cuda, CUDA_OK, last, sizeof last);
    cuda->unusable = cuda->hung = true;
    return cuda_fail(cuda, TERN_ERROR_KERNEL,
                     "%s: not finished after %d ms (%s). A kernel cannot be stopped from outside: "
                     "the device stays busy, and this context unusable, until the process ends",
                     cuda->device->name.data, cuda->timeout_ms, last);
}

static tern_status poll(Cuda *cuda, CudaEvent event, CudaStream stream, const char *doing) {
    int64_t start = clock_ns(), limit = (int64_t)cuda->timeout_ms * 1000000;
    for (;;) {
        CudaResult result =
            event ? cuda->driver.event_query(event) : cuda->driver.stream_query(stream);
        if (result != CUDA_NOT_READY) return cuda_check(cuda, result, doing);
        int64_t waited = clock_ns() - start;
        if (waited > limit) return hangs(cuda);
        rest(waited);
    }
}

static void all_done(Cuda *cuda) {
    cuda->last = NULL;
    cuda->launches_since_wait = 0;
    cuda->unfinished = false;
}

tern_status cuda_wait_stream(Cuda *cuda, CudaStream stream, const char *doing) {
    if (!stream) return cuda_wait_all(cuda, doing);
    if (cuda->timeout_ms) return poll(cuda, NULL, stream, doing);
    return cuda_check(cuda, cuda->driver.stream_wait(stream), doing);
}

tern_status cuda_wait_all(Cuda *cuda, const char *doing) {
    tern_status status = TERN_OK;
    if (cuda->timeout_ms) {
        /* An event on the default stream comes after all of the context's own streams. */
        status = cuda_check(cuda, cuda->driver.event_record(cuda->watch, NULL), doing);
        if (status == TERN_OK) status = poll(cuda, cuda->watch, NULL, doing);
        for (CudaObject *o = cuda->objects.next; o && cuda->num_adopted && status == TERN_OK;
             o = o->next)
            if (o->adopted) status = poll(cuda, NULL, o->stream, doing);
    }
    if (status == TERN_OK) status = cuda_check(cuda, cuda->driver.context_wait(), doing);
    if (status == TERN_OK) all_done(cuda);
    return status;
}

tern_status cuda_synchronize(Device *device) {
    Cuda *cuda = device->state;
    CudaContext previous;
    tern_status status = cuda_enter(cuda, &previous);
    if (status == TERN_OK) status = cuda_wait_all(cuda, "wait for the device");
    cuda_leave(cuda, previous);
    return status;
}

/* ---- events ---- */

tern_status cuda_event_open(Device *device, void **event) {
    Cuda *cuda = device->state;
    CudaContext previous;
    *event = NULL;
    tern_status status = cuda_enter(cuda, &previous);
    if (status == TERN_OK) {
        CudaObject *object = cuda_object_new(cuda, CUDA_EVENT);
        status =
            object ? cuda_check(cuda, cuda->driver.event_create(&object->event, CUDA_EVENT_DEFAULT),
                                "create an event")
                   : TERN_ERROR_NO_MEMORY;
        cuda_object_keep(cuda, object, status, event);
    }
    cuda_leave(cuda, previous);
    return status;
}

tern_status cuda_event_record(Device *device, void *event, void *queue) {
    Cuda *cuda = device->state;
    CudaContext previous;
    tern_status status = cuda_enter(cuda, &previous);
    if (status == TERN_OK && ((CudaObject *)event)->shared)
        status = cuda_clock_enqueue(cuda, event, cuda_stream_of(queue));
    if (status == TERN_OK)
        status = cuda_check(
            cuda, cuda->driver.event_record(((CudaObject *)event)->event, cuda_stream_of(queue)),
            "record an event");
    cuda_leave(cuda, previous);
    return status;
}

static tern_status wait_event(Cuda *cuda, CudaEvent event) {
    if (cuda->timeout_ms) return poll(cuda, event, NULL, "wait for an event");
    return cuda_check(cuda, cuda->driver.event_wait(event), "wait for an event");
}

tern_status cuda_event_wait(Device *device, void *event) {
    Cuda *cuda = device->state;
    CudaContext previous;
    tern_status status = cuda_enter(cuda, &previous);
    if (status == TERN_OK) status = wait_event(cuda, ((CudaObject *)event)->event);
    cuda_leave(cuda, previous);
    return status;
}

tern_status cuda_event_order(Device *device, void *event, void *queue) {
    Cuda *cuda = device->state;
    CudaContext previous;
    tern_status status = cuda_enter(cuda, &previous);
    if (status == TERN_OK)
        status = cuda_check(
            cuda, cuda->driver.stream_order(cuda_stream_of(queue), ((CudaObject *)event)->event, 0),
            "let a stream wait for an event");
    cuda_leave(cuda, previous);
    return status;
}

tern_status cuda_event_elapsed(Device *device, void *start, void *end, double *nanoseconds) {
    Cuda *cuda = device->state;
    CudaContext previous;
    CudaEvent first = ((CudaObject *)start)->event, second = ((CudaObject *)end)->event;
    float milliseconds = 0;
    *nanoseconds = 0;
    tern_status status = cuda_enter(cuda, &previous);
    if (status == TERN_OK) status = wait_event(cuda, first);
    if (status == TERN_OK) status = wait_event(cuda, second);
    if (status == TERN_OK)
        status = cuda_check(cuda, cuda->driver.event_elapsed(&milliseconds, first, second),
                            "read the time between two events");
    cuda_leave(cuda, previous);
    if (status == TERN_OK) *nanoseconds = (double)milliseconds * 1e6;
    return status;
}
