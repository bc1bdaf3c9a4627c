// SPDX-License-Identifier: Apache-2.0
/* Calls that wait for the GPU without saying so (N 25): 20 ms of work are pending, then one call is
 * made. A profile's findings name it if, and only if, the host was held up by it; a call that says
 * that it waits is never named. What each did is printed. Each as a process of its own would be
 * slow: they share one, and a call that fails is a failure. */
#include "test.h"

#include "gpu/gpu.h"
#include "prof/prof.h"

#include <dlfcn.h>

enum { BYTES = 1 << 20, HELD_NS = 10000000 };

typedef struct Place {
    tern_context *context;
    CudaDriver driver;
    CudaModule module;
    CudaFunction work;
    CudaStream stream, other;
    CudaPointer memory, counter;
    CudaEvent event;
    char *pageable, *pinned;
    /* Made before the work, for the call to use up. */
    CudaPointer spare, pooled;
    CudaModule spare_module;
    CudaStream spare_stream;
    CudaEvent spare_event;
    void *spare_pinned;
    char *spare_pageable;
} Place;

/* A function of the driver that tern does not use. */
static void *more(Place *p, const char *symbol) {
    void *found = dlsym(p->driver.library, symbol);
    CHECK(found != NULL);
    return found;
}

#define CALL(p, symbol, types, ...)                                                                \
    ((union {                                                                                      \
         void *found;                                                                              \
         CudaResult(*call) types;                                                                  \
     }){more(p, symbol)}                                                                           \
         .call(__VA_ARGS__))

static bool place_open(Place *p) {
    char words[2048];
    CudaContext context;
    *p = (Place){.context =
                     tern_open(&(tern_open_options){.device = "cuda"}, NULL, words, sizeof words)};
    if (!p->context || !cuda_driver_open(&p->driver, words, sizeof words))
        return printf("%s\n", words), false;
    const CudaDriver *d = &p->driver;
    p->pageable = malloc(BYTES);
    return p->pageable && memset(p->pageable, 1, BYTES) && !d->context_retain(&context, 0) &&
           !d->context_set(context) && !d->module_load(&p->module, work_ptx, 0, NULL, NULL) &&
           !d->module_function(&p->work, p->module, "work") &&
           !d->stream_create(&p->stream, CUDA_STREAM_DEFAULT) &&
           !d->stream_create(&p->other, CUDA_STREAM_NON_BLOCKING) &&
           !d->memory_alloc(&p->memory, 2 * BYTES) && !d->memory_alloc(&p->counter, 8) &&
           !d->event_create(&p->event, CUDA_EVENT_DEFAULT) &&
           !d->host_alloc((void **)&p->pinned, BYTES, 0);
}

static CudaResult launch(Place *p, CudaStream stream, uint64_t cycles) {
    void *arguments[] = {&p->counter, &cycles};
    return p->driver.launch(p->work, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL);
}

static void make_spares(Place *p) {
    const CudaDriver *d = &p->driver;
    CHECK(!d->memory_alloc(&p->spare, BYTES));
    CHECK(!d->host_alloc(&p->spare_pinned, BYTES, 0));
    CHECK(!d->module_load(&p->spare_module, add_ptx, 0, NULL, NULL));
    CHECK(!d->stream_create(&p->spare_stream, CUDA_STREAM_NON_BLOCKING));
    CHECK(!d->event_create(&p->spare_event, CUDA_EVENT_DEFAULT));
    p->spare_pageable = malloc(BYTES);
    CHECK(!CALL(p, "cuMemAllocAsync", (CudaPointer *, size_t, CudaStream), &p->pooled, BYTES,
                p->stream));
}

/* ---- the calls ---- */

typedef CudaResult Call(Place *p);

static CudaResult copy_out(Place *p) {
    return CALL(p, "cuMemcpyDtoH_v2", (void *, CudaPointer, size_t), p->pageable, p->memory, BYTES);
}
static CudaResult copy_in(Place *p) {
    return CALL(p, "cuMemcpyHtoD_v2", (CudaPointer, const void *, size_t), p->memory, p->pageable,
                BYTES);
}
static CudaResult copy_in_small(Place *p) {
    return CALL(p, "cuMemcpyHtoD_v2", (CudaPointer, const void *, size_t), p->memory, p->pageable,
                64);
}
static CudaResult copy_across(Place *p) {
    return CALL(p, "cuMemcpyDtoD_v2", (CudaPointer, CudaPointer, size_t), p->memory,
                p->memory + BYTES, BYTES);
}
static CudaResult out_pageable(Place *p) {
    return p->driver.copy_out(p->pageable, p->memory, BYTES, p->stream);
}
static CudaResult out_pinned(Place *p) {
    return p->driver.copy_out(p->pinned, p->memory, BYTES, p->stream);
}
static CudaResult in_pageable(Place *p) {
    return p->driver.copy_in(p->memory, p->pageable, BYTES, p->stream);
}
static CudaResult in_pinned(Place *p) {
    return p->driver.copy_in(p->memory, p->pinned, BYTES, p->stream);
}
static CudaResult fill(Place *p) {
    return CALL(p, "cuMemsetD8_v2", (CudaPointer, unsigned char, size_t), p->memory, 0, BYTES);
}
static CudaResult fill_async(Place *p) { return p->driver.fill(p->memory, 0, BYTES, p->stream); }
static CudaResult take(Place *p) {
    CudaPointer got = 0;
    CudaResult result = p->driver.memory_alloc(&got, 512 << 20);
    p->driver.context_wait();
    p->driver.memory_free(got);
    return result;
}
static CudaResult give(Place *p) {
    CudaPointer spare = p->spare;
    p->spare = 0;
    return p->driver.memory_free(spare);
}
static CudaResult take_pooled(Place *p) {
    CudaPointer got;
    return CALL(p, "cuMemAllocAsync", (CudaPointer *, size_t, CudaStream), &got, BYTES, p->stream);
}
static CudaResult give_pooled(Place *p) {
    CudaPointer pooled = p->pooled;
    p->pooled = 0;
    return CALL(p, "cuMemFreeAsync", (CudaPointer, CudaStream), pooled, p->stream);
}
static CudaResult take_pinned(Place *p) {
    void *got;
    return p->driver.host_alloc(&got, BYTES, 0);
}
static CudaResult give_pinned(Place *p) {
    void *spare = p->spare_pinned;
    p->spare_pinned = NULL;
    return p->driver.host_free(spare);
}
static CudaResult lock(Place *p) {
    return CALL(p, "cuMemHostRegister_v2", (void *, size_t, unsigned), p->spare_pageable, BYTES, 0);
}
static CudaResult load(Place *p) {
    CudaModule got;
    return CALL(p, "cuModuleLoadData", (CudaModule *, const void *), &got, shared_ptx);
}
static CudaResult unload(Place *p) {
    CudaModule spare = p->spare_module;
    p->spare_module = NULL;
    return p->driver.module_unload(spare);
}
static CudaResult make_stream(Place *p) {
    CudaStream got;
    return p->driver.stream_create(&got, CUDA_STREAM_NON_BLOCKING);
}
static CudaResult end_stream(Place *p) {
    CudaStream spare = p->spare_stream;
    p->spare_stream = NULL;
    return p->driver.stream_destroy(spare);
}
static CudaResult make_event(Place *p) {
    CudaEvent got;
    return p->driver.event_create(&got, CUDA_EVENT_DEFAULT);
}
static CudaResult end_event(Place *p) {
    CudaEvent spare = p->spare_event;
    p->spare_event = NULL;
    return p->driver.event_destroy(spare);
}
static CudaResult record(Place *p) { return p->driver.event_record(p->event, p->stream); }
static CudaResult order(Place *p) { return p->driver.stream_order(p->other, p->event, 0); }
static CudaResult ask_stream(Place *p) {
    return p->driver.stream_query(p->stream) == CUDA_NOT_READY ? CUDA_OK : CUDA_UNKNOWN;
}
static CudaResult launch_same(Place *p) { return launch(p, p->stream, 1); }
static CudaResult launch_other(Place *p) { return launch(p, p->other, 1); }
static CudaResult launch_legacy(Place *p) { return launch(p, NULL, 1); }
static CudaResult wait_stream(Place *p) { return p->driver.stream_wait(p->stream); }
static CudaResult wait_context(Place *p) { return p->driver.context_wait(); }
static CudaResult wait_event(Place *p) {
    CudaResult result = p->driver.event_record(p->event, p->stream);
    return result ? result : p->driver.event_wait(p->event);
}

static const struct {
    const char *symbol, *what;
    Call *call;
    bool says_so;
} cases[] = {
    {"cuMemcpyDtoH", "", copy_out, false},
    {"cuMemcpyHtoD", "1 MiB", copy_in, false},
    {"cuMemcpyHtoD", "64 bytes", copy_in_small, false},
    {"cuMemcpyDtoD", "", copy_across, false},
    {"cuMemcpyDtoHAsync", "pageable", out_pageable, false},
    {"cuMemcpyDtoHAsync", "page-locked", out_pinned, false},
    {"cuMemcpyHtoDAsync", "pageable", in_pageable, false},
    {"cuMemcpyHtoDAsync", "page-locked", in_pinned, false},
    {"cuMemsetD8", "", fill, false},
    {"cuMemsetD8Async", "", fill_async, false},
    {"cuMemAlloc", "512 MiB", take, false},
    {"cuMemFree", "", give, false},
    {"cuMemAllocAsync", "", take_pooled, false},
    {"cuMemFreeAsync", "", give_pooled, false},
    {"cuMemHostAlloc", "", take_pinned, false},
    {"cuMemFreeHost", "", give_pinned, false},
    {"cuMemHostRegister", "", lock, false},
    {"cuModuleLoadData", "", load, false},
    {"cuModuleUnload", "", unload, false},
    {"cuStreamCreate", "", make_stream, false},
    {"cuStreamDestroy", "", end_stream, false},
    {"cuEventCreate", "", make_event, false},
    {"cuEventDestroy", "", end_event, false},
    {"cuEventRecord", "", record, false},
    {"cuStreamWaitEvent", "", order, false},
    {"cuStreamQuery", "", ask_stream, true},
    {"cuLaunchKernel", "same stream", launch_same, false},
    {"cuLaunchKernel", "another", launch_other, false},
    {"cuLaunchKernel", "legacy stream", launch_legacy, false},
    {"cuStreamSynchronize", "", wait_stream, true},
    {"cuCtxSynchronize", "", wait_context, true},
    {"cuEventSynchronize", "", wait_event, true},
};

/* ---- what a profile says of one ---- */

static bool is_named(const tern_profile *profile, const char *symbol) {
    ProfFindings found = prof_findings(profile);
    bool named = false;
    for (int i = 0; i < found.count; i++) {
        const char *words = found.data[i].words, *rest = words + strlen(symbol);
        bool is_call = !strncmp(words, symbol, strlen(symbol)) &&
                       (*rest == ' ' || (rest[0] == '_' && rest[1] == 'v' && rest[3] == ' '));
        named |= is_call && strstr(words, " waits for ");
    }
    return named;
}

static int64_t longest_call(const tern_profile *profile, const char *symbol) {
    int64_t longest = -1;
    for (int i = 0; i < profile->num_events; i++) {
        const ProfEvent *event = &profile->events[i];
        if (event->kind != TERN_CALL_DRIVER || strncmp(event->name, symbol, strlen(symbol)) != 0)
            continue;
        if (event->end_ns - event->start_ns > longest) longest = event->end_ns - event->start_ns;
    }
    return longest;
}

/* How long the call took, with work pending or by itself; whether a finding names it. */
static int64_t measure(Place *p, int at, bool with_work, bool *named) {
    const char *symbol = cases[at].symbol;
    make_spares(p);
    CHECK(!p->driver.context_wait());
    tern_profile *profile = tern_profile_start(p->context, NULL);
    CHECK(profile && profile->cupti.subscriber);
    if (!profile) return 0;
    if (with_work) CHECK(!launch(p, p->stream, 40000000));
    CudaResult result = cases[at].call(p);
    CHECK(!p->driver.context_wait());
    CHECK(!tern_profile_stop(profile));
    /* That a stream with nothing in it is not ready is no truth. */
    CHECK(result == CUDA_OK || (cases[at].call == ask_stream && !with_work));
    int64_t longest = longest_call(profile, symbol);
    *named = is_named(profile, symbol);
    tern_profile_free(profile);
    return longest;
}

/* What it takes by itself is no wait; the first time, which may translate PTX, is none of both. */
static void one(Place *p, int at) {
    bool named_alone, named;
    measure(p, at, false, &named_alone);
    int64_t alone = measure(p, at, false, &named_alone), took = measure(p, at, true, &named);
    bool is_held = took - alone > HELD_NS;
    bool right = named == (is_held && !cases[at].says_so) && !named_alone;
    printf("  %-20s %-14s %8.3f ms, alone %8.3f  %-6s %-6s %s\n", cases[at].symbol, cases[at].what,
           (double)took / 1e6, (double)alone / 1e6, is_held ? "waits" : "", named ? "named" : "",
           right ? "" : "WRONG");
    CHECK(right);
}

TEST(n25_calls_that_wait) {
    Place p;
    if (!place_open(&p)) {
        CHECK(false);
        return;
    }
    for (int i = 0; i < COUNT(cases); i++) one(&p, i);
    tern_close(p.context);
}

TEST_MAIN()
