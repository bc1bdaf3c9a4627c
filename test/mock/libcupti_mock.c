// SPDX-License-Identifier: Apache-2.0
/* libcupti_mock: see cupti.h. State is global, as the real library's is. */
#include "mock/cupti.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { INVALID_PARAMETER = 1, INVALID_OPERATION = 7 }; /* CUptiResult */
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
    const char *chip;
    int hosts, range_steps;
    bool is_enabled;
} mock = {.api = 130001, .chip = "OLD1"};

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

#define COUNTERS_CALL(name, symbol, type, last) static CuptiResult mock_##name(type *);
#include "prof/counters.def"
#undef COUNTERS_CALL

#define COUNTERS_CALL(name, symbol, type, last)                                                    \
    EXPORT CuptiResult symbol(type *);                                                             \
    EXPORT CuptiResult symbol(type *arguments) {                                                   \
        if (arguments->reserved) misuse("what is reserved");                                       \
        if (mock.failing && !strcmp(mock.failing, #symbol)) return (CuptiResult)mock.result;       \
        return mock_##name(arguments);                                                             \
    }
#include "prof/counters.def"
#undef COUNTERS_CALL

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
    if (kind == CUPTI_PEER_COPY && mock.api == 18) return (CuptiResult)INVALID_OPERATION;
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

/* ---- counters ----
 *
 * A chip that has all names counts all in one pass; one whose name begins with N, for newer, calls
 * what is read and written otherwise, and has room for eight counters in a pass. What is named k-th
 * counts 10 * k. */

enum { IMAGE_BYTES = 48, ROOM = 8 };

static CuptiResult mock_initialize(CountersInitialize *arguments) {
    (void)arguments;
    return CUPTI_OK;
}

static CuptiResult mock_chip(CountersChip *arguments) {
    arguments->chip = mock.chip;
    return arguments->device == 0 ? CUPTI_OK : CUPTI_NOT_SUPPORTED;
}

static CuptiResult mock_availability(CountersAvailability *arguments) {
    if (!arguments->context) misuse("no context");
    if (arguments->image && arguments->image_bytes != IMAGE_BYTES) misuse("an image's size");
    if (arguments->image) memset(arguments->image, 1, IMAGE_BYTES);
    arguments->image_bytes = IMAGE_BYTES;
    return CUPTI_OK;
}

typedef struct MockHost {
    bool is_newer, is_spoilt; /* one that has refused a name takes no other */
    size_t count, additions;
} MockHost;

static CuptiResult mock_host(CountersHost *arguments) {
    MockHost *host = calloc(1, sizeof *host);
    if (!host || arguments->type != COUNTERS_RANGE_PROFILER) misuse("a host");
    host->is_newer = arguments->chip[0] == 'N';
    arguments->host = host;
    mock.hosts++;
    return CUPTI_OK;
}

static CuptiResult mock_host_end(CountersHostEnd *arguments) {
    free(arguments->host);
    mock.hosts--;
    return CUPTI_OK;
}

static CuptiResult mock_metrics(CountersMetrics *arguments) {
    MockHost *host = arguments->host;
    for (size_t i = 0; i < arguments->count; i++) {
        bool is_dram = !strncmp(arguments->names[i], "dram__", 6);
        host->is_spoilt |=
            is_dram && host->is_newer != (strstr(arguments->names[i], "_op_") != NULL);
    }
    host->count += arguments->count;
    host->additions++;
    return host->is_spoilt ? (CuptiResult)INVALID_PARAMETER : CUPTI_OK;
}

static CuptiResult mock_config_size(CountersConfigSize *arguments) {
    arguments->bytes = IMAGE_BYTES;
    return CUPTI_OK;
}

/* The image says in how many passes it is counted. */
static CuptiResult mock_config(CountersConfig *arguments) {
    const MockHost *host = arguments->host;
    size_t room = host->is_newer ? ROOM : 100;
    memset(arguments->image, 0, arguments->bytes);
    arguments->image[0] = (uint8_t)(host->additions + (host->count - 1) / room);
    return CUPTI_OK;
}

static CuptiResult mock_passes(CountersPasses *arguments) {
    arguments->passes = arguments->image[0];
    return CUPTI_OK;
}

static CuptiResult mock_enable_range(CountersEnable *arguments) {
    if (!arguments->context || mock.is_enabled) misuse("enabled twice, or nowhere");
    mock.is_enabled = true;
    arguments->object = &mock;
    return CUPTI_OK;
}

static CuptiResult mock_disable_range(CountersObject *arguments) {
    if (arguments->object != &mock || mock.range_steps) misuse("disabled within a range");
    mock.is_enabled = false;
    return CUPTI_OK;
}

static CuptiResult mock_data_size(CountersDataSize *arguments) {
    if (arguments->ranges != 1 || !arguments->nodes) misuse("ranges");
    arguments->bytes = IMAGE_BYTES;
    return CUPTI_OK;
}

static CuptiResult mock_data(CountersData *arguments) {
    memset(arguments->image, 2, arguments->bytes);
    return CUPTI_OK;
}

/* data, set, start, push, pop, stop, decode come in this order. */
static void step(int at) {
    if (!mock.is_enabled || mock.range_steps != at) misuse("a range out of order");
    mock.range_steps = at + 1;
}

static CuptiResult mock_set(CountersSet *arguments) {
    if (arguments->range != COUNTERS_USER_RANGE || arguments->replay != COUNTERS_USER_REPLAY ||
        arguments->config[0] != 1 || arguments->data[0] != 2)
        misuse("a configuration");
    step(0);
    return CUPTI_OK;
}

static CuptiResult mock_start(CountersObject *arguments) {
    (void)arguments;
    step(1);
    return CUPTI_OK;
}

static CuptiResult mock_push(CountersPush *arguments) {
    if (!arguments->name) misuse("no name");
    step(2);
    return CUPTI_OK;
}

static CuptiResult mock_pop(CountersObject *arguments) {
    (void)arguments;
    step(3);
    return CUPTI_OK;
}

static CuptiResult mock_stop(CountersStop *arguments) {
    step(4);
    arguments->is_all = true;
    return CUPTI_OK;
}

static CuptiResult mock_decode(CountersDecode *arguments) {
    step(5);
    mock.range_steps = 0;
    arguments->dropped = mock.dropped;
    mock.dropped = 0;
    return CUPTI_OK;
}

static CuptiResult mock_values(CountersValues *arguments) {
    for (size_t i = 0; i < arguments->count; i++) arguments->values[i] = 10.0 * (double)(i + 1);
    return CUPTI_OK;
}

/* ---- steering ---- */

static void reset(void) {
    if (mock.buffer) misuse("a buffer that nobody asked for back");
    memset(&mock, 0, sizeof mock);
    mock.api = 130001;
    mock.chip = "OLD1";
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
static void set_chip(const char *chip) { mock.chip = chip; }
static int num_open(void) { return mock.hosts + mock.is_enabled; }
static uint64_t now(void) { return mock.clock ? mock.clock() : 0; }

EXPORT const CuptiMock *mock_cupti(void) {
    static const CuptiMock control = {reset,    fail,     set_version, add_record,
                                      complete, drop,     is_attached, num_kinds,
                                      now,      set_chip, num_open};
    return &control;
}
