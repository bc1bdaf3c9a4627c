// SPDX-License-Identifier: Apache-2.0
/* libcupti_mock: see cupti.h. State is global, as the real library's is. */
#include "mock/cupti.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { INVALID_OPERATION = 7 };        /* CUptiResult */
enum { KINDS = 64, NEWER_BYTES = 24 }; /* NEWER_BYTES: what a newer version added to a record */

static struct {
    uint32_t api;
    const char *failing;
    int result;
    bool attached, has_threads, silent[400];
    CuptiClock clock;
    CuptiRequested requested;
    CuptiCompleted completed;
    bool kinds[KINDS];
    uint8_t *buffer;
    size_t bytes, used, dropped;
} mock = {.api = 130001};

_Noreturn static void misuse(const char *what) {
    fprintf(stderr, "mock CUPTI: %s\n", what);
    abort();
}

/* ---- the exported symbols: fail where told, else do ---- */

#define CUPTI_CALL(name, symbol, parameters, arguments) static CuptiResult mock_##name parameters;
#include "prof/cupti.def"
#undef CUPTI_CALL

#define CUPTI_CALL(name, symbol, parameters, arguments)                                            \
    EXPORT CuptiResult symbol parameters;                                                          \
    EXPORT CuptiResult symbol parameters {                                                         \
        if (mock.failing && !strcmp(mock.failing, #symbol)) return (CuptiResult)mock.result;       \
        return mock_##name arguments;                                                              \
    }
#include "prof/cupti.def"
#undef CUPTI_CALL

static CuptiResult mock_version(uint32_t *version) {
    *version = mock.api;
    return CUPTI_OK;
}

static CuptiResult mock_words(CuptiResult result, const char **words) {
    static char text[64];
    snprintf(text, sizeof text, "MOCK_ERROR_%d", (int)result);
    *words = text;
    return CUPTI_OK;
}

static CuptiResult mock_subscribe(CuptiSubscriber *subscriber, CuptiCallback callback, void *user) {
    (void)user;
    if (!callback) misuse("no callback");
    if (mock.attached) return CUPTI_MULTIPLE_SUBSCRIBERS;
    mock.attached = true;
    *subscriber = (CuptiSubscriber)(void *)&mock;
    return CUPTI_OK;
}

static CuptiResult mock_unsubscribe(CuptiSubscriber subscriber) {
    if (!mock.attached || (void *)subscriber != &mock) misuse("not attached");
    for (int i = 0; i < KINDS; i++)
        if (mock.kinds[i]) misuse("detached while it records");
    mock.attached = mock.has_threads = false;
    mock.clock = NULL;
    return CUPTI_OK;
}

static CuptiResult mock_call_name(CuptiDomain domain, uint32_t call, const char **name) {
    static char text[32];
    snprintf(text, sizeof text, domain == CUPTI_DRIVER_CALLS ? "cuCall_%u" : "cudaCall_v%u", call);
    *name = call == 307 ? "cuLaunchKernel" : text;
    return CUPTI_OK;
}

static CuptiResult mock_thread_ids(CuptiThreadIds type) {
    if (!mock.attached) misuse("not attached");
    mock.has_threads = type == CUPTI_SYSTEM_THREADS;
    return CUPTI_OK;
}

static CuptiResult mock_clock(CuptiClock now) {
    if (!mock.attached) misuse("not attached");
    mock.clock = now;
    return CUPTI_OK;
}

static CuptiResult mock_buffers(CuptiRequested request, CuptiCompleted done) {
    mock.requested = request, mock.completed = done;
    return CUPTI_OK;
}

static CuptiResult mock_enable(CuptiKind kind) {
    if (!mock.clock || !mock.has_threads || !mock.requested) misuse("recording comes last");
    mock.kinds[kind] = true;
    return CUPTI_OK;
}

static CuptiResult mock_disable(CuptiKind kind) {
    mock.kinds[kind] = false;
    return CUPTI_OK;
}

static CuptiResult mock_set_attribute(CuptiAttribute attribute, size_t *size, void *value) {
    if (attribute != CUPTI_BUFFERS_ARE_ZEROED || *size != 1 || *(uint8_t *)value != 1)
        misuse("an attribute");
    return CUPTI_OK;
}

static CuptiResult mock_record_driver(uint32_t call, uint8_t is_recorded) {
    mock.silent[call] = !is_recorded;
    return CUPTI_OK;
}

/* ---- buffers ---- */

static void *hand_over(void *unused) {
    mock.completed(NULL, 0, mock.buffer, mock.bytes, mock.used);
    mock.buffer = NULL;
    return unused;
}

static void complete(void) {
    pthread_t thread;
    if (!mock.buffer) return;
    if (pthread_create(&thread, NULL, hand_over, NULL)) misuse("no thread");
    pthread_join(thread, NULL);
}

static CuptiResult mock_flush(uint32_t flag) {
    if (flag != CUPTI_FLUSH_FORCED) misuse("a flush");
    if (!mock.requested) return (CuptiResult)INVALID_OPERATION;
    complete();
    return CUPTI_OK;
}

/* Before each record lies its length. */
static CuptiResult mock_next(uint8_t *buffer, size_t valid_bytes, CuptiRecord **record) {
    uint64_t length;
    uint8_t *at = buffer;
    if (*record) {
        at = (uint8_t *)*record;
        memcpy(&length, at - sizeof length, sizeof length);
        at += length;
    }
    if ((size_t)(at - buffer) >= valid_bytes) return CUPTI_MAX_LIMIT_REACHED;
    *record = (CuptiRecord *)(void *)(at + sizeof length);
    return CUPTI_OK;
}

static CuptiResult mock_dropped(CudaContext context, uint32_t stream, size_t *count) {
    if (context || stream) misuse("records of one stream");
    *count = mock.dropped;
    mock.dropped = 0;
    return CUPTI_OK;
}

static void add_record(const void *record, size_t size) {
    CuptiRecord head;
    memcpy(&head, record, sizeof head);
    const CuptiCall *call = record;
    if (!mock.kinds[head.kind] || (head.kind == CUPTI_DRIVER && mock.silent[call->call])) return;
    uint64_t length = (size + NEWER_BYTES + 7) / 8 * 8;
    if (mock.buffer && mock.used + length + sizeof length > mock.bytes) complete();
    if (!mock.buffer) {
        size_t most = 1;
        mock.requested(&mock.buffer, &mock.bytes, &most);
        if (most || (uintptr_t)mock.buffer % 8) misuse("a buffer of another kind");
        mock.used = 0;
    }
    if (!mock.buffer) {
        mock.dropped++;
        return;
    }
    for (size_t i = 0; i < length; i++)
        if (mock.buffer[mock.used + i]) misuse("a buffer that is not zeros");
    memcpy(mock.buffer + mock.used, &length, sizeof length);
    memcpy(mock.buffer + mock.used + sizeof length, record, size);
    memset(mock.buffer + mock.used + sizeof length + size, 0xee, length - size);
    mock.used += length + sizeof length;
}

/* ---- steering ---- */

static void reset(void) {
    if (mock.buffer) misuse("a buffer that nobody asked for back");
    memset(&mock, 0, sizeof mock);
    mock.api = 130001;
}

static void fail(const char *symbol, int result) { mock.failing = symbol, mock.result = result; }
static void set_version(uint32_t api) { mock.api = api; }
static void drop(size_t records) { mock.dropped += records; }
static bool is_attached(void) { return mock.attached; }
static int num_kinds(void) {
    int count = 0;
    for (int i = 0; i < KINDS; i++) count += mock.kinds[i];
    return count;
}
static uint64_t now(void) { return mock.clock ? mock.clock() : 0; }

EXPORT const CuptiMock *mock_cupti(void) {
    static const CuptiMock control = {reset, fail,        set_version, add_record, complete,
                                      drop,  is_attached, num_kinds,   now};
    return &control;
}
